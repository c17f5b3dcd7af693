"""Counts the tiles of one tensor that some blocks read, and how many of them differ.

Tiles are told apart by where the first one of a loop lies: blocks that begin at the same place walk
through the same tiles. Of loops that begin later or end earlier in some blocks (a causal mask, a
window) the turns that any block makes are counted once. Where turns do not move the tiles of all
blocks alike, as in a persistent kernel, every tile is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.index_expressions import evaluate, names
from workbench.core.analysis.tile_regions import BLOCK_NAMES, TileAccess, TileLoop, TileRegions

Ints = npt.NDArray[np.int64]
_MOST_TILES = 1 << 19


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


def count_tiles(
    regions: TileRegions,
    group: Sequence[TileAccess],
    even: bool,
    values: dict[str, Ints],
    count: int,
) -> TensorReuse | None:
    """Accesses to tiles of one tensor and size."""
    tensor = regions.tensor(group[0].tensor)
    tile = _tile_elements(group[0], values, regions)
    size = tile * tensor.bits // 8
    found = (_even if even else _each)(regions, group, values, count)
    if found is None:
        return None
    asked, distinct, first = found
    return TensorReuse(tensor.name, asked, distinct, first, asked * size, distinct * size)


def is_even(regions: TileRegions, access: TileAccess, values: dict[str, Ints], count: int) -> bool:
    """Whether a turn of the loops moves the tiles of all blocks alike, and none onto another's."""
    turns = {regions.loops[place].name for place in access.loops}
    known = {**values, **dict.fromkeys(turns, np.zeros(count, np.int64))}
    for offset in access.offset:
        if not names(offset) & turns:
            continue
        first = _whole(evaluate(offset, known), count)
        for turn in (1, 2):
            later = {**values, **dict.fromkeys(turns, np.full(count, turn))}
            moved = _whole(evaluate(offset, later), count) - first
            if (moved != moved[0]).any():
                return False
        if len(np.unique(first)) > 1 and _reach(regions, access, offset, values, count) > _gap(
            first
        ):
            return False
    return True


def _reach(
    regions: TileRegions, access: TileAccess, offset: str, values: dict[str, Ints], count: int
) -> int:
    """How far the last turn of all loops lies from the first, along one dimension, and one more."""
    known: dict[str, Ints] = dict(values)
    last: dict[str, Ints] = dict(values)
    for place in access.loops:
        loop = regions.loops[place]
        start, extent = _range(loop, known, count)
        known[loop.name], last[loop.name] = start, start + np.maximum(extent, 1) - 1
    way = _whole(evaluate(offset, last), count) - _whole(evaluate(offset, known), count)
    return int(np.abs(way).max()) + 1


def _gap(places: Ints) -> int:
    """The smallest way between two different places."""
    return int(np.diff(np.unique(places)).min())


def _even(
    regions: TileRegions, group: Sequence[TileAccess], values: dict[str, Ints], count: int
) -> tuple[int, int, int]:
    """Tiles asked for, different ones, and different first ones, where loops move all alike."""
    parts = [_first_tiles(regions, access, values, count) for access in group]
    keys, asked, first, turns = (np.concatenate(part) for part in zip(*parts, strict=True))
    held = asked > 0
    tiles, which = np.unique(_numbered(keys[held]), return_inverse=True)
    distinct = _united(which.ravel(), first[held], turns[held], len(tiles))
    return int(asked.sum()), distinct, len(tiles)


def _numbered(keys: Ints) -> Ints:
    """One number for each row, the same for rows that are."""
    numbers = np.zeros(len(keys), np.int64)
    for column in keys.T:
        low, high = column.min(initial=0), column.max(initial=0)
        numbers = numbers * int(high - low + 1) + (column - low)
    return numbers


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
    starts = np.concatenate(first)
    return len(every), len(np.unique(_numbered(every))), len(np.unique(_numbered(starts)))


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
