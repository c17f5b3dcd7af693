from __future__ import annotations

import itertools

import numpy as np
import pytest

from workbench.core.analysis.banks import distinct_patterns
from workbench.engine.analysis import space
from workbench.engine.analysis.expressions import Axis, Node, apply, const, name
from workbench.engine.analysis.launch import Launch, launch_axes
from workbench.engine.analysis.space import Patterns, lane_patterns

LAUNCH = launch_axes(Launch((4, 3, 1), (48, 1, 1), 32))
THREAD = name(LAUNCH.thread)
BX, BY = name(LAUNCH.grid["x"]), name(LAUNCH.grid["y"])


def times(node: Node, factor: int) -> Node:
    return apply("mul", node, const(factor))


def plus(*nodes: Node) -> Node:
    total: Node = const(0)
    for node in nodes:
        total = apply("add", total, node)
    return total


def as_counts(patterns: Patterns) -> dict[tuple[int, ...], int]:
    found: dict[tuple[int, ...], int] = {}
    rows, weights, _ = distinct_patterns(patterns.addresses, patterns.weights)
    for row, weight in zip(rows.tolist(), weights.tolist(), strict=True):
        found[tuple(row)] = found.get(tuple(row), 0) + weight
    return found


def test_every_turn_of_every_block_is_counted_once() -> None:
    loop = Axis("k", const(5))
    address = plus(times(THREAD, 4), times(BX, 64), times(name(loop), 36))
    found = lane_patterns(LAUNCH, address, [loop], [], modulus=256)
    assert found.weights.sum() == 12 * 5 * 2  # blocks, turns, warps
    rows = [
        [t * 4 + bx * 64 + k * 36 if t < 48 else -1 for t in range(w * 32, w * 32 + 32)]
        for bx, _, k, w in itertools.product(range(4), range(3), range(5), range(2))
    ]
    expected = Patterns(np.array(rows), None, np.ones(len(rows), np.int64))
    assert as_counts(found) == as_counts(expected)


def test_a_condition_masks_lanes_and_drops_warps_without_any() -> None:
    found = lane_patterns(LAUNCH, times(THREAD, 4), [], [apply("lt", THREAD, const(8))])
    assert found.weights.tolist() == [12]
    assert (found.addresses >= 0).sum() == 8


def test_turns_that_depend_on_the_block_are_counted_by_block() -> None:
    loop = Axis("k", plus(BX, const(1)))
    unused = lane_patterns(LAUNCH, times(THREAD, 4), [loop], [])
    assert unused.weights.sum() == 3 * (1 + 2 + 3 + 4) * 2
    used = lane_patterns(LAUNCH, plus(times(THREAD, 4), times(name(loop), 4)), [loop], [])
    assert used.weights.sum() == unused.weights.sum()


@pytest.mark.parametrize("extent", [const(0), apply("min", BX, const(0))])
def test_a_loop_without_a_turn_touches_nothing(extent: Node) -> None:
    loop = Axis("k", extent)
    for address in (times(THREAD, 4), plus(times(THREAD, 4), times(name(loop), 36))):
        assert lane_patterns(LAUNCH, address, [loop], []).weights.sum() == 0


def test_turns_that_depend_on_the_thread_end_lane_by_lane() -> None:
    loop = Axis("k", apply("floordiv", THREAD, const(16)))
    found = lane_patterns(LAUNCH, times(THREAD, 4), [loop], [])
    assert ((found.addresses >= 0).sum(axis=1) * found.weights).sum() == 12 * 16 * (0 + 1 + 2)


def test_lanes_that_begin_below_the_start_are_moved_not_lost() -> None:
    address = plus(times(THREAD, 4), const(-4096), times(BX, 1024))
    found = lane_patterns(LAUNCH, address, [], [], modulus=256)
    assert (found.addresses >= 0).sum(axis=1).max() == 32


def test_blocks_and_loops_that_share_no_term_are_not_multiplied_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(space, "POINTS", 64)
    loop = Axis("k", const(50))
    address = plus(times(THREAD, 4), times(BX, 64), times(name(loop), 128))
    found = lane_patterns(LAUNCH, address, [loop], [], modulus=256)
    assert not found.sampled
    assert found.weights.sum() == 12 * 50 * 2


def test_a_space_that_is_too_large_is_sampled_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(space, "POINTS", 64)
    loop = Axis("k", const(1000))
    found = lane_patterns(LAUNCH, plus(times(THREAD, 4), times(name(loop), 4)), [loop], [])
    assert found.sampled
    assert found.weights.sum() == pytest.approx(12 * 1000 * 2)
