"""Axes, points and what is wrong with a space."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.documents.reading import parse_document
from workbench.core.sweeps.conditions import ConditionError, holds, names_in
from workbench.core.sweeps.space import (
    Axis,
    Space,
    SpaceError,
    axes_of,
    parse_axis,
    require_fitting,
)

KERNELS = Path(__file__).parents[3] / "kernels"


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("block_M=64,128,256", (64, 128, 256)),
        ("stages=1..4", (1, 2, 3, 4)),
        ("block_N=32..256:32", (32, 64, 96, 128, 160, 192, 224, 256)),
        ("threads=128..512*2", (128, 256, 512)),
        ("dtype='float16',bfloat16", ("float16", "bfloat16")),
        ("swizzle=true,False", (True, False)),
        ("shape=(1, 2),[3, 4]", ((1, 2), [3, 4])),
    ],
)
def test_axis_forms(text: str, values: tuple[object, ...]) -> None:
    assert parse_axis(text).values == values


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("block_M", "--vary takes"),
        ("block_M=", "--vary takes"),
        ("block_M=64,,128", "empty value"),
        ("block_M=64,64", "twice"),
        ("block_M=8..4", "ends before"),
        ("block_M=0..4*2", "begins at 1"),
        ("block_M=1..4:0", "below 1"),
        ("block_M=1..10000000", "more than"),
    ],
)
def test_axis_faults(text: str, said: str) -> None:
    with pytest.raises(SpaceError, match=said):
        parse_axis(text)


def test_true_and_1_are_two_values() -> None:
    assert parse_axis("flag=1,true").values == (1, True)


def test_points_cross_axes_cases_and_targets() -> None:
    space = Space((Axis("a", (1, 2)), Axis("b", (3, 4))), ("x",), ("h100", "a100"))
    points = list(space.points())
    assert len(points) == space.size == 8
    assert [point.number for point in points] == list(range(8))
    assert points[1].args == {"a": 1, "b": 4}
    assert points[4].target == "a100"
    assert points[1].text == "a=1 b=4"


def test_listed_configurations_are_crossed_with_axes() -> None:
    listed = ({"a": 1, "b": 2}, {"a": 3, "b": 2})
    space = Space((Axis("c", (5, 6)),), ("x",), ("h100",), configurations=listed)
    assert [dict(p.args) for p in space.points()] == [
        {"a": 1, "b": 2, "c": 5},
        {"a": 1, "b": 2, "c": 6},
        {"a": 3, "b": 2, "c": 5},
        {"a": 3, "b": 2, "c": 6},
    ]
    assert axes_of(listed) == (Axis("a", (1, 3)), Axis("b", (2,)))


def test_too_many_points_are_refused() -> None:
    axes = tuple(Axis(name, tuple(range(100))) for name in "abc")
    with pytest.raises(SpaceError, match="1,000,000 configurations"):
        next(Space(axes, ("x",), ("h100",)).points())


def test_what_is_varied_must_be_a_parameter() -> None:
    kernel = parse_document((KERNELS / "gemm.py").read_text("utf-8")).kernels[0]
    with pytest.raises(SpaceError, match="block_M"):
        require_fitting(Space((Axis("blok_M", (64,)),), ("x",), ("h100",)), kernel)
    twice = Space((Axis("block_M", (64,)), Axis("block_M", (32,))), ("x",), ("h100",))
    with pytest.raises(SpaceError, match="varied twice"):
        require_fitting(twice, kernel)
    with pytest.raises(SpaceError, match="is no number"):
        require_fitting(Space((Axis("block_M", ("wide",)),), ("x",), ("h100",)), kernel)


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("a * b <= 32", True),
        ("a < b < 10", True),
        ("a > b or name == 'x'", True),
        ("not (a > b) and name in ('x', 'y')", True),
        ("a % 3 == 0", False),
        ("min(a, b) == 4", True),
        ("-a < 0", True),
        ("b // a + b / a == 4", True),
    ],
)
def test_conditions(condition: str, expected: bool) -> None:
    assert holds(condition, {"a": 4, "b": 8, "name": "x"}) is expected


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("a +", "cannot be read"),
        ("c < 1", "no argument c"),
        ("__import__('os')", "not understood"),
        ("a.real > 0", "not understood"),
        ("'x' * 1000000000 == a", "no number"),
        ("a / 0 > 1", "no value"),
        ("a is 1", "not understood"),
        ("a ** 9 > 1", "not understood"),
        ("a" * 501, "longer than"),
    ],
)
def test_condition_faults(condition: str, said: str) -> None:
    with pytest.raises(ConditionError, match=said):
        holds(condition, {"a": 4})


def test_names_of_a_condition() -> None:
    assert set(names_in("min(a, b) < c and a > 1")) == {"a", "b", "c"}


def test_several_cases_and_targets_are_told_as_a_product() -> None:
    axes = (parse_axis("block_M=64,128"), parse_axis("num_stages=1..3"))
    assert Space(axes, ("one",), ("h100",)).product_text == ""
    assert Space(axes, ("one",), ("h100", "a100")).product_text == "6 configurations × 2 targets"
    many = Space(axes, ("one", "two", "three"), ("h100", "a100"))
    assert many.product_text == "6 configurations × 3 cases × 2 targets"
