"""Punch cards: which lanes of a warp want which banks, phase by phase, and which collide."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from workbench.core.analysis.bank_details import Collision, Lane, PatternDetail, describe_pattern
from workbench.core.analysis.bank_rules import AccessKind, BankRules, SharedAccess
from workbench.core.analysis.shared_tiles import SharedTile

_ATOMICS = (AccessKind.INTEGER_ATOMIC, AccessKind.FLOAT_ATOMIC)


@dataclass(frozen=True)
class Punch:
    """A lane's access: `banks` from `bank` on. `wavefront` is the turn of its bank that it gets.

    `collides`: it waits for others, or others for it.
    """

    lane: int
    bank: int
    banks: int
    phase: int
    address: int
    wavefront: int
    collides: bool


@dataclass(frozen=True)
class CardPhase:
    """Lanes that are served together; `note` names those that collide."""

    index: int
    lanes: tuple[int, ...]
    wavefronts: int
    note: str


@dataclass(frozen=True)
class PunchCard:
    """One instruction of a warp: `lanes` down, `banks` across.

    `ways` is the most wavefronts of a phase. `wavefronts` and `ways` are None where `unknown`
    says why.
    """

    lanes: int
    banks: int
    punches: tuple[Punch, ...]
    phases: tuple[CardPhase, ...]
    wavefronts: int | None
    ways: int | None
    unknown: str | None = None

    def phase(self, index: int) -> CardPhase | None:
        """A phase by its number."""
        return next((each for each in self.phases if each.index == index), None)

    @property
    def where(self) -> str:
        """The banks that lanes meet in, in a few words."""
        worst = [each for each in self.punches if each.collides] or list(self.punches)
        starts = {each.bank for each in worst}
        if not worst:
            return ""
        if len(starts) == 1:
            return bank_words(worst[0].bank, worst[0].banks)
        each = f" × {worst[0].banks}" if worst[0].banks > 1 else ""
        return f"{len(starts)}{each} banks"


def punch_card(
    access: SharedAccess,
    addresses: Sequence[int],
    rules: BankRules,
    outside: Sequence[int] | None = None,
    tile: SharedTile | None = None,
) -> PunchCard:
    """The card of one instruction from the byte address of each lane, -1 where inactive.

    `tile` is what lies there row by row, to tell of rows instead of words.
    """
    far = None if outside is None else np.array(outside, np.int64)
    detail = describe_pattern(access, np.array(addresses, np.int64), rules, outside=far)
    turns = _turns(detail)
    waiting = {lane for c in detail.collisions for group in c.lanes for lane in group}
    punches = tuple(
        Punch(
            lane.lane,
            lane.banks[0],
            len(lane.banks),
            lane.phase,
            lane.address,
            turns.get(lane.lane, 0),
            lane.lane in waiting,
        )
        for lane in detail.lanes
    )
    phases = tuple(
        CardPhase(p.index, p.lanes, p.wavefronts, _note(access, detail, p.index, tile))
        for p in detail.phases
    )
    ways = max((p.wavefronts for p in detail.phases), default=0)
    known = detail.unknown is None
    return PunchCard(
        access.addressing_lanes or rules.lanes,
        rules.banks,
        punches,
        phases,
        detail.wavefronts,
        ways if known else None,
        detail.unknown,
    )


def bank_words(first: int, count: int) -> str:
    """Some banks in a row."""
    return f"bank {first}" if count == 1 else f"banks {first}-{first + count - 1}"


def _turns(detail: PatternDetail) -> dict[int, int]:
    """The wavefront of its phase, from 0, in which a lane that collides may be served."""
    found: dict[int, int] = {}
    for collision in detail.collisions:
        for turn, lanes in enumerate(collision.lanes):
            found.update(dict.fromkeys(lanes, turn))
    return found


def _note(access: SharedAccess, detail: PatternDetail, phase: int, tile: SharedTile | None) -> str:
    own = [c for c in detail.collisions if c.phase == phase]
    if not own:
        return _free([lane for lane in detail.lanes if lane.phase == phase])
    most = max(collision.wavefronts for collision in own)
    worst = [collision for collision in own if collision.wavefronts == most]
    first = worst[0]
    if len(worst) == 1:
        where = bank_words(first.banks[0], len(first.banks)) if first.banks else ""
        return f"{_wants(access, first, tile, where)}: one wavefront each"
    where = "one bank" if len(first.banks) == 1 else "the same banks"
    return f"{len(worst)} times {_wants(access, first, tile, where)}: {most} wavefronts"


def _free(lanes: Sequence[Lane]) -> str:
    banks = {bank for lane in lanes for bank in lane.banks}
    if len(banks) == sum(len(lane.banks) for lane in lanes):
        alone = "a bank" if len(lanes[0].banks) == 1 else f"{len(lanes[0].banks)} banks"
        return f"each of {len(lanes)} lanes in {alone} of its own"
    return f"{len(lanes)} lanes share words, none waits for another"


def _wants(access: SharedAccess, collision: Collision, tile: SharedTile | None, where: str) -> str:
    lanes = sum(map(len, collision.lanes))
    if not collision.banks:
        return f"{lanes} lanes copy one line to {len(collision.addresses)} places"
    if access.kind in _ATOMICS and len(collision.addresses) == 1:
        return f"{lanes} lanes update one word of {where}"
    different = f"{len(collision.addresses)} different {_units(collision, tile)}"
    return f"{lanes} lanes, {different}, all in {where}"


def _units(collision: Collision, tile: SharedTile | None) -> str:
    """Rows where each address lies in one of its own, else words."""
    if tile is None or tile.swizzle_bytes != 0:
        return "words"
    pitch = tile.columns * tile.element_bytes
    rows = {(address - tile.base_bytes) // pitch for address in collision.addresses}
    return "rows" if len(rows) == len(collision.addresses) else "words"
