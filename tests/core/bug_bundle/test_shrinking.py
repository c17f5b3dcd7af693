from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.core.bug_bundle.shrinking import shrinking


def shrunk(args: dict[str, Any], shows: Callable[[dict[str, Any]], bool], tries: int = 30) -> Any:
    """The smallest case, and how many were tried."""
    search = shrinking(args, tries)
    count = 0
    try:
        candidate = next(search)
        while True:
            count += 1
            candidate = search.send(shows(candidate))
    except StopIteration as end:
        return end.value, count


def test_sizes_are_halved_as_far_as_it_still_shows() -> None:
    found, _ = shrunk({"M": 1024, "block": 64}, lambda c: c["M"] >= 100 and c["block"] >= 16)
    assert found == {"M": 128, "block": 16}


def test_problems_shrink_before_tiles() -> None:
    order = []

    def shows(case: dict[str, Any]) -> bool:
        order.append(case["M"])
        return bool(case["M"] >= 128)

    shrunk({"M": 512, "block": 64}, shows, 3)
    assert order == [256, 128, 64]


def test_what_is_no_size_stays() -> None:
    args = {"dtype": "float16", "causal": True, "tile": [4, 8], "stages": 1, "eps": 1e-5}
    assert shrunk(args, lambda case: True) == (args, 0)


def test_the_search_is_bounded() -> None:
    _, count = shrunk({"M": 1 << 30, "N": 1 << 30}, lambda case: True, tries=7)
    assert count == 7


def test_nothing_smaller_shows_it() -> None:
    args = {"M": 64, "N": 64}
    assert shrunk(args, lambda case: False) == (args, 2)
