"""Detectors of right values at wrong places: transposed, shifted, of another tile, carried over."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from workbench.core.verification.matching import (
    LEAST_ELEMENTS,
    LEAST_SHARE,
    Match,
    best,
    confidence_of,
    matched,
    share_text,
)
from workbench.core.verification.observation import Array, Index, Observation, floats

_MOST_TILES = 4096
_TILES_LOOKED_AT, _PROBES, _CHECKS = 32, 12, 64
Tile = tuple[int, ...]


def transposed(seen: Observation) -> Match | None:
    """The output's last two dimensions swapped, or its memory filled as if they were."""
    if len(seen.shape) < 2 or min(seen.shape[-2:]) < 2:
        return None
    sample = seen.anywhere
    *lead, row, column = sample.at
    rows, columns = seen.shape[-2:]
    if rows == columns:
        source, says = (*lead, column, row), "got equals the transpose of what is expected in"
    else:
        flat = row * columns + column
        source = (*lead, flat % rows, flat // rows)
        says = f"memory holds the {columns} × {rows} transpose of what is expected in"
    off_diagonal = source[-1] != column
    return _from(seen, sample.at, source, f"{says} {{share}} the elements", off_diagonal)


def shifted(seen: Observation) -> Match | None:
    """Elements that belong one or two places further along a dimension or two."""
    found = []
    for shift in _shifts(len(seen.shape)):
        sample = seen.wrong_sample
        source = tuple(at + by for at, by in zip(sample.at, shift, strict=True))
        inside = np.ones(sample.size, bool)
        for at, size in zip(source, seen.shape, strict=True):
            inside &= (at >= 0) & (at < size)
        if inside.mean() < 0.5:
            continue
        found.append(_from(seen, sample.at, source, _shift_text(shift), inside))
    return best(found)


def _shifts(rank: int) -> Iterator[Tile]:
    steps = [
        tuple(step if at == axis else 0 for at in range(rank))
        for step in (1, -1, 2, -2)
        for axis in reversed(range(rank))
    ]
    yield from steps
    if rank > 1:
        for down, across in itertools.product((1, -1), repeat=2):
            yield (*[0] * (rank - 2), down, across)


def _shift_text(shift: Tile) -> str:
    parts = [_step_text(axis, by, len(shift)) for axis, by in enumerate(shift) if by]
    return f"got equals the expected element {' and '.join(parts)} in {{share}} the wrong elements"


def _step_text(axis: int, by: int, rank: int) -> str:
    names = {rank - 1: "column" if rank > 1 else "element", rank - 2: "row"}
    name = names.get(axis, f"step along dimension {axis}")
    count = f"one {name}" if abs(by) == 1 else f"{abs(by)} {name.replace('step', 'steps')}"
    plural = "s" if abs(by) > 1 and axis in names else ""
    return f"{count}{plural} {'further' if by > 0 else 'before'}"


def _from(seen: Observation, at: Index, source: Index, says: str, chosen: Array) -> Match | None:
    """Whether elements hold what is expected elsewhere."""
    got = floats(seen.got[tuple(each[chosen] for each in at)])
    wanted = floats(seen.expected[tuple(each[chosen] for each in source)])
    return matched(seen, got, wanted, says)


def carried_over(seen: Observation) -> Match | None:
    """Elements that are what is expected plus what the kernel gave a tile before."""
    tiles = set(seen.lengths) | set(seen.tile or ())
    found = []
    for axis, length in itertools.product(range(len(seen.shape)), sorted(tiles)):
        if not 4 <= length < seen.shape[axis]:
            continue
        sample = seen.wrong_sample
        inside = sample.at[axis] >= length
        if np.count_nonzero(inside) < LEAST_ELEMENTS or inside.mean() < 0.5:
            continue
        before = tuple(
            (index - length if at == axis else index)[inside] for at, index in enumerate(sample.at)
        )
        added = floats(seen.got[before])
        says = (
            f"got equals expected + the result {length} places before along dimension {axis} in "
            "{share} the wrong elements that have such a place"
        )
        wanted = sample.expected[inside] + added
        found.append(matched(seen, sample.got[inside], wanted, says, axis=axis, length=length))
    return best(found)


def other_tile(seen: Observation) -> Match | None:
    """Tiles of the output that hold the reference's values of another tile."""
    if seen.tile is None or len(seen.tile) != len(seen.shape):
        return None
    counts = tuple(size // t for size, t in zip(seen.shape, seen.tile, strict=True))
    if not 2 <= math.prod(counts) <= _MOST_TILES or math.prod(seen.tile) < LEAST_ELEMENTS:
        return None
    pairs, explained, chance = _pairs(seen, seen.tile, counts)
    if len(pairs) < 2:
        return None
    confidence = confidence_of(explained, chance)
    if confidence is None:
        return None
    (here, there) = pairs[0]
    says = (
        f"{share_text(explained)} the wrong tiles looked at hold another tile of the reference"
        f"{_relation(pairs)}: tile {_named(here)} holds tile {_named(there)}"
    )
    return Match(says, confidence, explained, len(pairs), {"tiles": pairs[:8]})


def _pairs(
    seen: Observation, tile: Tile, counts: Tile
) -> tuple[list[tuple[Tile, Tile]], float, float]:
    """Wrong tiles with the tile whose values each holds, the share found, and that by chance."""
    random = seen.random()
    inner = np.unravel_index(random.choice(math.prod(tile), _CHECKS), tile)
    wrong = _wrong_tiles(seen, tile, counts)[:_TILES_LOOKED_AT]
    got = floats(seen.got[_in_tiles(wrong, inner, tile)])
    every = np.unravel_index(np.arange(math.prod(counts)), counts)
    probes = tuple(each[:_PROBES] for each in inner)
    wanted = floats(seen.expected[_in_tiles(np.stack(every, 1), probes, tile)])
    pairs, ambiguous = [], 0
    own = floats(seen.expected[_in_tiles(wrong, inner, tile)])
    strange = seen.agrees(got, own).mean(1) < 0.5
    wrong, got = wrong[strange], got[strange]
    for here, values in zip(wrong, got, strict=True):
        near = np.flatnonzero(seen.agrees(values[None, :_PROBES], wanted).all(1))
        whole = floats(seen.expected[_in_tiles(np.stack(every, 1)[near], inner, tile)])
        near = near[seen.agrees(values[None], whole).mean(1) > LEAST_SHARE]
        ambiguous += len(near) > 1
        if len(near):
            there = tuple(int(each[near[0]]) for each in every)
            pairs.append((tuple(int(i) for i in here), there))
    return pairs, len(pairs) / max(1, len(wrong)), ambiguous / max(1, len(pairs))


def _wrong_tiles(seen: Observation, tile: Tile, counts: Tile) -> Array:
    """Whole tiles with wrong elements in the sample, in random order: a row of numbers each."""
    places = np.stack([at // t for at, t in zip(seen.wrong_sample.at, tile, strict=True)], 1)
    whole = (places < np.array(counts)).all(1)
    found = np.unique(places[whole], axis=0)
    return np.asarray(seen.random().permutation(found, axis=0))


def _in_tiles(tiles: Array, inner: Index, tile: Tile) -> Index:
    """Index arrays for the same places inside each of several tiles."""
    return tuple(
        tiles[:, axis, None] * length + inner[axis][None, :] for axis, length in enumerate(tile)
    )


def _relation(pairs: list[tuple[Tile, Tile]]) -> str:
    """What holds for all pairs: one source, row and column swapped, or one distance."""
    if len({there for _, there in pairs}) == 1:
        return ", always the same"
    if len(pairs[0][0]) > 1 and all(there == (*here[:-2], *here[:-3:-1]) for here, there in pairs):
        return ", the one with row and column swapped"
    steps = Counter(tuple(t - h for h, t in zip(*pair, strict=True)) for pair in pairs)
    step, count = steps.most_common(1)[0]
    if count == len(pairs):
        return f", {_named(step)} further"
    if {(there, here) for here, there in pairs} & set(pairs):
        return ", in pairs that are swapped"
    return ""


def _named(tile: Tile) -> str:
    return f"({', '.join(map(str, tile))})" if len(tile) > 1 else str(tile[0])
