"""Operations that order threads or steer the hardware, and change no value here.

Statements run in lock step, so a barrier that all threads reach orders nothing further. Where the
threads of a block take different roles, barriers do carry meaning: such kernels are refused.
"""

from __future__ import annotations

from typing import Any

from workbench.engine.simulator.registry import operation
from workbench.engine.simulator.tir import call_name
from workbench.engine.simulator.translator import Translator

_WITHOUT_EFFECT = (
    "tirx.tvm_storage_sync",
    "tirx.ptx_commit_group",
    "tirx.ptx_wait_group",
    "tirx.ptx_cp_async_barrier",
    "tl.sync_warp",
    "tl.sync_threads_partial",
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
    "tl.pdl_trigger",
    "tl.pdl_sync",
    "tl.device_assert",
    "tl.device_assert_with_msg",
)
_BARRIERS = (
    "tirx.ptx_arrive_barrier",
    "tirx.ptx_arrive_barrier_expect_tx",
    "tl.mbarrier_wait_parity",
    "tl.mbarrier_expect_tx",
)


@operation(*_WITHOUT_EFFECT)
def _nothing(t: Translator, node: Any) -> None:
    """Nothing to emit."""


@operation("tirx.call_extern")
def _extern(t: Translator, node: Any) -> None:
    """T.print calls a device function; it shows values on the device and changes none."""
    function = str(node.args[0].value)
    if not function.startswith("debug_print"):
        raise t.unsupported(f"device function {function}")


@operation(*_BARRIERS)
def _barrier(t: Translator, node: Any) -> None:
    if t.divergent:
        raise t.unsupported(f"{call_name(node)} in a kernel whose threads take different roles")
