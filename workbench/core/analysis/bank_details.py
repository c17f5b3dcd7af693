"""One shared-memory pattern in detail, for drawing: phases, banks, and the lanes that collide."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.bank_rules import (
    BankedRule,
    BankRules,
    Ints,
    SameWord,
    Service,
    SharedAccess,
)
from workbench.core.analysis.banks import prepare, serve, why_unknown


@dataclass(frozen=True)
class Lane:
    """An active lane: its byte address, the banks of its bytes and the phase that it is in."""

    lane: int
    address: int
    banks: tuple[int, ...]
    phase: int


@dataclass(frozen=True)
class Collision:
    """Lanes of a phase that wait for each other.

    `addresses` are what they want, and `lanes` the lanes of each: different words of `banks`, one
    word that an atomic serialises, or places that the lanes of a line of global memory are copied
    to (then `banks` is empty). It costs `wavefronts`.
    """

    phase: int
    banks: tuple[int, ...]
    addresses: tuple[int, ...]
    lanes: tuple[tuple[int, ...], ...]
    wavefronts: int


@dataclass(frozen=True)
class Phase:
    """Lanes that are served together, in the wavefronts that their worst bank needs."""

    index: int
    lanes: tuple[int, ...]
    wavefronts: int


@dataclass(frozen=True)
class PatternDetail:
    """All of one pattern. `lanes` and their banks are known also where the rest is not."""

    lanes: tuple[Lane, ...]
    phases: tuple[Phase, ...]
    collisions: tuple[Collision, ...]
    unknown: str | None = None

    @property
    def wavefronts(self) -> int | None:
        """Wavefronts of the instruction; None where unknown."""
        return None if self.unknown else sum(phase.wavefronts for phase in self.phases)


def describe_pattern(
    access: SharedAccess,
    shared: npt.ArrayLike,
    rules: BankRules,
    *,
    outside: npt.ArrayLike | None = None,
) -> PatternDetail:
    """The detail of one pattern of a byte address for each lane; negative: inactive.

    Collisions come in the order of phases and banks. Raises ValueError on another shape.
    """
    addresses, far = prepare(access, shared, rules, outside)
    if len(addresses) != 1:
        raise ValueError(f"expected one pattern, got {len(addresses)}")
    unknown = why_unknown(access, addresses, far, rules)
    if unknown is not None:
        return PatternDetail(_lanes(access, addresses[0], None, rules), (), (), unknown)
    served = serve(access, addresses, far, rules)
    lanes = _lanes(access, addresses[0], served.phases[0], rules)
    collisions = [
        collision
        for phase in np.flatnonzero(served.wavefronts[0] > 1)
        for collision in _collisions(
            access, [x for x in lanes if x.phase == phase], rules, int(served.wavefronts[0, phase])
        )
    ]
    return PatternDetail(lanes, _phases(served), tuple(collisions))


def _lanes(
    access: SharedAccess, addresses: Ints, phases: Ints | None, rules: BankRules
) -> tuple[Lane, ...]:
    """Active lanes; the phase is -1 where it is unknown."""
    words = max(1, access.width_bytes // rules.bank_bytes)
    return tuple(
        Lane(
            lane,
            address,
            tuple((address // rules.bank_bytes + word) % rules.banks for word in range(words)),
            -1 if phases is None else int(phases[lane]),
        )
        for lane, address in enumerate(addresses.tolist())
        if address >= 0
    )


def _phases(served: Service) -> tuple[Phase, ...]:
    return tuple(
        Phase(index, tuple(np.flatnonzero(served.phases[0] == index).tolist()), wavefronts)
        for index, wavefronts in enumerate(served.wavefronts[0].tolist())
        if wavefronts > 0
    )


def _collisions(
    access: SharedAccess, lanes: list[Lane], rules: BankRules, wavefronts: int
) -> list[Collision]:
    rule = rules.rule(access)
    if not isinstance(rule, BankedRule):
        return [_collision((), _grouped(lanes, access.width_bytes), wavefronts)]
    each = rule.same_word is SameWord.EACH
    found = []
    for banks in sorted({lane.banks for lane in lanes}):
        here = [lane for lane in lanes if lane.banks == banks]
        by_word = _grouped(here, max(access.width_bytes, rules.bank_bytes))
        cost = len(here) if each else len(by_word)
        if cost > 1:
            found.append(_collision(banks, by_word, cost))
    return found


def _grouped(lanes: list[Lane], unit: int) -> dict[int, list[Lane]]:
    """Lanes by the start of the unit that they want, rising."""
    groups: dict[int, list[Lane]] = {}
    for lane in sorted(lanes, key=lambda lane: (lane.address // unit, lane.lane)):
        groups.setdefault(lane.address // unit * unit, []).append(lane)
    return groups


def _collision(banks: tuple[int, ...], groups: dict[int, list[Lane]], cost: int) -> Collision:
    lanes = tuple(tuple(lane.lane for lane in group) for group in groups.values())
    phase = next(iter(groups.values()))[0].phase
    return Collision(phase, banks, tuple(groups), lanes, cost)
