"""The memory hierarchy of an Ascend core: GM, L1, the L0 buffers and the unified buffer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from workbench.core.analysis.tile_regions import TileRegions
from workbench.core.analysis.unit_buffers import UnitBuffer
from workbench.core.doctor.values import Scope
from workbench.core.figures import size
from workbench.session.lenses.memory.blocks import shared_blocks, tensor_blocks, tensor_bytes
from workbench.session.lenses.memory.fills import memory_fill
from workbench.session.lenses.memory.flows import merged, tile_bytes
from workbench.session.lenses.memory.model import End, Fill, Flow, Lane, Level, MemoryBlock
from workbench.session.lenses.memory.source import SourceBuffer, SourceFacts, SourceMove
from workbench.session.lenses.subject import LensTarget

_LEVELS = {
    Scope.GLOBAL: Level.GM,
    Scope.L1: Level.L1,
    Scope.L0A: Level.L0,
    Scope.L0B: Level.L0,
    Scope.L0C: Level.L0,
    Scope.SHARED: Level.UB,
}
# The units of core.analysis.unit_buffers in each lane, with the names that fill bars have there.
_UNITS = {
    Level.L1: {"L1": ""},
    Level.L0: {"L0A": "L0A", "L0B": "L0B", "L0C": "L0C"},
    Level.UB: {"unified buffer": ""},
}
_OVER = "the buffers do not fit"


def unit_lanes(
    target: LensTarget, targets: Sequence[LensTarget], source: SourceFacts
) -> tuple[Lane, ...]:
    """The lanes of one target with the bars of all that have such units."""
    tensors = tensor_blocks(target, source)
    known = [each.weight for each in tensors if each.weight is not None]
    total = (str(size(sum(known))),) if len(known) == len(tensors) else ()
    memory = tuple(memory_fill(each, tensor_bytes(each, source)) for each in targets)
    return (
        Lane(Level.GM, "GM", total, tensors, memory),
        *(_lane(level, target, targets, source) for level in _UNITS),
    )


def unit_fills(target: LensTarget, level: Level) -> tuple[Fill, ...]:
    """The bars of a target's units in a lane, without those that T.gemm fills by itself."""
    units = target.kernel.unit_buffers if target.kernel is not None else None
    if units is None:
        why = target.why_missing("buffers")
        return (Fill(target.mark, target.label, None, None, why=why),)
    named = _UNITS[level]
    own = [each for each in units if each.name in named]
    used = [each for each in own if each.used_bytes or len(own) == 1]
    return tuple(_fill(target, each, named[each.name]) for each in used or own)


def unit_flows(target: LensTarget, source: SourceFacts) -> tuple[Flow, ...]:
    """What a block moves: from and to GM by its tiles, on the core by the source's operations."""
    tiles = target.kernel.tiles if target.kernel is not None else None
    outside = list(_outside(tiles, source)) if tiles is not None else []
    inside = [flow for move in source.moves for flow in _inside(move, source)]
    return merged([*outside, *inside])


def _lane(
    level: Level, target: LensTarget, targets: Sequence[LensTarget], source: SourceFacts
) -> Lane:
    declared = [b for b in source.buffers.values() if _LEVELS.get(b.scope) is level]
    if level is Level.UB:
        blocks = tuple(each for each in shared_blocks(target, source) if each.buffers)
    else:
        blocks = tuple(_block(each, target, source) for each in declared)
    fills = tuple(fill for each in targets for fill in unit_fills(each, level))
    own = [fill for fill in fills if fill.mark == target.mark and fill.used is not None]
    note = str(size(sum(fill.used or 0 for fill in own))) if own else ""
    per = "a vector core" if level is Level.UB else "a cube core"
    return Lane(level, level.value, tuple(n for n in (note, per) if n), blocks, fills)


def _block(buffer: SourceBuffer, target: LensTarget, source: SourceFacts) -> MemoryBlock:
    """A buffer with its stages, where all of its unit is what the pipelined ones double."""
    copies = _copies(buffer, target, source)
    once = buffer.size_bytes
    text = "" if once is None else f"{copies} × {size(once)}" if copies > 1 else str(size(once))
    return MemoryBlock(
        buffer.name,
        (buffer.name,),
        None if once is None else once * copies,
        text,
        buffer.dtype,
        copies,
        ((buffer.name, buffer.line),),
        f"{buffer.shape} in {buffer.scope.value}",
        "" if once is not None else "the source does not fix its shape",
    )


def _copies(buffer: SourceBuffer, target: LensTarget, source: SourceFacts) -> int:
    """The whole number that makes the unit's buffers what lowering allocates there; else 1."""
    kernel, stages = target.kernel, source.stages
    units = kernel.unit_buffers if kernel is not None else None
    used = next((u.used_bytes for u in units or () if u.name == buffer.scope.value), None)
    sizes = [b.size_bytes for b in source.buffers.values() if b.scope is buffer.scope]
    if used is None or stages is None or None in sizes:
        return 1
    return stages if used == stages * sum(n for n in sizes if n is not None) else 1


def _fill(target: LensTarget, unit: UnitBuffer, name: str) -> Fill:
    used, capacity = unit.used_bytes, unit.capacity_bytes
    limit = str(size(capacity)) if capacity is not None else ""
    why = "" if capacity is not None else "its capacity is not in the table"
    fill = Fill(target.mark, target.label, used, capacity, str(size(used)), limit, name, why=why)
    return replace(fill, severity="error", told=_OVER) if unit.fits is False else fill


def _outside(tiles: TileRegions, source: SourceFacts) -> Iterator[Flow]:
    for access in tiles.accesses:
        moved = tile_bytes(tiles, access)
        why = "" if moved is not None else access.unknown or "its size changes from turn to turn"
        tensor = End(Level.GM, access.tensor)
        names = source.read_at(access.line) if access.writes else source.written_at(access.line)
        near = _end(access.into, source) if access.into else _first(names, source)
        lines = (access.line,) if access.line is not None else ()
        if near is not None:
            ends = (near, tensor) if access.writes else (tensor, near)
            yield Flow(*ends, moved, lines, "copy", why)


def _inside(move: SourceMove, source: SourceFacts) -> Iterator[Flow]:
    """What an operation moves from one buffer of the core to another."""
    for written in move.writes:
        for read in move.reads:
            near, far = _end(read, source), _end(written, source)
            if near is None or far is None or near.level is far.level:
                continue
            if Level.GM in (near.level, far.level):
                continue
            once = move.moved.get(read)
            moved = None if once is None or move.turns is None else float(once * move.turns)
            why = "" if moved is not None else "the source does not fix how much"
            yield Flow(near, far, moved, (move.line,), move.name, why)


def _end(name: str, source: SourceFacts) -> End | None:
    scope = source.scope(name)
    return End(_LEVELS[scope], name) if scope in _LEVELS else None


def _first(names: Sequence[str], source: SourceFacts) -> End | None:
    ends = [_end(name, source) for name in names]
    return next((each for each in ends if each is not None and each.level is not Level.GM), None)
