"""The copies of a pipelined loop's shared buffers: which turn's tile is in each at a step.

A buffer with n copies holds the tiles of n turns in a row: turn t in copy t mod n. While one is
used, the copies of the n - 1 turns after it are under way. Source: TileLang 0.1.15, T.Pipelined.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from workbench.core.analysis.index_expressions import evaluate
from workbench.core.analysis.lifetimes import Lifetimes
from workbench.core.analysis.tile_regions import BLOCK_NAMES, TileAccess, TileRegions
from workbench.core.analysis.tile_steps import TileStep


class SlotState(enum.Enum):
    """What is done with a copy of the buffers."""

    IN_USE = "in use"
    ARRIVING = "arriving"
    FREE = "free"


@dataclass(frozen=True)
class Slot:
    """One copy: its number, its state, and the turn whose tile it is for."""

    number: int
    state: SlotState
    turn: int | None


@dataclass(frozen=True)
class Slots:
    """The copies of `buffers` at a step of the loop with variable `label`."""

    buffers: tuple[str, ...]
    label: str
    slots: tuple[Slot, ...]


def slots_at(regions: TileRegions, step: TileStep, lifetimes: Lifetimes | None) -> Slots | None:
    """The copies at a step; None outside of a pipelined loop that fills shared memory."""
    turn = next((t for t in reversed(step.turns) if regions.loops[t.loop].stages > 0), None)
    filled = [p for p in step.accesses if regions.accesses[p].into is not None]
    if turn is None or not filled:
        return None
    loop = regions.loops[turn.loop]
    buffers = tuple(dict.fromkeys(regions.accesses[p].into or "" for p in filled))
    found = [_copies(regions, regions.accesses[p], step, lifetimes) for p in filled]
    count = max((n for n in found if n is not None), default=max(1, loop.stages))
    slots = {turn.number % count: Slot(turn.number % count, SlotState.IN_USE, turn.number)}
    for number in range(turn.number + 1, min(turn.number + count, turn.count)):
        slots[number % count] = Slot(number % count, SlotState.ARRIVING, number)
    free = [Slot(n, SlotState.FREE, None) for n in range(count)]
    return Slots(buffers, loop.label, tuple(slots.get(n, free[n]) for n in range(count)))


def _copies(
    regions: TileRegions, access: TileAccess, step: TileStep, lifetimes: Lifetimes | None
) -> int | None:
    """How often the tile of a copy fits its buffer in the lowered code; None where unknown."""
    held = lifetimes.buffers if lifetimes is not None else ()
    size = next((each.size_bytes for each in held if each.name == access.into), None)
    if size is None or access.unknown is not None:
        return None
    values = dict.fromkeys(BLOCK_NAMES, 0) | {regions.loops[t.loop].name: 0 for t in step.turns}
    elements = math.prod(int(evaluate(text, values)) for text in access.extent)
    tile = elements * regions.tensor(access.tensor).bits // 8
    return size // tile if tile and size % tile == 0 else None
