from __future__ import annotations

import ast
from typing import Any

import pytest

from workbench.core.exporting.literals import WIDTH, literal

LONG = {"name": "square", "args": {f"block_{n}": n for n in range(12)}, "flags": ["-lineinfo"] * 9}


@pytest.mark.parametrize(
    "value",
    [
        {},
        [],
        (),
        (1,),
        {"a": [1, (2, 3.5)], "b": None},
        'a "b" \\ \n',
        "naïve",
        True,
        -1e-3,
        [LONG] * 2,
    ],
)
def test_a_literal_is_read_back_as_the_value(value: Any) -> None:
    assert ast.literal_eval(literal(value)) == value


def test_what_does_not_fit_stands_in_rows() -> None:
    rows = literal([LONG], rows=True).splitlines()
    assert rows[:3] == ["[", "    {", '        "name": "square",']
    assert max(map(len, rows)) <= WIDTH


def test_numbers_that_have_no_literal_are_made() -> None:
    assert literal({"limit": float("inf")}) == '{"limit": float("inf")}'
