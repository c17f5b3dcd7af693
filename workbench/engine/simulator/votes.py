"""Questions to all threads of a warp or a block: votes, ballots, matches and counts.

Source: CUDA C++ programming guide, "Warp vote functions" and "Synchronization functions". Threads
that do not reach the statement have no vote.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.lanes import WARP_SIZE
from workbench.engine.simulator.registry import call, helper, operation
from workbench.engine.simulator.tir import call_name
from workbench.engine.simulator.translator import Translator

Array = np.ndarray[Any, Any]
Vote = Callable[[Array, Array], Any]


def _bits(chosen: Array) -> int:
    return sum(1 << int(at) for at in np.flatnonzero(chosen))


def _match(values: Array, active: Array) -> Array:
    return np.array([_bits(active & (values == value)) for value in values], np.uint32)


def _match_all(values: Array, active: Array) -> Any:
    same = len(np.unique(values[active])) <= 1
    return _bits(active) if same else 0


_VOTES: dict[str, tuple[Vote, int]] = {
    "tl.any_sync": (lambda values, active: (values != 0)[active].any(), 1),
    "tl.all_sync": (lambda values, active: (values != 0)[active].all(), 1),
    "tl.ballot_sync": (lambda values, active: _bits(active & (values != 0)), 1),
    "tl.ballot": (lambda values, active: _bits(active & (values != 0)), 0),
    "tl.match_any_sync": (_match, 1),
    "tl.match_all_sync": (_match_all, 1),
    "tl.activemask": (lambda values, active: _bits(active), -1),
}
_BLOCK_VOTES: dict[str, Vote] = {
    "tl.syncthreads_count": lambda values, active: np.count_nonzero(values[active]),
    "tl.syncthreads_and": lambda values, active: int((values != 0)[active].all()),
    "tl.syncthreads_or": lambda values, active: int((values != 0)[active].any()),
}


def _emit(t: Translator, node: Any, vote: Vote, position: int, group: str) -> Value:
    if t.lanes is None or t.in_parallel:
        raise t.unsupported(f"{call_name(node)} outside a kernel with thread indices")
    value = t.expression(node.args[position]).code if position >= 0 else "0"
    function = t.emitter.constant(vote, call_name(node))
    wide = f"np.broadcast_to({value}, {t.shape_code()})"
    code = f"ask({wide}, {t.mask_code()}, {function}, {group}, {t.dtype(str(node.dtype))})"
    return Value(t.emitter.assign(code, "vote"), str(node.dtype), t.rank)


@call(*_VOTES)
def _warp_vote(t: Translator, node: Any) -> Value:
    """The arguments are a mask of the threads asked (which those that arrive are) and a value."""
    vote, position = _VOTES[call_name(node)]
    return _emit(t, node, vote, position, str(WARP_SIZE))


@call(*_BLOCK_VOTES)
def _block_vote(t: Translator, node: Any) -> Value:
    if t.roles is not None and len(t.members) > 1:
        raise t.unsupported(f"{call_name(node)} in a kernel whose threads take different roles")
    return _emit(t, node, _BLOCK_VOTES[call_name(node)], 0, "None")


@operation(*_VOTES, *_BLOCK_VOTES)
def _unused(t: Translator, node: Any) -> None:
    """A vote whose outcome nobody reads orders the threads, which run in lock step."""


@helper
def ask(values: Array, mask: Any, vote: Vote, size: int | None, dtype: np.dtype[Any]) -> Array:
    """Return for each thread the outcome of the vote of its group of `size` (None: all)."""
    active = np.broadcast_to(True if mask is None else mask, values.shape)
    result = np.zeros(values.shape, dtype)
    step = size or len(values)
    for start in range(0, len(values), step):
        group = slice(start, start + step)
        result[group] = vote(values[group], active[group])
    return result


@call("tl.__ffs")
def _first_bit(t: Translator, node: Any) -> Value:
    """The position of the lowest set bit, from 1; 0 where none is set."""
    value = t.expression(node.args[0])
    return Value(f"first_bit({value.code})", "int32", value.rank)


@helper
def first_bit(value: Any) -> Any:
    """Return the position of the lowest set bit, counted from 1, and 0 for 0."""
    bits = np.asarray(value).astype(np.int64) & 0xFFFFFFFF
    lowest = bits & -bits
    return np.where(bits == 0, 0, np.log2(np.maximum(lowest, 1)).astype(np.int32) + 1)[()].astype(
        np.int32
    )
