from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from workbench.core.plain import PlainError, from_plain, to_plain


class Colour(enum.Enum):
    RED = "red"


@dataclass(frozen=True)
class Inner:
    size: int
    ratio: float | None = None


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner
    many: tuple[Inner, ...] = ()
    pair: tuple[int, str] = (0, "")
    colour: Colour = Colour.RED
    table: Mapping[str, Inner] = field(default_factory=dict)
    anything: Any = None


FULL = Outer(
    "a", Inner(1, 0.5), (Inner(2), Inner(3)), (4, "b"), Colour.RED, {"k": Inner(5)}, [1, {"x": 2}]
)


def test_a_nested_record_survives_the_round_trip() -> None:
    assert from_plain(Outer, to_plain(FULL)) == FULL


def test_paths_and_enums_become_text() -> None:
    assert to_plain({"p": Path("/a"), "c": Colour.RED}) == {"p": "/a", "c": "red"}


def test_an_integer_is_taken_where_a_float_is_wanted() -> None:
    value = from_plain(Inner, {"size": 1, "ratio": 2}).ratio
    assert isinstance(value, float)


def test_unknown_keys_are_left_out() -> None:
    assert from_plain(Inner, {"size": 1, "newer": True}) == Inner(1)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ({"inner": {"size": 1}}, "Outer.name is missing"),
        ({"name": "a", "inner": {"size": "1"}}, "Outer.inner.size: expected int, got str"),
        ({"name": "a", "inner": {"size": True}}, "Outer.inner.size: expected int, got bool"),
        ({"name": "a", "inner": 3}, "Outer.inner: expected an object, got int"),
        ({"name": "a", "inner": {"size": 1}, "pair": [1]}, "expected 2 entries, got 1"),
        ({"name": "a", "inner": {"size": 1}, "colour": "blue"}, "'blue' is not a valid Colour"),
        ({"name": "a", "inner": {"size": 1}, "many": {}}, "Outer.many: expected a list, got dict"),
        ({"name": "a", "inner": {"size": 1}, "table": []}, "expected an object, got list"),
    ],
)
def test_wrong_data_is_named_by_its_field(data: Any, said: str) -> None:
    with pytest.raises(PlainError, match=said.replace("(", r"\(")):
        from_plain(Outer, data)
