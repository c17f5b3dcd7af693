"""Operations among the threads of a warp: shuffles and warp reductions (32 threads, as on NVIDIA).

Source: CUDA C++ programming guide, "Warp shuffle functions": a lane that would read outside its
segment of `width` lanes keeps its own value. What masked lanes hold is undefined there; here it is
whatever the expression gives for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.lanes import WARP_SIZE
from workbench.engine.simulator.registry import call, helper
from workbench.engine.simulator.tir import call_name
from workbench.engine.simulator.translator import Translator

Array = np.ndarray[Any, Any]

_REDUCTIONS: dict[str, np.ufunc] = {
    "tl.warp_reduce_sum": np.add,
    "tl.warp_reduce_max": np.fmax,
    "tl.warp_reduce_min": np.fmin,
    "tl.warp_reduce_bitand": np.bitwise_and,
    "tl.warp_reduce_bitor": np.bitwise_or,
}


def _xor(lane: Array, operand: Any, width: int) -> Array:
    wanted = lane ^ operand
    return np.where(wanted <= (lane | (width - 1)), wanted, lane)


def _down(lane: Array, operand: Any, width: int) -> Array:
    return np.where(lane % width + operand < width, lane + operand, lane)


def _up(lane: Array, operand: Any, width: int) -> Array:
    return np.where(lane % width >= operand, lane - operand, lane)


def _index(lane: Array, operand: Any, width: int) -> Array:
    return np.asarray(lane - lane % width + operand % width)


_SOURCES: dict[str, Callable[[Array, Any, int], Array]] = {
    "tl.shfl_xor_sync": _xor,
    "tl.shfl_down_sync": _down,
    "tl.shfl_up_sync": _up,
    "tl.shfl_sync": _index,
}


def _per_lane(t: Translator, value: Value) -> str:
    if t.lanes is None or t.in_parallel:
        raise t.unsupported("a warp operation outside a kernel with thread indices")
    return f"np.broadcast_to({value.code}, {t.shape_code()})"


@call(*_SOURCES)
def _shuffle(t: Translator, node: Any) -> Value:
    """The arguments are mask, value, lane operand, width."""
    value = t.expression(node.args[1])
    operand, width = t.expression(node.args[2]), t.scalar(node.args[3])
    source = t.emitter.constant(_SOURCES[call_name(node)], call_name(node))
    code = f"shuffle({_per_lane(t, value)}, {source}, {operand.code}, {width})"
    return Value(code, str(node.dtype), t.rank)


@helper
def shuffle(
    value: Array, source: Callable[[Array, Any, int], Array], operand: Any, width: int
) -> Array:
    """Return for each lane the value of its source lane."""
    lane = np.arange(len(value))
    chosen = source(lane, operand, width)
    return np.asarray(value[np.where((chosen >= 0) & (chosen < len(value)), chosen, lane)])


@call(*_REDUCTIONS)
def _warp_reduce(t: Translator, node: Any) -> Value:
    value = t.expression(node.args[0])
    combine = t.emitter.constant(_REDUCTIONS[call_name(node)], call_name(node))
    return Value(f"warp_reduce({_per_lane(t, value)}, {combine})", str(node.dtype), t.rank)


@helper
def warp_reduce(value: Array, combine: np.ufunc) -> Array:
    """Return for each lane the combination over its warp (the last one may be shorter)."""
    starts = np.arange(0, len(value), WARP_SIZE)
    return np.repeat(combine.reduceat(value, starts), WARP_SIZE)[: len(value)]
