"""Reads off lowered code which elements of a shared tile each lane accesses, and step by step."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from tvm import DataType

from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.layout_maps import LayoutMap
from workbench.core.analysis.layout_words import swizzle_of
from workbench.core.analysis.lifetimes import Lifetime
from workbench.core.analysis.shared_sites import SharedSite
from workbench.core.analysis.shared_tiles import (
    LaneElements,
    LaneStep,
    SharedTile,
    SharedTiles,
    TileSite,
)
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.accesses import DeviceAccesses
from workbench.engine.analysis.copy_lines import Pair, line_of
from workbench.engine.analysis.expressions import (
    Node,
    UnknownValueError,
    apply,
    evaluate,
    name,
)
from workbench.engine.analysis.space import Patterns, extent_bound, lane_patterns, sorted_axes

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_ROW = 256  # bytes after which banks repeat, of up to 64 banks
_MOST_PATTERNS = 128
_MOST_TURNS, _MOST_WARPS = 8, 4
_ANOTHER_PLACE = "where the buffer begins in shared memory is known at the launch only"
_ANOTHER_SHAPE = "where its elements lie is not known row by row"


def shared_tiles(
    found: DeviceAccesses,
    report: Sequence[SharedSite],
    buffers: Sequence[Lifetime],
    layouts: Sequence[BufferLayout],
    copies: Mapping[Pair, int],
) -> SharedTiles:
    """The tiles and sites of one kernel.

    `report` are the sites of the same accesses, which tell where patterns are of use: at buffers
    with conflicts.
    """
    by_name = {each.name: each.map for each in layouts}
    readers = {each.name: _Reader(each, by_name.get(each.name)) for each in buffers}
    wanted = {site.buffer for site in report if site.conflicts}
    own = [access for access in found.accesses if access.memory == "shared"]
    sites = [_site(found, access, readers, wanted, line_of(access, copies)) for access in own]
    known = (reader.tile for reader in readers.values())
    return SharedTiles(tuple(tile for tile in known if tile is not None), tuple(sites))


class _Reader:
    """Tells of addresses in a buffer which elements of its tile they are."""

    def __init__(self, buffer: Lifetime, layout: LayoutMap | None) -> None:
        self.lacks: str | None = None
        self.tile: SharedTile | None = None
        bits = DataType(buffer.dtype).bits
        if buffer.offset is None:
            self.lacks = _ANOTHER_PLACE
        elif layout is None or bits % 8 or buffer.size_bytes * 8 < bits:
            self.lacks = _ANOTHER_SHAPE
        else:
            self._read(buffer, layout, bits // 8, buffer.offset)

    def _read(self, buffer: Lifetime, layout: LayoutMap, element_bytes: int, offset: int) -> None:
        places, (rows, columns) = layout.places(), layout.tile
        count = rows * columns
        copies, rest = divmod(buffer.size_bytes, count * element_bytes)
        if rest or places.max() >= count or len(np.unique(places)) != count:
            self.lacks = _ANOTHER_SHAPE
            return
        self._elements = np.empty(count, np.int64)
        self._elements[places.ravel()] = np.arange(count)
        swizzle = swizzle_of(places, element_bytes)
        self.tile = SharedTile(buffer.name, rows, columns, element_bytes, copies, offset, swizzle)

    @property
    def copy_bytes(self) -> int:
        """Bytes of one copy of the tile."""
        assert self.tile is not None
        return len(self._elements) * self.tile.element_bytes

    def elements(self, addresses: Ints) -> Ints:
        """The elements at addresses."""
        assert self.tile is not None
        inside = (addresses - self.tile.base_bytes) % self.copy_bytes
        return np.where(addresses >= 0, self._elements[inside // self.tile.element_bytes], -1)


def _site(
    found: DeviceAccesses,
    access: Access,
    readers: Mapping[str, _Reader],
    wanted: Collection[str | None],
    line: int | None,
) -> TileSite:
    def site(**fields: Any) -> TileSite:
        return TileSite(
            line, access.kind, access.operation, access.buffer or None, access.width_bytes,
            access.matrices, access.counts, **fields,
        )  # fmt: skip

    if access.unknown is not None or access.address is None:
        return site(lacks=access.unknown)
    try:
        steps, reader = tuple(_steps(found, access)), readers.get(access.buffer)
        if access.buffer not in wanted:
            return site(steps=steps)
        if reader is None or reader.tile is None:
            return site(steps=steps, lacks=_ANOTHER_PLACE if reader is None else reader.lacks)
        named = tuple(_with_elements(step, reader) for step in steps)
        return site(steps=named, **_patterns(found, access, reader))
    except UnknownValueError as error:
        return site(lacks=str(error))


def _with_elements(step: LaneStep, reader: _Reader) -> LaneStep:
    return replace(step, elements=tuple(reader.elements(np.array(step.addresses)).tolist()))


def _patterns(found: DeviceAccesses, access: Access, reader: _Reader) -> dict[str, Any]:
    """The elements of all instructions."""
    assert access.address is not None
    made = lane_patterns(
        found.axes,
        access.address,
        access.loops,
        access.conditions,
        partner=access.partner,
        filled=access.filled,
        modulus=math.lcm(_ROW, reader.copy_bytes),
    )
    kept, sampled = _most_frequent(reader.elements(made.addresses), made)
    return {"patterns": kept, "sampled": sampled}


def _most_frequent(elements: Ints, made: Patterns) -> tuple[tuple[LaneElements, ...], bool]:
    """Patterns that differ, evenly thinned where there are very many."""
    far = None if made.partner is None else made.partner % _ROW
    table = elements if far is None else np.concatenate((elements, far), axis=1)
    rows, which = np.unique(table, axis=0, return_inverse=True)
    weights = np.bincount(which.ravel(), weights=made.weights, minlength=len(rows))
    chosen = np.arange(len(rows))
    if len(rows) > _MOST_PATTERNS:
        chosen = np.linspace(0, len(rows) - 1, _MOST_PATTERNS).astype(int)
    scale = weights.sum() / max(1.0, weights[chosen].sum())
    lanes = elements.shape[1]
    kept = tuple(
        LaneElements(
            tuple(rows[n, :lanes].tolist()),
            _count(weights[n] * scale),
            tuple(rows[n, lanes:].tolist()) if far is not None else None,
        )
        for n in chosen
    )
    return kept, made.sampled or len(chosen) < len(rows)


def _count(weight: float) -> int | float:
    return int(weight) if weight == int(weight) else float(weight)


def _steps(found: DeviceAccesses, access: Access) -> Iterator[LaneStep]:
    """What the first warps of the first block do at the first turns."""
    nodes = [access.address, access.partner, *access.conditions]
    used = frozenset[Any]().union(*(node.axes for node in nodes if node is not None))
    loops = [axis for axis in sorted_axes(access.loops) if axis in used]
    spans = (range(min(extent_bound(axis), _MOST_TURNS)) for axis in loops)
    turns = list(itertools.islice(itertools.product(*spans), _MOST_TURNS))
    columns = np.array(turns, np.int64).reshape(len(turns), len(loops))
    lanes = np.asarray(found.axes.lanes())[None, :]
    values: Any = dict.fromkeys(found.axes.grid.values(), 0)
    values |= {axis: columns[:, place, None] for place, axis in enumerate(loops)}
    values[found.axes.thread] = lanes
    made = _addresses(found, access, values, (len(turns), lanes.shape[1]))
    for place, turn in enumerate(turns):
        labels = tuple((axis.name, value) for axis, value in zip(loops, turn, strict=True))
        alive = np.flatnonzero((made[0][place] >= 0).any(axis=1))[:_MOST_WARPS].tolist()
        for warp in alive:
            rows = [tuple(table[place, warp].tolist()) for table in made]
            yield LaneStep(warp, labels, rows[0], rows[1] if len(rows) > 1 else None)


def _addresses(
    found: DeviceAccesses, access: Access, values: Any, shape: tuple[int, int]
) -> list[Ints]:
    """Turns x warps x lanes: the addresses, and those of the other side where there is one."""
    bounds = [apply("lt", name(axis), axis.extent) for axis in access.loops if axis in values]
    inside = np.asarray(found.axes.lanes())[None, :] < found.axes.launch.threads
    active = _where([*access.conditions, *bounds], np.broadcast_to(inside, shape), values)
    roots = [(access.address, active)]
    if access.partner is not None:
        roots.append((access.partner, _where(access.filled, active, values)))
    made = []
    for place, (root, mask) in enumerate(roots):
        assert root is not None
        full = np.broadcast_to(np.asarray(evaluate(root, values, {}), np.int64), shape)
        rows = full % _ROW if place else full
        made.append(np.where(mask, rows, -1).reshape(shape[0], -1, found.axes.launch.warp))
    return made


def _where(conditions: Iterable[Node], mask: Bools, values: Any) -> Bools:
    for condition in conditions:
        mask = mask & (np.asarray(evaluate(condition, values, {})) != 0)
    return mask
