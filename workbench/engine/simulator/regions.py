"""Tile regions: the rectangle of a buffer that a tile operation reads or writes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime
from workbench.engine.simulator.tile_arguments import Region, find_region
from workbench.engine.simulator.tir import static_int
from workbench.engine.simulator.translator import Place, Translator

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Tile:
    """A region in the program: the code of a view, valid where all of `checks` hold.

    `starts` and `extents` are the codes for the general case, `shape` that of the view's shape.
    """

    region: Region
    place: Place
    code: str
    checks: tuple[str, ...]
    starts: str
    extents: str
    shape: str


def region_of(t: Translator, node: Any) -> Region:
    """Return the region that an argument names."""
    found = find_region(node)
    if found is None:
        raise t.unsupported(f"a tile given as {node}")
    return found


def tile(t: Translator, region: Region, reads: bool = False, writes: bool = False) -> Tile:
    """Return the whole region, a dimension for each of the buffer's."""
    return _tile(t, region, reads, writes, frozenset())


def squeezed_tile(t: Translator, region: Region, reads: bool = False, writes: bool = False) -> Tile:
    """Return the region without its dimensions of extent 1."""
    units = frozenset(at for at, size in enumerate(region.extents) if static_int(size) == 1)
    return _tile(t, region, reads, writes, units)


def matrix_tile(t: Translator, region: Region, reads: bool = False, writes: bool = False) -> Tile:
    """Return the last two dimensions of a region whose others have extent 1."""
    leading = range(len(region.extents) - 2)
    if any(static_int(region.extents[at]) != 1 for at in leading):
        raise t.unsupported(f"a tile of {region.buffer.name} with more than two dimensions")
    return _tile(t, region, reads, writes, frozenset(leading))


def _tile(
    t: Translator, region: Region, reads: bool, writes: bool, dropped: frozenset[int]
) -> Tile:
    place = t.place(region.buffer)
    if place.leading:
        raise t.unsupported(f"tile operation on the per-thread buffer {place.label}")
    _touch(t, place, reads, writes)
    starts = [t.scalar(start) for start in region.starts]
    extents = [t.scalar(extent) for extent in region.extents]
    parts, checks = [], []
    for at, start in enumerate(starts):
        if not start.isdigit() and not start.isidentifier():
            starts[at] = t.emitter.assign(start, "at")
        parts.append(starts[at] if at in dropped else _part(t, region, at, starts[at], extents[at]))
        if not _fits(t, region, place, at):
            checks.append(_check(t, place, at, starts[at], extents[at]))
    whole = all(part == ":" for part in parts)
    if writes:
        t.record(place, "record_tile", lambda: f"{_tuple(starts)}, {_tuple(extents)}")
    found = Tile(
        region,
        place,
        place.name if whole else f"{place.name}[{', '.join(parts)}]",
        tuple(checks),
        _tuple(starts),
        _tuple(extents),
        _tuple([extent for at, extent in enumerate(extents) if at not in dropped]),
    )
    t.checks.tile(t, found, reads, writes)
    return found


def _touch(t: Translator, place: Place, reads: bool, writes: bool) -> None:
    if reads:
        t.touches.reads.add(place.data)
    if writes:
        t.touches.writes.add(place.data)


def _part(t: Translator, region: Region, at: int, start: str, extent: str) -> str:
    if start == "0" and extent == t.scalar(region.buffer.shape[at]):
        return ":"
    if start.isdigit() and extent.isdigit():
        return f"{start}:{int(start) + int(extent)}"
    return f"{start}:{start} + {extent}"


def _fits(t: Translator, region: Region, place: Place, at: int) -> bool:
    size, extent = static_int(place.shape[at]), static_int(region.extents[at])
    bounds = t.bounds(region.starts[at]) if not isinstance(region.starts[at], int) else None
    if size is None or extent is None or bounds is None:
        same = t.scalar(place.shape[at]) == t.scalar(region.extents[at])
        return same and t.scalar(region.starts[at]) == "0"
    return bounds[0] >= 0 and bounds[1] + extent <= size


def _check(t: Translator, place: Place, at: int, start: str, extent: str) -> str:
    size = t.scalar(place.shape[at])
    if size.isdigit() and extent.isdigit():
        return f"0 <= {start} <= {int(size) - int(extent)}"
    return f"0 <= {start} <= {size} - {extent}"


def in_block(t: Translator, source: Tile, rank: int) -> Tile:
    """Return the tile at the same place of another block of the cluster."""
    slot = t.memory_slots.get(source.place.name)
    if slot is None or source.checks:
        raise t.unsupported(f"{source.place.label} of another block of the cluster")
    rest = source.code.removeprefix(source.place.name)
    return replace(source, code=f"role.peer({rank}, {slot}){rest}")


def _tuple(codes: list[str]) -> str:
    return "(" + "".join(f"{code}, " for code in codes) + ")"


def loaded(t: Translator, source: Tile) -> str:
    """Return code for a region's elements; outside the buffer they are 0 (or its safe value)."""
    if not source.checks:
        return source.code
    general = (
        f"read_tile(rt, {source.place.name}, {source.starts}, {source.extents},"
        f" {t.site(source.place)}{t.fill_argument(source.place)})"
    )
    if source.shape != source.extents:
        general += f".reshape({source.shape})"
    return f"({source.code} if {' and '.join(source.checks)} else {general})"


def emit_store(t: Translator, target: Tile, code: str) -> None:
    """Emit a write of a tile (an expression of the region's shape), clipped to the buffer."""
    if not target.checks:
        t.emitter.line(f"{_slot(target.code)} = {code}")
        return
    value = t.emitter.assign(code, "tile")
    with t.emitter.suite(f"if {' and '.join(target.checks)}:"):
        t.emitter.line(f"{_slot(target.code)} = {value}")
    with t.emitter.suite("else:"):
        t.emitter.line(
            f"write_tile(rt, {target.place.name}, {target.starts}, {target.extents},"
            f" {value}, {t.site(target.place)})"
        )


def _slot(code: str) -> str:
    return code if code.endswith("]") else f"{code}[...]"


def clipped(
    array: Array, starts: tuple[int, ...], extents: tuple[int, ...]
) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Return the part of a region that lies inside an array: slices of the array and the tile."""
    inner, outer = [], []
    for start, extent, size in zip(starts, extents, array.shape, strict=True):
        low = min(max(start, 0), size)
        high = max(min(start + extent, size), low)
        inner.append(slice(low, high))
        outer.append(slice(low - start, high - start) if high > low else slice(0, 0))
    return tuple(inner), tuple(outer)


def describe(array: Array, starts: tuple[int, ...], extents: tuple[int, ...]) -> str:
    """Say which rectangle reaches over which shape."""
    ranges = ", ".join(f"{s}:{s + e}" for s, e in zip(starts, extents, strict=True))
    return f"the tile [{ranges}] reaches over the shape {array.shape}"


def _note_partial(
    rt: Runtime, site: int, verb: str, array: Array, starts: tuple[int, ...], extents: Any
) -> None:
    spans = zip(starts, extents, array.shape, strict=True)
    is_outside = any(start >= size or start + extent <= 0 for start, extent, size in spans)
    rt.note_partial(site, verb, lambda: describe(array, starts, extents), starts, is_outside)


@helper
def read_tile(
    rt: Runtime,
    array: Array,
    starts: tuple[int, ...],
    extents: tuple[int, ...],
    site: int,
    fill: Any = 0,
) -> Array:
    """Return a region that may reach over the array's end, `fill` outside."""
    result = np.full(extents, fill, array.dtype)
    inner, outer = clipped(array, starts, extents)
    _note_partial(rt, site, "read", array, starts, extents)
    result[outer] = array[inner]
    return result


@helper
def write_tile(
    rt: Runtime,
    array: Array,
    starts: tuple[int, ...],
    extents: tuple[int, ...],
    value: Any,
    site: int,
) -> None:
    """Write the part of a tile that lies inside the array."""
    inner, outer = clipped(array, starts, extents)
    _note_partial(rt, site, "write", array, starts, extents)
    whole = np.reshape(value, extents) if np.size(value) > 1 else value
    array[inner] = np.broadcast_to(whole, extents)[outer]
