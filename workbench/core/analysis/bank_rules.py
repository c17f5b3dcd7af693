"""How shared memory serves one instruction of a warp: the phases of its lanes, and what conflicts.

A phase is a set of lanes that the hardware tries to serve together, in one wavefront: a pass over
all banks. It takes more wavefronts where two of its lanes want different words of one bank.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]  # patterns x lanes unless said otherwise; -1 is an inactive lane
Bools = npt.NDArray[np.bool_]

_PHASE = 1 << 48  # above every address: orders by phase first


class AccessKind(enum.Enum):
    """What an instruction does to shared memory."""

    LOAD = "load"
    STORE = "store"
    LDMATRIX = "ldmatrix"
    STMATRIX = "stmatrix"
    ASYNC_COPY = "async-copy"  # cp.async: global to shared memory
    INTEGER_ATOMIC = "integer-atomic"
    INTEGER_COUNT = "integer-count"  # an atomic that adds one and returns nothing
    FLOAT_ATOMIC = "float-atomic"


@dataclass(frozen=True)
class SharedAccess:
    """One shared-memory instruction; `width_bytes` is what each lane's address stands for.

    A matrix instruction reads the addresses of its first 8 x `matrices` lanes, each the start of
    a row of 16 bytes, transposed or not.
    """

    kind: AccessKind
    width_bytes: int
    matrices: int = 4

    @property
    def addressing_lanes(self) -> int | None:
        """How many leading lanes' addresses count; None: those of all lanes."""
        matrix = self.kind in (AccessKind.LDMATRIX, AccessKind.STMATRIX)
        return 8 * self.matrices if matrix else None


def ldmatrix(matrices: int) -> SharedAccess:
    """The access of `ldmatrix.x<matrices>`, with or without `.trans`."""
    return SharedAccess(AccessKind.LDMATRIX, 16, matrices)


def stmatrix(matrices: int) -> SharedAccess:
    """The access of `stmatrix.x<matrices>`, with or without `.trans`."""
    return SharedAccess(AccessKind.STMATRIX, 16, matrices)


class SameWord(enum.Enum):
    """What lanes of a phase cost that want the same word."""

    ONCE = "once"  # one read is handed to all, one of the writes stays
    EACH = "each"  # one after the other


class Split(Protocol):
    """Gives each lane its phase, numbered from 0; what it says of inactive lanes is ignored."""

    def __call__(self, addresses: Ints) -> Ints: ...


@dataclass(frozen=True)
class Service:
    """How patterns are served. `phases`: patterns x lanes, -1 where inactive.

    `wavefronts`: patterns x phases, 0 for a phase without lanes; `ideal`: per pattern, what the
    hardware's conflict counters compare with.
    """

    phases: Ints
    wavefronts: Ints
    ideal: Ints


class Rule(Protocol):
    """How one kind of instruction of one width is served."""

    @property
    def source(self) -> str:
        """What the rule is from."""

    @property
    def needs_global(self) -> bool:
        """Whether the addresses in global memory matter."""

    def serve(self, geometry: BankRules, shared: Ints, outside: Ints | None, width: int) -> Service:
        """How the patterns are served; `outside` holds the addresses in global memory."""


@dataclass(frozen=True)
class BankedRule:
    """Lanes are served phase by phase; in a phase each bank gives one word a wavefront.

    Source: NVIDIA, CUDA C++ Programming Guide, Shared Memory (32 banks of 4 bytes, broadcast of
    one word); AMD, ROCm Compute Profiler, Local data share. Accesses are aligned to their width,
    as the hardware demands, so words of one lane move together and a run of banks is one slot.
    """

    split: Split
    source: str
    same_word: SameWord = SameWord.ONCE
    needs_global: bool = False

    def serve(self, geometry: BankRules, shared: Ints, outside: Ints | None, width: int) -> Service:
        """How the patterns are served; `outside` is not needed."""
        active = shared >= 0
        phases = np.where(active, self.split(shared), -1)
        count = int(phases.max(initial=0)) + 1
        unit = max(width, geometry.bank_bytes)
        load = self._load_of_slots(shared // unit, phases, count, geometry.row_bytes // unit)
        wavefronts = load.max(axis=2)
        return Service(phases, wavefronts, (wavefronts > 0).sum(axis=1))

    def _load_of_slots(self, units: Ints, phases: Ints, count: int, slots: int) -> Ints:
        """Patterns x phases x slots: how many wavefronts each slot is busy."""
        keys = np.where(phases >= 0, phases * _PHASE + units, -1)
        if self.same_word is SameWord.ONCE:
            keys = np.sort(keys, axis=1)
            keys[:, 1:][keys[:, 1:] == keys[:, :-1]] = -1
        pattern, lane = np.nonzero(keys >= 0)
        phase, unit = np.divmod(keys[pattern, lane], _PHASE)
        places = (pattern * count + phase) * slots + unit % slots
        load = np.bincount(places, minlength=len(units) * count * slots)
        return load.reshape(len(units), count, slots)


@dataclass(frozen=True)
class BankRules:
    """The shared memory of an architecture: its banks, and the rule of each kind and width.

    `measured_on` names what the rules were checked against; None: they are from documents alone.
    """

    title: str
    lanes: int
    banks: int
    bank_bytes: int
    rules: Mapping[tuple[AccessKind, int], Rule]
    unknown: Mapping[AccessKind, str]
    measured_on: str | None

    @property
    def row_bytes(self) -> int:
        """What all banks give in one wavefront."""
        return self.banks * self.bank_bytes

    def rule(self, access: SharedAccess) -> Rule | None:
        """The rule of the access; None where it is unknown."""
        return self.rules.get((access.kind, access.width_bytes))

    def why_unknown(self, access: SharedAccess) -> str:
        """Why there is no rule for the access."""
        width = f"no rule is known for {access.width_bytes} bytes a lane ({access.kind.value})"
        return self.unknown.get(access.kind, width)
