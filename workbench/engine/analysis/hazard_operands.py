"""Operands of asynchronous units in the lowered IR: copies by the TMA, and what wgmma reads.

Sources: TileLang 0.1.15, tl_templates/cuda/copy_sm90.h, and the PTX ISA 9.0: cp.async.bulk, wgmma.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from workbench.core.analysis.hazards import Agent, Mode
from workbench.engine.analysis.expressions import Node, apply, const, name, unknown
from workbench.engine.analysis.hazard_program import Ordering, SlotName, Touch
from workbench.engine.analysis.pointers import Target
from workbench.engine.analysis.translation import class_of, operator

if TYPE_CHECKING:
    from workbench.engine.analysis.hazard_walk import HazardWalk

_UNIT = 16  # bytes that a step of a matrix descriptor's address is


def slot_name(walk: HazardWalk, argument: Any) -> SlotName:
    """The mbarrier that an argument names; unknown where it is no element of a block's buffer."""
    if class_of(argument) != "BufferLoad" or len(argument.indices) != 1:
        return SlotName("?", unknown("an mbarrier that is not an element of a buffer"))
    if str(argument.buffer.scope()) != "shared.barrier":
        return SlotName("?", unknown("a barrier of a cluster"))
    return SlotName(str(argument.buffer.data.name), walk.translate(argument.indices[0]))


def opaque(walk: HazardWalk, call: Any) -> None:
    """A call after which nothing can be told of the order."""
    walk.order(Ordering.OPAQUE, reason=f"{operator(call)} is not understood")


def bulk_load(walk: HazardWalk, call: Any) -> None:
    """A copy of a box or a row into shared memory, which an mbarrier counts the bytes of."""
    inside = _inside(walk, call)
    slots = [each for each in call.args if _is_slot(each)]
    if inside is None or len(slots) != 1:
        opaque(walk, call)
        return
    target, size = inside
    tensor_map = walk.descriptors.get(str(getattr(call.args[0], "name", "")))
    size = tensor_map.box_bytes if tensor_map else size
    slot = slot_name(walk, slots[0])
    far = tensor_map.buffer if tensor_map else None
    walk.touch(ranged(walk, Mode.WRITE, Agent.BULK_LOAD, target, size, slot, far))


def _is_slot(argument: Any) -> bool:
    return class_of(argument) == "BufferLoad" and "barrier" in str(argument.buffer.scope())


def bulk_store(walk: HazardWalk, call: Any) -> None:
    """A copy of a box or a row out of shared memory, which goes on while the thread does."""
    inside = _inside(walk, call)
    if inside is None:
        opaque(walk, call)
        return
    target, size = inside
    walk.touch(ranged(walk, Mode.READ, Agent.BULK_STORE, target, size, None, None))


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


def ranged(
    walk: HazardWalk,
    mode: Mode,
    agent: Agent,
    target: Target,
    size: int,
    slot: SlotName | None,
    partner: str | None,
) -> Touch:
    """An access to the bytes from a pointer on."""
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


def descriptor(walk: HazardWalk, call: Any) -> None:
    """A matrix descriptor begins at a pointer to shared memory."""
    target = walk.pointers.target(call.args[1])
    if target is not None and target.memory == "shared":
        walk.tensor_operands[call.args[0].buffer.data] = target


def moved_descriptor(walk: HazardWalk, call: Any) -> None:
    """A matrix descriptor moves on by bytes."""
    variable = call.args[0].buffer.data
    target = walk.tensor_operands.get(variable)
    if target is not None:
        address = apply("add", target.address, walk.translate(call.args[1]))
        moved = Target(target.place, address, target.dtype, target.element_bytes)
        walk.tensor_operands[variable] = moved


def tensor(walk: HazardWalk, call: Any) -> None:
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
        touch = ranged(
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
