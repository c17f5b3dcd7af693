"""Loops are walked as long as their stages take to repeat, and no longer."""

from __future__ import annotations

import itertools

import pytest

from workbench.engine.analysis.expressions import Axis, Node, apply, const, name
from workbench.engine.analysis.hazard_loops import Plan, period
from workbench.engine.analysis.hazard_program import Assign, Loop, Order, Ordering, Step

AXIS = Axis("k", const(100))
K = name(AXIS)


def _op(symbol: str, left: Node, right: int) -> Node:
    return apply(symbol, left, const(right))


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (_op("floormod", K, 3), 3),
        (_op("floormod", _op("add", K, 2), 3), 3),
        (_op("floormod", _op("mul", K, 2), 4), 2),
        (_op("floordiv", _op("floormod", K, 6), 3), 6),
        (_op("floormod", _op("floordiv", K, 3), 2), 6),
        (apply("bitxor", _op("floordiv", _op("floormod", K, 6), 3), const(1)), 6),
        (_op("mul", _op("floormod", K, 4), 4096), 4),
        (_op("lt", K, 98), 1),
        (const(7), 1),
        (_op("mul", K, 4), None),
        (_op("floordiv", K, 3), None),
    ],
)
def test_the_round_of_an_expression(node: Node, expected: int | None) -> None:
    assert period(node, AXIS) == expected


def _loop(*nodes: Node, axis: Axis = AXIS, more: tuple[Step, ...] = ()) -> Loop:
    return Loop(axis, (Order(Ordering.BARRIER, None, values=nodes), *more))


def test_whole_rounds_are_left_out() -> None:
    loop = _loop(_op("floormod", K, 3))
    turns = Plan((loop,), 1).turns(loop, 100)
    assert turns[:3] == [0, 1, 2]
    assert turns[-3:] == [97, 98, 99]
    (before, after) = next(pair for pair in itertools.pairwise(turns) if pair[1] > pair[0] + 1)
    assert (after - before - 1) % 3 == 0
    assert len(turns) < 10


def test_the_turns_at_which_a_condition_changes_are_walked() -> None:
    loop = _loop(_op("floormod", K, 2), _op("lt", K, 90), _op("eq", K, 4))
    turns = Plan((loop,), 1).turns(loop, 100)
    assert {3, 4, 5, 89, 90, 91} <= set(turns)
    assert len(turns) < 40


def test_a_loop_that_carries_a_counter_is_walked_in_full() -> None:
    counter = Axis("phase", const(0))
    loop = _loop(more=(Assign(counter, apply("add", name(counter), const(1))),))
    assert Plan((loop,), 1).turns(loop, 100) == list(range(100))


def test_parties_that_meet_leave_out_the_same_turns() -> None:
    other = Axis("k", const(100))
    producer = _loop(_op("floormod", K, 3))
    consumer = _loop(_op("floormod", name(other), 2), _op("eq", name(other), 0), axis=other)
    plan = Plan((producer, consumer), 2)
    assert plan.turns(producer, 100) == plan.turns(consumer, 100)
    assert len(plan.turns(producer, 100)) < 100


def test_parties_whose_loops_differ_are_walked_in_full() -> None:
    other = Axis("k", const(99))
    producer, consumer = _loop(_op("floormod", K, 3)), _loop(axis=other)
    plan = Plan((producer, consumer), 2)
    assert plan.turns(producer, 100) == list(range(100))
    assert plan.turns(consumer, 99) == list(range(99))
