"""Operations that order threads or steer the hardware, and change no value here.

Statements run in lock step, so a barrier that all threads reach orders nothing further. The ones
that carry meaning are in `barriers`.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.simulator.memory import pointee, shifted
from workbench.engine.simulator.registry import operation
from workbench.engine.simulator.tir import tirx
from workbench.engine.simulator.translator import Translator

_WITHOUT_EFFECT = (
    "tirx.ptx_commit_group",
    "tirx.ptx_wait_group",
    "tl.sync_warp",
    "tl.fence_proxy_async",
    "tl.tma_store_arrive",
    "tl.tma_store_wait",
    "tl.set_max_nreg",
    "tl.no_set_max_nreg",
    "tl.annotate_producer_reg_dealloc",
    "tl.annotate_consumer_reg_alloc",
    "tl.disable_warp_group_reg_alloc",
    "tl.warpgroup_fence_operand",
    "tl.warpgroup_arrive",
    "tl.warpgroup_commit_batch",
    "tl.warpgroup_wait",
    "tl.wait_wgmma",
    "tl.tcgen05_before_thread_sync",
    "tl.tcgen05_after_thread_sync",
    "tl.deallocate_tmem",
    "tl.mbarrier_expect_tx",
    "tl.prefetch_tma_descriptor",
    "tl.ptx_fence_barrier_init",
    "tl.conflict_hint",
    "tirx.assume",
    "tl.pdl_trigger",
    "tl.pdl_sync",
    "tl.device_assert",
    "tl.device_assert_with_msg",
)


@operation(*_WITHOUT_EFFECT)
def _nothing(t: Translator, node: Any) -> None:
    """Nothing to emit."""


def _dot_of_four(t: Translator, pointers: list[Any]) -> None:
    """DP4A: the third pointer's int32 += the product of four int8 at each of the others."""
    left, right, total = (pointee(t, pointer) for pointer in pointers)
    sum_ = tirx.BufferLoad(total.buffer, total.indices)
    for at in range(4):
        factors = (tirx.Cast("int32", shifted(each, at)) for each in (left, right))
        sum_ = sum_ + next(factors) * next(factors)
    t.statement(tirx.BufferStore(total.buffer, sum_, total.indices))


_DEVICE_FUNCTIONS = {"DP4A": _dot_of_four}
_HARMLESS = ("debug_print", "TL_IKET_")


@operation("tirx.call_extern")
def _extern(t: Translator, node: Any) -> None:
    """T.print and markers for a profiler call device functions that change no value."""
    function = str(node.args[0].value)
    if function in _DEVICE_FUNCTIONS:
        _DEVICE_FUNCTIONS[function](t, list(node.args)[1:])
    elif not function.startswith(_HARMLESS):
        raise t.unsupported(f"device function {function}")
