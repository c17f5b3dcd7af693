"""Drafts: what a choice does to the others, and what is kept of them."""

from __future__ import annotations

from workbench.core.patterns.model import Goal
from workbench.core.patterns.table import pattern_named
from workbench.core.patterns.values import completed
from workbench.session.patterns.draft import (
    Draft,
    from_plain,
    recommended,
    steps_of,
    to_plain,
    with_text,
    with_value,
)

GEMM = pattern_named("gemm")
SHOWN = completed(GEMM, {"block_N": 256})


def _field(name: str):  # type: ignore[no-untyped-def]
    found = GEMM.field_named(name)
    assert found is not None
    return found


def test_a_knob_leaves_the_others_as_they_are_shown() -> None:
    draft = with_value(Draft("gemm", ("h100",)), _field("block_M"), 64, SHOWN)

    assert draft.given == {"block_M": 64}
    assert draft.held["block_N"] == 256


def test_a_requirement_has_the_others_recommended_anew() -> None:
    draft = Draft("gemm", ("h100",), held=SHOWN, missing=("M",))

    changed = with_value(draft, _field("M"), 17, SHOWN)

    assert (changed.given, changed.held, changed.missing) == ({"M": 17}, {}, ())


def test_a_value_takes_the_place_of_what_was_typed() -> None:
    draft = with_text(Draft("gemm", ("h100",)), "M", "many")

    assert draft.texts == {"M": "many"}
    assert with_value(draft, _field("M"), 8, SHOWN).texts == {}


def test_recommended_values_take_the_place_of_those_that_were_given() -> None:
    draft = Draft("gemm", ("h100",), given={"block_M": 64, "M": 3}, held=SHOWN, missing=("K",))

    assert recommended(draft, ("block_M", "K")).given == {"M": 3}
    assert recommended(draft, ("block_M", "K")).missing == ()


def test_steps_in_which_nothing_is_to_choose_are_left_out() -> None:
    assert "pipeline" in steps_of(GEMM, SHOWN)
    norm = pattern_named("norm")
    steps = steps_of(norm, completed(norm, {}))
    assert "pipeline" not in steps
    assert steps[-2:] == ("check", "done")


def test_a_draft_comes_back_as_it_was() -> None:
    draft = Draft(
        "gemm",
        ("h100", "a100"),
        Goal.LATENCY,
        {"M": 16},
        {"threads": 128},
        {"N": "x"},
        "tiles",
        "s",
    )

    assert from_plain(to_plain(draft)) == draft


def test_what_is_damaged_of_a_draft_costs_itself_alone() -> None:
    plain = to_plain(Draft("gemm", ("h100",), given={"M": 16, "K": 32}))
    plain["given"] = {"M": "many", "K": 32, "gone": 1}
    plain["step"] = 7

    draft = from_plain(plain)

    assert draft is not None
    assert draft.given == {"K": 32}
    assert draft.step == "requirements"


def test_a_draft_of_another_version_or_pattern_is_left_out() -> None:
    plain = to_plain(Draft("gemm", ("h100",)))

    assert from_plain({**plain, "version": 99}) is None
    assert from_plain({**plain, "pattern": "no-such"}) is None
    assert from_plain({**plain, "targets": []}) is None
    assert from_plain(None) is None
