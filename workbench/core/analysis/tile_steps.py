"""The steps of one block in order, and which region of which tensor each of them touches."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice

from workbench.core.analysis.index_expressions import evaluate
from workbench.core.analysis.tile_regions import BLOCK_NAMES, TileAccess, TileRegions

Block = tuple[int, int, int]
MOST_STEPS = 4096


@dataclass(frozen=True)
class Turn:
    """Where a loop stands: turn `number` of `count`, with `value` in its variable."""

    loop: int
    number: int
    count: int
    value: int


@dataclass(frozen=True)
class TileStep:
    """What a block does at once: accesses by their positions, and the loops around them."""

    accesses: tuple[int, ...]
    turns: tuple[Turn, ...] = ()


@dataclass(frozen=True)
class Box:
    """A region of a tensor from `start` to below `stop`, by dimension; it may reach beyond it."""

    start: tuple[int, ...]
    stop: tuple[int, ...]

    @property
    def elements(self) -> int:
        """Elements in it."""
        return math.prod(max(0, b - a) for a, b in zip(self.start, self.stop, strict=True))

    def inside(self, shape: Sequence[int | None]) -> Box:
        """The part that lies within a tensor; an extent that is not known holds nothing back."""
        ends = [b if n is None else min(b, n) for b, n in zip(self.stop, shape, strict=True)]
        starts = [max(0, a) for a in self.start]
        stops = tuple(max(a, b) for a, b in zip(starts, ends, strict=True))
        return Box(tuple(starts), stops)


def block_values(block: Block) -> dict[str, int]:
    """The block's indices by the names that expressions have for them."""
    return dict(zip(BLOCK_NAMES, block, strict=True))


def steps_of(regions: TileRegions, block: Block, most: int = MOST_STEPS) -> tuple[TileStep, ...]:
    """The first `most` steps of a block; those in which it touches nothing are left out."""
    places = tuple(range(len(regions.accesses)))
    walk = _walk(regions, places, block_values(block), (), 0)
    return tuple(islice(walk, most))


def box_at(regions: TileRegions, place: int, block: Block, turns: Sequence[Turn]) -> Box | None:
    """The region of an access at some turns of its loops; None where it cannot be told."""
    access = regions.accesses[place]
    if access.unknown is not None:
        return None
    values = block_values(block) | {regions.loops[t.loop].name: t.value for t in turns}
    start = tuple(int(evaluate(text, values)) for text in access.offset)
    extent = [int(evaluate(text, values)) for text in access.extent]
    return Box(start, tuple(a + n for a, n in zip(start, extent, strict=True)))


def _walk(
    regions: TileRegions,
    places: Sequence[int],
    values: dict[str, int],
    turns: tuple[Turn, ...],
    depth: int,
) -> Iterator[TileStep]:
    def loop_of(place: int) -> int | None:
        loops = regions.accesses[place].loops
        return loops[depth] if len(loops) > depth else None

    for loop, group in groupby(places, loop_of):
        inner = tuple(group)
        if loop is None:
            held = tuple(p for p in inner if _holds(regions.accesses[p], values))
            if held:
                yield TileStep(held, turns)
        else:
            yield from _turns(regions, loop, inner, values, turns)


def _turns(
    regions: TileRegions,
    place: int,
    inner: Sequence[int],
    values: dict[str, int],
    turns: tuple[Turn, ...],
) -> Iterator[TileStep]:
    loop = regions.loops[place]
    start, count = int(evaluate(loop.start, values)), int(evaluate(loop.extent, values))
    for number in range(count):
        turn = Turn(place, number, count, start + number)
        known = values | {loop.name: turn.value}
        yield from _walk(regions, inner, known, (*turns, turn), len(turns) + 1)


def _holds(access: TileAccess, values: dict[str, int]) -> bool:
    return all(evaluate(guard, values) for guard in access.guards)
