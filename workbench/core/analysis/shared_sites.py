"""What a kernel's accesses to shared memory cost, site by site, line by line and in total."""

from __future__ import annotations

import enum
from dataclasses import dataclass

Count = int | float


class SharedKind(enum.Enum):
    """What a site does to shared memory; the first seven are those of `AccessKind`."""

    LOAD = "load"
    STORE = "store"
    LDMATRIX = "ldmatrix"
    STMATRIX = "stmatrix"
    ASYNC_COPY = "async-copy"
    INTEGER_ATOMIC = "integer-atomic"
    FLOAT_ATOMIC = "float-atomic"
    TENSOR = "tensor"  # operands that the tensor core reads through descriptors
    BULK_COPY = "bulk-copy"  # the tensor memory accelerator's; no counter of wavefronts has them


class Level(enum.Enum):
    """What a figure was computed from."""

    IR = "ir"  # the lowered device IR, before the compiler of machine code
    CODE = "code"  # the PTX that the compiler made of it


@dataclass(frozen=True)
class Pattern:
    """The worst instruction of a site: the byte address of each lane, -1 where inactive.

    `outside` are the addresses in global memory of a copy. Both are moved, all lanes alike, to
    begin near 0. `weight`: how often instructions do exactly this.
    """

    addresses: tuple[int, ...]
    weight: Count
    outside: tuple[int, ...] | None = None


@dataclass(frozen=True)
class SharedSite:
    """An access site over the whole launch; counts are None where `unknown` says why.

    `line` is of the document, None where the code came from no line. `wavefronts`, `ideal` and
    `conflicts` = wavefronts - ideal are what the hardware's counters would show; `ways` the most
    wavefronts of one phase. A bulk copy has no wavefronts, and `unknown` is None then.
    """

    line: int | None
    kind: SharedKind
    level: Level
    operation: str
    buffer: str | None
    dtype: str | None
    width_bytes: int
    instructions: Count | None = None
    wavefronts: Count | None = None
    ideal: Count | None = None
    conflicts: Count | None = None
    least: Count | None = None
    ways: int | None = None
    moved_bytes: Count | None = None
    unknown: str | None = None
    sampled: bool = False
    measured_on: str | None = None
    matrices: int | None = None
    pattern: Pattern | None = None


@dataclass(frozen=True)
class SharedTotal:
    """The sum over all sites of a kind; None where a site is unknown, whose reasons are told.

    `known_wavefronts` is the sum over those that are known.
    """

    kind: SharedKind
    instructions: Count | None
    wavefronts: Count | None
    ideal: Count | None
    conflicts: Count | None
    known_wavefronts: Count
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class SharedLine:
    """The figures of a line: those of its level, and whether the other level's differ.

    `ir_wavefronts` and `code_wavefronts` are of all kinds together; `note` says what differs.
    """

    line: int | None
    level: Level
    instructions: Count | None
    wavefronts: Count | None
    conflicts: Count | None
    ways: int | None
    ir_wavefronts: Count | None
    code_wavefronts: Count | None
    differs: bool
    note: str | None = None


@dataclass(frozen=True)
class SharedReport:
    """Shared memory of one kernel. `sites` are of `level`; `ir_sites` of the lowered IR always.

    `lacks` says why the figures are not of the machine code, where they are not; `confirmed`
    whether the instructions counted there are those of the SASS, and `notes` what is else to say.
    """

    kernel: str
    level: Level
    sites: tuple[SharedSite, ...]
    ir_sites: tuple[SharedSite, ...]
    totals: tuple[SharedTotal, ...]
    lines: tuple[SharedLine, ...]
    lacks: str | None = None
    confirmed: bool | None = None
    notes: tuple[str, ...] = ()


def totals_of(sites: tuple[SharedSite, ...]) -> tuple[SharedTotal, ...]:
    """The totals of the kinds that occur, in the order of the kinds."""
    return tuple(_total(kind, own) for kind in SharedKind if (own := _of_kind(sites, kind)))


def _of_kind(sites: tuple[SharedSite, ...], kind: SharedKind) -> list[SharedSite]:
    return [site for site in sites if site.kind is kind]


def _total(kind: SharedKind, sites: list[SharedSite]) -> SharedTotal:
    known = [site.wavefronts for site in sites if site.wavefronts is not None]
    reasons = tuple(sorted({site.unknown for site in sites if site.unknown is not None}))
    return SharedTotal(
        kind,
        sum_or_none([site.instructions for site in sites]),
        sum_or_none([site.wavefronts for site in sites]),
        sum_or_none([site.ideal for site in sites]),
        sum_or_none([site.conflicts for site in sites]),
        sum(known),
        reasons,
    )


def sum_or_none(values: list[Count | None]) -> Count | None:
    """The sum; None where a part of it is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
