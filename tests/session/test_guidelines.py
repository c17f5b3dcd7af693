from __future__ import annotations

from workbench.session.guidelines import GUIDELINES, can_be_declined, with_hint


def test_hints_can_be_declined_and_mistakes_cannot() -> None:
    assert can_be_declined("missing-pipelining")
    assert not can_be_declined("gemm-uninitialized-accumulator")
    assert len({guideline.title for guideline in GUIDELINES}) == len(GUIDELINES) > 1


def test_a_hint_is_declined_once_and_comes_back_alone() -> None:
    declined = with_hint(with_hint(("of-later",), "tile-size", False), "tile-size", False)
    assert declined == ("of-later", "tile-size")
    assert with_hint(declined, "tile-size", True) == ("of-later",)
