"""Detectors of where wrong elements lie, whatever their values: tails, bands of rows, diagonals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from workbench.core.verification.matching import LIKELY, POSSIBLE, STRONG, Match
from workbench.core.verification.observation import Array, Observation

_LEAST_WRONG = 16
_LEAST_TILE = 8
_PARTS = (2, 4, 8, 16)


def only_tails(seen: Observation) -> Match | None:
    """All wrong elements lie in the last, partial tile of a dimension."""
    if seen.wrong_count < 2:
        return None
    for lengths in _tilings(seen):
        starts = [size - size % t for size, t in zip(seen.shape, lengths, strict=True)]
        ragged = [d for d, start in enumerate(starts) if 0 < start < seen.shape[d]]
        for axes in [*([d] for d in ragged), ragged]:
            if axes and not seen.wrong[_before(starts, axes)].any():
                return _tail_match(seen, lengths, starts, axes)
    return None


def _tilings(seen: Observation) -> Iterator[tuple[int, ...]]:
    """The blocks' tile, else each length among the arguments along one dimension."""
    if seen.tile is not None:
        yield seen.tile
        return
    for axis, size in enumerate(seen.shape):
        for length in seen.lengths:
            if _LEAST_TILE <= length < size:
                yield tuple(length if d == axis else s for d, s in enumerate(seen.shape))


def _before(starts: list[int], axes: list[int]) -> tuple[slice, ...]:
    """What lies before the tails of all of these dimensions."""
    return tuple(slice(0, at if d in axes else None) for d, at in enumerate(starts))


def _tail_match(
    seen: Observation, lengths: tuple[int, ...], starts: list[int], axes: list[int]
) -> Match:
    parts = [
        f"the last {seen.shape[d] - starts[d]:,} {_noun(seen, d)}s, which do not fill a tile of "
        f"{lengths[d]:,}"
        for d in axes
    ]
    says = f"all wrong elements lie in {' or '.join(parts)}"
    evidence = {"axes": axes, "tile": list(lengths)}
    return Match(says, STRONG if seen.tile else LIKELY, 1.0, seen.wrong_count, evidence)


def bands(seen: Observation) -> Match | None:
    """Wrong elements lie in the same rows, or columns, of every tile."""
    if seen.wrong_count < _LEAST_WRONG:
        return None
    lengths = seen.tile if seen.tile is not None else seen.shape
    for axis, length in enumerate(lengths):
        if length < _LEAST_TILE:
            continue
        counts = _counts_along(seen, axis)
        within = np.zeros(-(-len(counts) // length) * length, np.int64)
        within[: len(counts)] = counts
        tiles = within.reshape(-1, length)
        says = _band_text(tiles.sum(0), _noun(seen, axis), "of a block's tile")
        if says is not None and (np.count_nonzero(tiles.sum(1)) > 1 or "of every" in says):
            return Match(says, POSSIBLE, 1.0, seen.wrong_count, {"axis": axis, "tile": length})
    return None


def _counts_along(seen: Observation, axis: int) -> Array:
    others = tuple(d for d in range(len(seen.shape)) if d != axis)
    return np.asarray(np.count_nonzero(seen.wrong, axis=others) if others else seen.wrong)


def _band_text(counts: Array, noun: str, of: str) -> str | None:
    """Where counts are: one stretch that divides the length, or every n-th place."""
    length = len(counts)
    places = np.flatnonzero(counts)
    if not 0 < len(places) <= length // 2:
        return None
    first, last = int(places[0]), int(places[-1])
    for parts in reversed(_PARTS):
        part = length // parts
        owned = first // part if part >= _LEAST_TILE and length % parts == 0 else None
        if owned is not None and owned == last // part and 2 * len(places) > part:
            text = f"all wrong elements lie in {noun}s {owned * part}–{(owned + 1) * part - 1}"
            return f"{text} {of}, part {owned + 1} of {parts}"
    for step in _PARTS:
        left = np.unique(places % step)
        if length >= 4 * step and len(left) == 1 and len(places) >= length // (2 * step):
            return f"all wrong elements lie in {noun}s {int(left[0])} of every {step}"
    return None


def diagonal(seen: Observation) -> Match | None:
    """Wrong elements lie on one diagonal, or on one side of it, of the last two dimensions."""
    if len(seen.shape) < 2 or min(seen.shape[-2:]) < _LEAST_TILE or seen.wrong_count < _LEAST_TILE:
        return None
    row, column = seen.wrong_sample.at[-2:]
    distance = column - row
    on = int(np.median(distance))
    if (distance == on).all() and abs(on) <= 2 and len(np.unique(row)) >= _LEAST_TILE:
        says = f"all wrong elements lie on the diagonal{_beside(on)}"
        return Match(says, LIKELY, 1.0, distance.size, {"column_minus_row": on})
    for side, inside in (("above", distance > 0), ("below", distance < 0)):
        if inside.all() and _fills_triangle(seen, side):
            says = f"all wrong elements lie {side} the diagonal, and most there are wrong"
            return Match(says, LIKELY, 1.0, distance.size, {"side": side})
    return None


def _beside(distance: int) -> str:
    if distance == 0:
        return ""
    side = "above" if distance > 0 else "below"
    return f" {'one' if abs(distance) == 1 else 'two'} {side} the main one"


def _fills_triangle(seen: Observation, side: str) -> bool:
    row, column = seen.anywhere.at[-2:]
    there = (column > row) if side == "above" else (column < row)
    wrong = seen.wrong[tuple(seen.anywhere.at)]
    return bool(there.any() and wrong[there].mean() > 0.5)


def _noun(seen: Observation, axis: int) -> str:
    if len(seen.shape) == 1:
        return "element"
    names = {len(seen.shape) - 1: "column", len(seen.shape) - 2: "row"}
    return names.get(axis, f"dimension-{axis} place")
