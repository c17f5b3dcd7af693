"""What each tile operation of a document became, by the lowered IR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from workbench.core.analysis.choices import why_no_warpgroup_gemm, why_plain_copy
from workbench.core.analysis.operations import Operation
from workbench.core.targets.model import Target, Vendor
from workbench.engine.analysis.copy_lines import Pair
from workbench.engine.analysis.instructions import DeviceCode, Instruction
from workbench.engine.analysis.lifetimes import line_of
from workbench.engine.analysis.tile_operations import TileOperation

_MOVES = ("tma", "cp.async", "ldmatrix", "stmatrix", "tensor memory", "ascend copy", "matrix move")
_WARPGROUP = ("wgmma", "tcgen05")
_PLAIN = ("load", "store")


def operations_of(
    tiles: Sequence[TileOperation],
    code: DeviceCode,
    copies: Mapping[Pair, int],
    target: Target,
    alone: bool = True,
) -> tuple[Operation, ...]:
    """Each tile operation with the instructions of its line, one entry for each kind of them.

    Where the function is not `alone`, those without an instruction are another function's.
    """
    by_line: dict[int | None, list[Instruction]] = {}
    for each in code.instructions:
        by_line.setdefault(line_of(each, copies), []).append(each)
    found: dict[tuple[int | None, str, str | None], Operation] = {}
    for tile in tiles:
        own = [each for line in sorted(tile.lines) for each in by_line.get(line, [])]
        single = sum(bool(other.lines & tile.lines) for other in tiles) == 1
        own = own if single or tile.inner else _touching(own, tile)
        for operation in _became(tile, own, target):
            found.setdefault((operation.line, operation.op, operation.instruction), operation)
    return tuple(each for each in found.values() if alone or each.instruction is not None)


def _touching(own: list[Instruction], tile: TileOperation) -> list[Instruction]:
    """The instructions of a line of several operations that use this one's buffers."""
    names = {*tile.reads, *tile.writes}
    return [each for each in own if names & {place.name.split("#")[0] for place in each.places}]


def _became(
    tile: TileOperation, own: Sequence[Instruction], target: Target
) -> tuple[Operation, ...]:
    rows = _ROWS[tile.kind](tile, own)
    if not rows:
        note = "no instruction of the lowered code carries its line"
        return (_operation(tile, None, None, note),)
    reason = _reason(tile, own, rows, target)
    return (rows[0] if reason is None else replace(rows[0], note=reason), *rows[1:])


def _operation(
    tile: TileOperation, instruction: str | None, width: int | None, note: str | None = None
) -> Operation:
    buffers = tuple(dict.fromkeys((*tile.reads, *tile.writes)))
    return Operation(tile.line, tile.kind, tile.text, instruction, width, note, buffers)


def _distinct(
    tile: TileOperation, own: Sequence[Instruction], forms: Sequence[str]
) -> list[Operation]:
    """An entry for each different instruction of some forms, in the order of the code."""
    found = {
        (each.found.text, each.found.width_bytes): each.found
        for each in own
        if each.found.form in forms
    }
    return [_operation(tile, f.text, f.width_bytes, f.note) for f in found.values()]


def _copy_rows(tile: TileOperation, own: Sequence[Instruction]) -> list[Operation]:
    return _distinct(tile, own, _MOVES) or _plain_rows(tile, own)


def _plain_rows(tile: TileOperation, own: Sequence[Instruction]) -> list[Operation]:
    """Loads and stores of memory with their widths, else of registers."""
    parts: dict[tuple[str, str], set[int]] = {}
    for each in own:
        if each.found.form in _PLAIN and each.places and each.found.width_bytes:
            memory = each.places[0].memory
            if memory in ("global", "shared"):
                parts.setdefault((each.found.form, memory), set()).add(each.found.width_bytes)
    if not parts:
        return _register_rows(tile, own)
    texts = [f"{form} {_widths(w)} {_TO[form]} {memory}" for (form, memory), w in parts.items()]
    return [_operation(tile, ", ".join(texts), min(min(w) for w in parts.values()))]


_TO = {"load": "from", "store": "to"}


def _widths(widths: set[int]) -> str:
    return " and ".join(f"{width} B" for width in sorted(widths, reverse=True))


def _register_rows(tile: TileOperation, own: Sequence[Instruction]) -> list[Operation]:
    widths = [e.found.width_bytes for e in own if e.found.form in _PLAIN and e.found.width_bytes]
    if not widths:
        return []
    return [_operation(tile, f"registers, vectors of {max(widths)} B", max(widths))]


def _gemm_rows(tile: TileOperation, own: Sequence[Instruction]) -> list[Operation]:
    """The matrix instructions first, then what brings the operands."""
    products = _distinct(tile, own, ("mma",))
    feeds = _distinct(tile, own, _MOVES) or (
        [] if any(_is_warpgroup(row) for row in products) else _loads(tile, own)
    )
    return [*(products or _plain_rows(tile, own)), *(feeds if products else ())]


def _loads(tile: TileOperation, own: Sequence[Instruction]) -> list[Operation]:
    loads = [e for e in own if e.found.form == "load" and e.places[0].memory == "shared"]
    return _plain_rows(tile, loads) if loads else []


def _is_warpgroup(row: Operation) -> bool:
    return row.instruction is not None and row.instruction.startswith(_WARPGROUP)


def _reduce_rows(tile: TileOperation, own: Sequence[Instruction]) -> list[Operation]:
    rows = _distinct(tile, own, ("reduce", "extern"))
    if not rows and own:
        return [_operation(tile, "within each thread", None)]
    return rows


def _parallel_rows(tile: TileOperation, own: Sequence[Instruction]) -> list[Operation]:
    return [*_distinct(tile, own, (*_MOVES, "atomic")), *_plain_rows(tile, own)]


def _atomic_rows(tile: TileOperation, own: Sequence[Instruction]) -> list[Operation]:
    return _distinct(tile, own, ("atomic", "extern", "tma"))


_ROWS: dict[str, Callable[[TileOperation, Sequence[Instruction]], list[Operation]]] = {
    "copy": _copy_rows,
    "gemm": _gemm_rows,
    "reduce": _reduce_rows,
    "parallel": _parallel_rows,
    "fill": _plain_rows,
    "element": _plain_rows,
    "atomic": _atomic_rows,
}


def _reason(
    tile: TileOperation, own: Sequence[Instruction], rows: Sequence[Operation], target: Target
) -> str | None:
    """Why the operation did not become a better instruction."""
    if target.arch.vendor is not Vendor.NVIDIA:
        return None
    if tile.gemm is not None:
        return None if _is_warpgroup(rows[0]) else why_no_warpgroup_gemm(tile.gemm, target)
    if tile.copy is None or not (tile.to_shared or tile.from_shared):
        return None
    forms = {each.found.form for each in own}
    if "tma" in forms:
        return None
    shape = replace(tile.copy, width_bytes=rows[0].bytes)
    return why_plain_copy(shape, target, is_async="cp.async" in forms)
