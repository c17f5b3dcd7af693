from __future__ import annotations

import pytest

from workbench.ui.panes.shares import read_shares


def test_two_sizes_are_read() -> None:
    assert read_shares([300, 200], (1, 1)) == (300, 200)


@pytest.mark.parametrize("data", [None, [1], [1, 2, 3], [1, 0], [1, True], ["1", 2], {"a": 1}])
def test_anything_else_gives_the_fallback(data: object) -> None:
    assert read_shares(data, (3, 2)) == (3, 2)
