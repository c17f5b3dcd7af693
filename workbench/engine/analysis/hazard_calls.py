"""What the intrinsics of the lowered IR mean for the order of threads, one handler each.

Sources: TileLang 0.1.15, tl_templates/cuda (barrier.h, copy.h, copy_sm90.h, reduce.h), and the PTX
ISA 9.0: cp.async, mbarrier, cp.async.bulk, wgmma, bar.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.core.analysis.hazards import Agent, Mode
from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis import reductions
from workbench.engine.analysis.expressions import Node, apply, const, name, unknown
from workbench.engine.analysis.hazard_program import Ordering, SlotName, Touch
from workbench.engine.analysis.pointers import Target
from workbench.engine.analysis.translation import class_of, operator

if TYPE_CHECKING:
    from workbench.engine.analysis.hazard_walk import HazardWalk

Handler = Callable[["HazardWalk", Any], None]
_UNIT = 16  # bytes that a step of a matrix descriptor's address is
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


def _slot(walk: HazardWalk, argument: Any) -> SlotName:
    if class_of(argument) != "BufferLoad" or len(argument.indices) != 1:
        return SlotName("?", unknown("an mbarrier that is not an element of a buffer"))
    if str(argument.buffer.scope()) != "shared.barrier":
        return SlotName("?", unknown("a barrier of a cluster"))
    return SlotName(str(argument.buffer.data.name), walk.translate(argument.indices[0]))


def _slotted(kind: Ordering, numbers: int) -> Handler:
    """An operation on an mbarrier with so many numbers behind it."""

    def kept(walk: HazardWalk, call: Any) -> None:
        if len(call.args) != numbers + 1:
            walk.order(Ordering.OPAQUE, reason=f"{operator(call)} with other arguments")
            return
        values = [walk.translate(each) for each in call.args[1:]]
        walk.order(kind, *values, slot=_slot(walk, call.args[0]))

    return kept


def _opaque(walk: HazardWalk, call: Any) -> None:
    walk.order(Ordering.OPAQUE, reason=f"{operator(call)} is not understood")


def _bulk_load(walk: HazardWalk, call: Any) -> None:
    """A copy of a box or a row into shared memory, which an mbarrier counts the bytes of."""
    inside = _inside(walk, call)
    slots = [each for each in call.args if _is_slot(each)]
    if inside is None or len(slots) != 1:
        _opaque(walk, call)
        return
    target, size = inside
    tensor_map = walk.descriptors.get(str(getattr(call.args[0], "name", "")))
    size = tensor_map.box_bytes if tensor_map else size
    slot = _slot(walk, slots[0])
    far = tensor_map.buffer if tensor_map else None
    walk.touch(_ranged(walk, Mode.WRITE, Agent.BULK_LOAD, target, size, slot, far))


def _is_slot(argument: Any) -> bool:
    return class_of(argument) == "BufferLoad" and "barrier" in str(argument.buffer.scope())


def _bulk_store(walk: HazardWalk, call: Any) -> None:
    inside = _inside(walk, call)
    if inside is None:
        _opaque(walk, call)
        return
    target, size = inside
    walk.touch(_ranged(walk, Mode.READ, Agent.BULK_STORE, target, size, None, None))


def _inside(walk: HazardWalk, call: Any) -> tuple[Target, int] | None:
    """The pointer to shared memory among the arguments, and the bytes from there on."""
    for argument in call.args:
        if class_of(argument) != "Call" or operator(argument) != "tvm_access_ptr":
            continue
        target = walk.pointers.target(argument)
        if target is not None and target.memory == "shared":
            extent = argument.args[3]
            if class_of(extent) != "IntImm":
                return None
            return target, int(int(extent) * target.element_bytes)
    return None


def _ranged(
    walk: HazardWalk,
    mode: Mode,
    agent: Agent,
    target: Target,
    size: int,
    slot: SlotName | None,
    partner: str | None,
) -> Touch:
    return Touch(
        mode,
        agent,
        target.place.name,
        target.address,
        size,
        walk.line,
        max(1, int(target.element_bytes)),
        slot=slot,
        partner=partner,
    )


def _descriptor(walk: HazardWalk, call: Any) -> None:
    """A matrix descriptor begins at a pointer to shared memory."""
    target = walk.pointers.target(call.args[1])
    if target is not None and target.memory == "shared":
        walk.tensor_operands[call.args[0].buffer.data] = target


def _moved_descriptor(walk: HazardWalk, call: Any) -> None:
    """A matrix descriptor moves on by bytes."""
    variable = call.args[0].buffer.data
    target = walk.tensor_operands.get(variable)
    if target is not None:
        address = apply("add", target.address, walk.translate(call.args[1]))
        moved = Target(target.place, address, target.dtype, target.element_bytes)
        walk.tensor_operands[variable] = moved


def _tensor(walk: HazardWalk, call: Any) -> None:
    """A matrix instruction reads the operands of its descriptors.

    Which bytes follow from the layout; those of the first row of the first core matrix are read
    in any, so these alone are held against other accesses.
    """
    walk.order(Ordering.CONVERGE)
    lane = apply("floormod", name(walk.axes.thread), const(walk.axes.launch.warp))
    for place, argument in enumerate(call.args):
        target = walk.tensor_operands.get(argument) if class_of(argument) == "Var" else None
        if target is None:
            continue
        offset = apply("mul", walk.translate(call.args[place + 1]), const(_UNIT))
        touch = _ranged(
            walk,
            Mode.READ,
            Agent.TENSOR,
            Target(
                target.place,
                apply("add", target.address, offset),
                target.dtype,
                target.element_bytes,
            ),
            _UNIT,
            None,
            None,
        )
        walk.touch(_with(touch, apply("eq", lane, const(0))))


def _with(touch: Touch, condition: Node) -> Touch:
    return replace(touch, conditions=(*touch.conditions, condition))


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
        walk.touch(_ranged(walk, mode, Agent.THREAD, moved, width, None, None))


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
    "tma_load": _bulk_load,
    "tma_load_im2col": _bulk_load,
    "tma_store": _bulk_store,
    "tma_store_arrive": _ordered(Ordering.STORE_COMMIT),
    "tma_store_wait": _ordered(Ordering.STORE_WAIT),
    "initialize_wgmma_descriptor": _descriptor,
    "increase_descriptor_offset": _moved_descriptor,
    "call_extern": _extern,
    "call_pure_extern": _extern,
}
_FORMS: tuple[tuple[str, Handler], ...] = (
    (r"ptx_wgmma_", _tensor),
    (
        r"ptx_mma|tvm_mma|tvm_mfma|tvm_warp_shuffle|shfl_|warp_reduce|(any|all|ballot)_sync",
        _converge,
    ),
    (r"match_(any|all)_sync", _converge),
    (r".*tcgen05|.*cluster|.*multicast|.*2sm|tma_|ptx_cp_async_b|.*mbarrier|.*sync_grid", _opaque),
    (r"ptx_arrive_barrier|.*_bulk|.*grid_sync|atomic_barrier", _opaque),
)
