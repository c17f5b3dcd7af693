"""Puts the picture of the memory hierarchy together for one target, with the bars of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from workbench.core.figures import number, size
from workbench.core.targets.model import Vendor
from workbench.session.lenses.memory.blocks import (
    l2_blocks,
    register_blocks,
    shared_blocks,
    shared_total,
    tensor_blocks,
    tensor_bytes,
    tensor_memory_blocks,
)
from workbench.session.lenses.memory.fills import (
    Room,
    l2_fill,
    memory_fill,
    register_fill,
    shared_fill,
    tensor_fill,
    with_ghosts,
)
from workbench.session.lenses.memory.flows import flows_of
from workbench.session.lenses.memory.model import (
    Fill,
    Flow,
    Lane,
    Level,
    MemoryBlock,
    MemoryPicture,
    Strip,
)
from workbench.session.lenses.memory.source import SourceFacts, source_facts
from workbench.session.lenses.memory.strip import strip_of
from workbench.session.lenses.memory.units import unit_fills, unit_flows, unit_lanes
from workbench.session.lenses.memory.words import gpu_conclusion, unit_conclusion
from workbench.session.lenses.subject import LensSubject, LensTarget

_WARP = 32
# Architectures all of whose models have GDDR memory: NVIDIA's for graphics and for inference.
_GDDR = frozenset({"sm_75", "sm_86", "sm_89", "sm_120a"})
_FILLS: dict[Level, Callable[[LensTarget], Fill]] = {
    Level.L2: l2_fill,
    Level.SHARED: shared_fill,
    Level.REGISTERS: register_fill,
}


def memory_picture(subject: LensSubject, target: LensTarget) -> MemoryPicture | None:
    """The picture of one target; None where nothing is known of its kernel."""
    if target.kernel is None:
        return None
    source = source_facts(subject)
    if target.target.arch.vendor is Vendor.HUAWEI:
        return _of_units(subject, target, source)
    return _of_gpu(subject, target, source)


def _of_gpu(subject: LensSubject, target: LensTarget, source: SourceFacts) -> MemoryPicture:
    kernel = target.kernel
    assert kernel is not None
    warp = target.target.arch.limits.warp_size or _WARP
    flows = flows_of(kernel, source, warp)
    tensors = tensor_blocks(target, source)
    lanes = [
        _memory_lane(target, tensors),
        _l2_lane(target, l2_blocks(tensors, flows)),
        _shared_lane(target, shared_blocks(target, source), source),
        *_tensor_lane(target, tensor_memory_blocks(source)),
        _register_lane(target, register_blocks(target, source)),
    ]
    peers = [t for t in subject.targets if t.target.arch.vendor is not Vendor.HUAWEI]
    filled = tuple(_with_fills(lane, peers, subject.before, source) for lane in lanes)
    strip, gap = _strip(target, source)
    ends, told = _known_ends(flows, filled), gpu_conclusion(target)
    return MemoryPicture(filled, ends, strip, gap, told, target.mark)


def _of_units(subject: LensSubject, target: LensTarget, source: SourceFacts) -> MemoryPicture:
    peers = [t for t in subject.targets if t.target.arch.vendor is Vendor.HUAWEI]
    lanes = unit_lanes(target, peers, source)
    was = [t for t in subject.before if t.target.arch.vendor is Vendor.HUAWEI]
    haunted = tuple(
        replace(each, fills=with_ghosts(each.fills, _unit_ghosts(each, was, source)))
        for each in lanes
    )
    strip, gap = _strip(target, source)
    own = [
        replace(fill, name=fill.name or lane.title)
        for lane in lanes[1:]
        for fill in unit_fills(target, lane.level)
    ]
    flows = _known_ends(unit_flows(target, source), haunted)
    told = unit_conclusion(target, own)
    return MemoryPicture(haunted, flows, strip, gap, told, target.mark, has_threads=False)


def _unit_ghosts(lane: Lane, before: Iterable[LensTarget], source: SourceFacts) -> dict[str, Fill]:
    if lane.level is Level.GM:
        return {each.label: memory_fill(each, tensor_bytes(each, source)) for each in before}
    return {f.label + f.name: f for each in before for f in unit_fills(each, lane.level)}


def _memory_lane(target: LensTarget, tensors: tuple[MemoryBlock, ...]) -> Lane:
    title = "GDDR" if target.target.arch.name in _GDDR else "HBM"
    return Lane(Level.HBM, title, (*_total(tensors), *_dtypes(tensors)), tensors)


def _l2_lane(target: LensTarget, blocks: tuple[MemoryBlock, ...]) -> Lane:
    missing = target.kernel is None or target.kernel.global_memory is None
    gap = f"unknown: {target.why_missing('global')}" if missing else ""
    return Lane(Level.L2, "L2", (*_total(blocks), "a block"), blocks, gap=gap)


def _shared_lane(target: LensTarget, blocks: tuple[MemoryBlock, ...], source: SourceFacts) -> Lane:
    total, lifetimes = shared_total(target), target.kernel and target.kernel.lifetimes
    stages = max((each.copies for each in blocks), default=1)
    notes = [str(size(total))] if total is not None else []
    notes.append(f"{stages} stages" if stages > 1 else "a block")
    gap = "" if lifetimes else f"offsets unknown: {target.why_missing('lifetimes')}"
    title = "LDS" if target.target.arch.vendor is Vendor.AMD else "Shared"
    return Lane(Level.SHARED, title, tuple(notes), blocks, gap=gap if blocks else "")


def _tensor_lane(target: LensTarget, blocks: tuple[MemoryBlock, ...]) -> tuple[Lane, ...]:
    return (Lane(Level.TENSOR, "TMEM", _total(blocks), blocks),) if blocks else ()


def _register_lane(target: LensTarget, blocks: tuple[MemoryBlock, ...]) -> Lane:
    room = Room(target)
    registers = room.block.registers if room.block is not None else None
    if registers is None:
        held = sum(each.weight or 0 for each in blocks)
        notes = (f"{number(int(held))} a thread", "in fragments")
        return Lane(Level.REGISTERS, "Registers", notes, blocks, gap=_no_registers(target))
    taken = room.register_bytes(registers)
    notes = (f"{registers} a thread", *((f"{size(taken)} a block",) if taken is not None else ()))
    return Lane(Level.REGISTERS, "Registers", notes, blocks)


def _no_registers(target: LensTarget) -> str:
    return f"addresses and the rest are unknown: {target.why_missing('registers')}"


def _with_fills(
    lane: Lane,
    targets: Sequence[LensTarget],
    before: Sequence[LensTarget],
    source: SourceFacts,
) -> Lane:
    if lane.level is Level.TENSOR:
        known = [each.weight for each in lane.blocks if each.weight is not None]
        used = int(sum(known)) if len(known) == len(lane.blocks) else None
        return replace(lane, fills=tuple(tensor_fill(each, used) for each in targets))

    def make(each: LensTarget) -> Fill:
        if lane.level is Level.HBM:
            return memory_fill(each, tensor_bytes(each, source))
        return _FILLS[lane.level](each)

    was = {each.label: make(each) for each in before if each.kernel is not None}
    return replace(lane, fills=with_ghosts(tuple(make(each) for each in targets), was))


def _strip(target: LensTarget, source: SourceFacts) -> tuple[Strip | None, str]:
    lifetimes = target.kernel.lifetimes if target.kernel is not None else None
    if lifetimes is None:
        return None, f"When buffers are in use is unknown: {target.why_missing('lifetimes')}."
    strip = strip_of(lifetimes, source)
    return strip, "" if strip is not None else "The kernel keeps nothing in shared memory."


def _known_ends(flows: Iterable[Flow], lanes: Sequence[Lane]) -> tuple[Flow, ...]:
    """Ribbons between the lanes that there are; an end at no block of its lane is at no buffer."""
    by_level = {lane.level: lane for lane in lanes}
    found = []
    for flow in flows:
        ends = []
        for end in (flow.source, flow.target):
            lane = by_level.get(end.level)
            known = lane is not None and end.buffer is not None and lane.block_of(end.buffer)
            ends.append(end if known else replace(end, buffer=None))
        if all(end.level in by_level for end in ends):
            found.append(replace(flow, source=ends[0], target=ends[1]))
    return tuple(found)


def _total(blocks: Sequence[MemoryBlock]) -> tuple[str, ...]:
    known = [each.weight for each in blocks if each.weight is not None]
    return (str(size(sum(known))),) if blocks and len(known) == len(blocks) else ()


def _dtypes(blocks: Sequence[MemoryBlock]) -> tuple[str, ...]:
    dtypes = {each.dtype for each in blocks if each.dtype}
    return (dtypes.pop(),) if len(dtypes) == 1 else ()
