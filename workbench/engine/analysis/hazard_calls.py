"""What the intrinsics of the lowered IR mean for the order of threads, one handler each.

Sources: TileLang 0.1.15, tl_templates/cuda (barrier.h, copy.h, copy_sm90.h, reduce.h), and the PTX
ISA 9.0: cp.async, mbarrier, cp.async.bulk, wgmma, bar.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.core.analysis.hazards import Agent, Mode
from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis import reductions
from workbench.engine.analysis.expressions import apply, const
from workbench.engine.analysis.hazard_operands import (
    bulk_load,
    bulk_store,
    descriptor,
    moved_descriptor,
    opaque,
    ranged,
    slot_name,
    tensor,
)
from workbench.engine.analysis.hazard_program import Ordering
from workbench.engine.analysis.pointers import Target
from workbench.engine.analysis.translation import class_of, operator

if TYPE_CHECKING:
    from workbench.engine.analysis.hazard_walk import HazardWalk

Handler = Callable[["HazardWalk", Any], None]
_NAMED = re.compile(r"NamedBarrier<(\d+)>")


def handler(operation: str) -> Handler | None:
    """What keeps a call as steps; None for one that has nothing to do with order."""
    found = _EXACT.get(operation)
    return found or next((each for form, each in _FORMS if re.match(form, operation)), None)


def _arguments(walk: HazardWalk, call: Any) -> None:
    for argument in call.args:
        walk.expression(argument)


def _converge(walk: HazardWalk, call: Any) -> None:
    walk.order(Ordering.CONVERGE)
    _arguments(walk, call)


def _ordered(kind: Ordering) -> Handler:
    """An operation whose arguments are numbers."""

    def kept(walk: HazardWalk, call: Any) -> None:
        numbers = [each for each in call.args if class_of(each) != "StringImm"]
        walk.order(kind, *(walk.translate(each) for each in numbers))

    return kept


def _storage_sync(walk: HazardWalk, call: Any) -> None:
    scope = str(getattr(call.args[0], "value", ""))
    if scope == "warp":
        walk.order(Ordering.CONVERGE)
    elif len(call.args) == 3:
        walk.order(Ordering.NAMED_BARRIER, *(walk.translate(each) for each in call.args[1:]))
    else:
        walk.order(Ordering.BARRIER)


def _slotted(kind: Ordering, numbers: int) -> Handler:
    """An operation on an mbarrier with so many numbers behind it."""

    def kept(walk: HazardWalk, call: Any) -> None:
        if len(call.args) != numbers + 1:
            walk.order(Ordering.OPAQUE, reason=f"{operator(call)} with other arguments")
            return
        values = [walk.translate(each) for each in call.args[1:]]
        walk.order(kind, *values, slot=slot_name(walk, call.args[0]))

    return kept


def _extern(walk: HazardWalk, call: Any) -> None:
    function = str(getattr(call.args[0], "value", ""))
    for argument in call.args[1:]:
        walk.expression(argument)
    targets = [t for arg in call.args[1:] if (t := walk.pointers.target(arg)) is not None]
    shared = [target for target in targets if target.memory == "shared"]
    workspace = reductions.workspace(function)
    if workspace is not None:
        _reduced(walk, function, workspace, shared)
    elif shared:
        walk.order(Ordering.UNKNOWN_CALL, reason=f"{function} is told by the machine code alone")


def _reduced(
    walk: HazardWalk, function: str, workspace: reductions.Workspace, shared: list[Target]
) -> None:
    """The barriers of a reduction over warps, and what it stores and loads between them."""
    walk.order(Ordering.CONVERGE)
    if not shared:
        return
    target, before = shared[0], SharedKind.LOAD
    width = max(1, int(target.element_bytes))
    thread = walk.translate.thread_index("x")
    for kind, index in reductions.accesses(workspace, thread, walk.axes.launch.warp):
        if kind is not before:
            _reduction_barrier(walk, function, 1 if kind is SharedKind.STORE else 2)
        before = kind
        address = apply("add", target.address, apply("mul", index, const(width)))
        mode = Mode.WRITE if kind is SharedKind.STORE else Mode.READ
        moved = Target(target.place, address, target.dtype, target.element_bytes)
        walk.touch(ranged(walk, mode, Agent.THREAD, moved, width, None, None))


def _reduction_barrier(walk: HazardWalk, function: str, number: int) -> None:
    named = _NAMED.search(function)
    if named is None:
        walk.order(Ordering.BARRIER)
    else:
        walk.order(Ordering.NAMED_BARRIER, const(number), const(int(named[1])))


_EXACT: dict[str, Handler] = {
    "tvm_storage_sync": _storage_sync,
    "syncthreads_count": _ordered(Ordering.BARRIER),
    "syncthreads_and": _ordered(Ordering.BARRIER),
    "syncthreads_or": _ordered(Ordering.BARRIER),
    "named_barrier_arrive": _ordered(Ordering.NAMED_ARRIVE),
    "sync_warp": _converge,
    "warpgroup_arrive": _converge,
    "ptx_commit_group": _ordered(Ordering.COPY_COMMIT),
    "ptx_wait_group": _ordered(Ordering.COPY_WAIT),
    "ptx_cp_async_barrier_noinc": _slotted(Ordering.COPY_ARRIVE, 0),
    "ptx_init_barrier_thread_count": _slotted(Ordering.SLOT_INIT, 1),
    "ptx_arrive_barrier": _slotted(Ordering.SLOT_ARRIVE, 0),
    "mbarrier_expect_tx": _slotted(Ordering.SLOT_EXPECT, 1),
    "ptx_arrive_barrier_expect_tx": _slotted(Ordering.SLOT_ARRIVE_EXPECT, 1),
    "mbarrier_wait_parity": _slotted(Ordering.SLOT_WAIT, 1),
    "warpgroup_commit_batch": _ordered(Ordering.TENSOR_COMMIT),
    "warpgroup_wait": _ordered(Ordering.TENSOR_WAIT),
    "wait_wgmma": _ordered(Ordering.TENSOR_WAIT),
    "tma_load": bulk_load,
    "tma_load_im2col": bulk_load,
    "tma_store": bulk_store,
    "tma_store_arrive": _ordered(Ordering.STORE_COMMIT),
    "tma_store_wait": _ordered(Ordering.STORE_WAIT),
    "initialize_wgmma_descriptor": descriptor,
    "increase_descriptor_offset": moved_descriptor,
    "call_extern": _extern,
    "call_pure_extern": _extern,
}
_FORMS: tuple[tuple[str, Handler], ...] = (
    (r"ptx_wgmma_", tensor),
    (
        r"ptx_mma|tvm_mma|tvm_mfma|tvm_warp_shuffle|shfl_|warp_reduce|(any|all|ballot)_sync",
        _converge,
    ),
    (r"match_(any|all)_sync", _converge),
    (r".*tcgen05|.*cluster|.*multicast|.*2sm|tma_|ptx_cp_async_b|.*mbarrier|.*sync_grid", opaque),
    (r"ptx_arrive_barrier|.*_bulk|.*grid_sync|atomic_barrier", opaque),
)
