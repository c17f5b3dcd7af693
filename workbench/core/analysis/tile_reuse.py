"""What the blocks that run at once ask the L2 for, and how much of it is the same.

Tiles are told apart by where the first one of a loop lies: blocks that begin at the same place walk
through the same tiles. Of loops that begin later or end earlier in some blocks (a causal mask, a
window) the turns that any block makes are counted once.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.index_expressions import evaluate, names
from workbench.core.analysis.rasterization import Rasterization, launch_order
from workbench.core.analysis.tile_regions import BLOCK_NAMES, TileAccess, TileLoop, TileRegions

Ints = npt.NDArray[np.int64]
SAMPLED_WAVES = 8
PANELS = (2, 3, 4, 5, 6, 8, 10, 12, 16)
_MOST_TILES = 1 << 18
_WORTH = 1.05  # a factor of reuse below which a change is not worth a line


@dataclass(frozen=True)
class TensorReuse:
    """One tensor in a wave: tiles asked for over all steps, those that differ, and their bytes.

    `first_tiles` are the different ones of the first step.
    """

    tensor: str
    reads: int
    distinct: int
    first_tiles: int
    asked_bytes: int
    distinct_bytes: int


@dataclass(frozen=True)
class Reuse:
    """What the blocks of one wave or of several read, each wave for itself."""

    tensors: tuple[TensorReuse, ...]

    @property
    def asked_bytes(self) -> int:
        """Bytes that all blocks ask for."""
        return sum(each.asked_bytes for each in self.tensors)

    @property
    def distinct_bytes(self) -> int:
        """Bytes of them that differ."""
        return sum(each.distinct_bytes for each in self.tensors)

    @property
    def factor(self) -> float | None:
        """How often each byte is asked for; None where nothing is read."""
        return self.asked_bytes / self.distinct_bytes if self.distinct_bytes else None


def wave_reuse(
    regions: TileRegions, swizzle: Rasterization | None, capacity: int, wave: int
) -> Reuse | None:
    """What the wave from `wave * capacity` on reads; None where a region read is not known."""
    blocks = regions.grid[0] * regions.grid[1] * regions.grid[2]
    numbers = np.arange(wave * capacity, min(blocks, (wave + 1) * capacity), dtype=np.int64)
    places = launch_order(regions.grid, swizzle, numbers)
    values = dict(zip(BLOCK_NAMES, places, strict=True))
    read = [access for access in regions.accesses if access.reads]
    if not read or any(access.unknown is not None for access in read):
        return None
    groups: dict[tuple[str, tuple[str, ...]], list[TileAccess]] = {}
    for access in read:
        groups.setdefault((access.tensor, access.extent), []).append(access)
    return _summed([_group(regions, group, values, len(numbers)) for group in groups.values()])


def mean_reuse(regions: TileRegions, swizzle: Rasterization | None, capacity: int) -> Reuse | None:
    """What waves spread over the whole launch read together; None where it is not known."""
    blocks = regions.grid[0] * regions.grid[1] * regions.grid[2]
    waves = -(-blocks // capacity)
    chosen = sorted({int(w) for w in np.linspace(0, waves - 1, min(waves, SAMPLED_WAVES))})
    found = [wave_reuse(regions, swizzle, capacity, wave) for wave in chosen]
    return _summed([t for each in found for t in (each.tensors if each is not None else (None,))])


def best_swizzle(
    regions: TileRegions, capacity: int, orders: Sequence[str] = ("row", "column")
) -> tuple[Rasterization, Reuse] | None:
    """The panel of T.use_swizzle with which waves read least; None where none is worth it.

    It is compared with the order that the kernel has.
    """
    present = mean_reuse(regions, regions.swizzle, capacity)
    if present is None or regions.grid[0] < 2 or regions.grid[1] < 2:
        return None
    cluster = regions.swizzle.cluster if regions.swizzle is not None else 1
    tried = [
        Rasterization(order, panel, cluster)
        for order in orders
        for panel in PANELS
        if panel % cluster == 0 and panel <= regions.grid[order == "row"]
    ]
    found = [(each, mean_reuse(regions, each, capacity)) for each in tried]
    known = [(each, reuse) for each, reuse in found if reuse is not None]
    best = min(known, key=lambda pair: pair[1].distinct_bytes, default=None)
    if best is None or best[1].distinct_bytes * _WORTH > present.distinct_bytes:
        return None
    return best


def _group(
    regions: TileRegions, group: Sequence[TileAccess], values: dict[str, Ints], count: int
) -> TensorReuse | None:
    """Accesses to tiles of one tensor and size."""
    tensor = regions.tensor(group[0].tensor)
    tile = _tile_elements(group[0], values, regions)
    size = tile * tensor.bits // 8
    even = all(_is_even(regions, access, values, count) for access in group)
    found = (_even if even else _each)(regions, group, values, count)
    if found is None:
        return None
    asked, distinct, first = found
    return TensorReuse(tensor.name, asked, distinct, first, asked * size, distinct * size)


def _is_even(regions: TileRegions, access: TileAccess, values: dict[str, Ints], count: int) -> bool:
    """Whether a turn of the loops moves the tiles of all blocks alike."""
    places = []
    for turn in (0, 1, 2):
        known = {**values, **{regions.loops[p].name: np.full(count, turn) for p in access.loops}}
        places.append(np.stack([_whole(evaluate(t, known), count) for t in access.offset]))
    moved = [later - places[0] for later in places[1:]]
    return all(bool((each == each[:, :1]).all()) for each in moved)


def _even(
    regions: TileRegions, group: Sequence[TileAccess], values: dict[str, Ints], count: int
) -> tuple[int, int, int]:
    """Tiles asked for, different ones, and different first ones, where loops move all alike."""
    parts = [_first_tiles(regions, access, values, count) for access in group]
    keys, asked, first, turns = (np.concatenate(part) for part in zip(*parts, strict=True))
    held = asked > 0
    rows, which = np.unique(keys[held], axis=0, return_inverse=True)
    distinct = _united(which.ravel(), first[held], turns[held], len(rows))
    return int(asked.sum()), distinct, len(rows)


def _first_tiles(
    regions: TileRegions, access: TileAccess, values: dict[str, Ints], count: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """By block: the tile with all loops at 0, the reads, and the turns that reach other tiles."""
    used = frozenset[str]().union(*(names(text) for text in access.offset))
    known: dict[str, Ints] = dict(values)
    asked = np.ones(count, np.int64)
    first, turns = np.zeros(count, np.int64), np.ones(count, np.int64)
    for place in access.loops:
        loop = regions.loops[place]
        start, extent = _range(loop, known, count)
        asked = asked * extent
        if loop.name in used:
            first, turns = first * np.maximum(extent, 1) + start, turns * extent
        known[loop.name] = np.zeros(count, np.int64)
    for guard in access.guards:
        asked = asked * (_whole(evaluate(guard, known), count) != 0)
    key = [_whole(evaluate(text, known), count) for text in access.offset]
    return np.stack(key, axis=1), asked, first, turns


def _united(which: Ints, first: Ints, turns: Ints, count: int) -> int:
    """The turns that any block of each group makes, counted once."""
    lowest = np.full(count, np.iinfo(np.int64).max)
    highest = np.zeros(count, np.int64)
    np.minimum.at(lowest, which, first)
    np.maximum.at(highest, which, first + turns)
    return int((highest - lowest).sum()) if count else 0


def _each(
    regions: TileRegions, group: Sequence[TileAccess], values: dict[str, Ints], count: int
) -> tuple[int, int, int] | None:
    """The same figures with every tile looked at; None where they are too many for that."""
    keys, first = [], []
    for access in group:
        known: dict[str, Ints] = dict(values)
        for place in access.loops:
            expanded = _expanded(regions.loops[place], known)
            if expanded is None:
                return None
            known = expanded
        length = len(known[BLOCK_NAMES[0]])
        held = np.ones(length, bool)
        for guard in access.guards:
            held &= _whole(evaluate(guard, known), length) != 0
        key = np.stack([_whole(evaluate(t, known), length) for t in access.offset], axis=1)
        keys.append(key[held])
        turns = [known[regions.loops[p].name] for p in access.loops]
        first.append(key[held & np.all([turn == 0 for turn in turns], axis=0)])
    every = np.concatenate(keys)
    return len(every), len(np.unique(every, axis=0)), len(np.unique(np.concatenate(first), axis=0))


def _expanded(loop: TileLoop, known: dict[str, Ints]) -> dict[str, Ints] | None:
    """The values with one entry for each turn of a loop."""
    count = len(known[BLOCK_NAMES[0]])
    start, extent = _range(loop, known, count)
    total = int(extent.sum())
    if total > _MOST_TILES:
        return None
    which = np.repeat(np.arange(count), extent)
    number = np.arange(total) - np.repeat(np.cumsum(extent) - extent, extent)
    return {**{k: v[which] for k, v in known.items()}, loop.name: start[which] + number}


def _range(loop: TileLoop, known: dict[str, Ints], count: int) -> tuple[Ints, Ints]:
    start = _whole(evaluate(loop.start, known), count)
    return start, np.maximum(_whole(evaluate(loop.extent, known), count), 0)


def _tile_elements(access: TileAccess, values: dict[str, Ints], regions: TileRegions) -> int:
    known = {name: int(value[0]) for name, value in values.items()}
    for place in access.loops:
        loop = regions.loops[place]
        known[loop.name] = int(evaluate(loop.start, known))
    return math.prod(int(evaluate(text, known)) for text in access.extent)


def _whole(value: object, count: int) -> Ints:
    return np.broadcast_to(np.asarray(value, np.int64), (count,))


def _summed(parts: Iterable[TensorReuse | None]) -> Reuse | None:
    found: dict[str, TensorReuse] = {}
    for part in parts:
        if part is None:
            return None
        known = found.get(part.tensor)
        found[part.tensor] = part if known is None else _added(known, part)
    return Reuse(tuple(found.values()))


def _added(a: TensorReuse, b: TensorReuse) -> TensorReuse:
    return TensorReuse(
        a.tensor,
        a.reads + b.reads,
        a.distinct + b.distinct,
        a.first_tiles + b.first_tiles,
        a.asked_bytes + b.asked_bytes,
        a.distinct_bytes + b.distinct_bytes,
    )
