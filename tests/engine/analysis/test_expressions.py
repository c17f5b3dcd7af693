from __future__ import annotations

import numpy as np
import pytest

from workbench.engine.analysis.expressions import (
    Axis,
    UnknownValueError,
    apply,
    const,
    evaluate,
    name,
    truncated_quotient,
    unknown,
)

AXIS = Axis("i", const(8))


def test_constants_are_folded() -> None:
    node = apply("add", apply("mul", const(3), const(4)), const(5))
    assert evaluate(node, {}, {}) == 17


def test_an_axis_gives_an_array() -> None:
    node = apply("floormod", apply("mul", name(AXIS), const(3)), const(4))
    np.testing.assert_array_equal(evaluate(node, {AXIS: np.arange(8)}, {}), np.arange(8) * 3 % 4)


def test_division_is_towards_zero_or_downwards_as_the_ir_says() -> None:
    values = np.array([-7, 7])
    np.testing.assert_array_equal(truncated_quotient(values, 2), [-3, 3])
    down = apply("floordiv", name(AXIS), const(2))
    np.testing.assert_array_equal(evaluate(down, {AXIS: values}, {}), [-4, 3])


def test_what_is_unknown_stays_so_and_says_why() -> None:
    node = apply("add", unknown("it depends on the data in X"), const(1))
    with pytest.raises(UnknownValueError, match="data in X"):
        evaluate(node, {}, {})


def test_a_choice_by_a_constant_needs_one_side_alone() -> None:
    node = apply("select", const(1), const(4), name(AXIS))
    assert evaluate(node, {}, {}) == 4
