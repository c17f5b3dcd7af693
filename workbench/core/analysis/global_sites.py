"""What a kernel's accesses to global memory ask for, site by site and in total."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from workbench.core.analysis.shared_sites import Level, sum_or_none

Count = int | float


class GlobalKind(enum.Enum):
    """What a site does to global memory."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"
    ASYNC_COPY = "async-copy"  # cp.async: its reads
    BULK_COPY = "bulk-copy"  # the tensor memory accelerator's, which no sector counter has


@dataclass(frozen=True)
class GlobalSite:
    """An access site over the whole launch; counts are None where `unknown` says why.

    `requested_bytes` counts every lane, `distinct_bytes` those of one instruction once; `sectors`
    are the 32-byte pieces that the instructions touch, `least_sectors` what their distinct bytes
    would fill. `pairs` of neighbouring lanes are `far_pairs` where they are more than 16 bytes
    apart. `most_bytes` is what the lanes ask for at the most, also where data decide which of them
    do.
    """

    line: int | None
    kind: GlobalKind
    level: Level
    operation: str
    buffer: str | None
    dtype: str | None
    width_bytes: int
    instructions: Count | None = None
    requested_bytes: Count | None = None
    distinct_bytes: Count | None = None
    sectors: Count | None = None
    least_sectors: Count | None = None
    pairs: Count | None = None
    far_pairs: Count | None = None
    most_bytes: Count | None = None
    unknown: str | None = None
    sampled: bool = False


@dataclass(frozen=True)
class GlobalTotals:
    """Sectors of all loads with asynchronous copies, and of all stores; None where a site's are
    unknown. Bytes are those requested."""

    load_sectors: Count | None
    store_sectors: Count | None
    load_bytes: Count | None
    store_bytes: Count | None
    unknown: tuple[str, ...] = ()


def global_totals(sites: Iterable[GlobalSite]) -> GlobalTotals:
    """The totals over the sites of one kernel."""
    every = list(sites)
    loads = [s for s in every if s.kind in (GlobalKind.LOAD, GlobalKind.ASYNC_COPY)]
    stores = [s for s in every if s.kind is GlobalKind.STORE]
    reasons = {site.unknown for site in every if site.unknown is not None}
    return GlobalTotals(
        sum_or_none([site.sectors for site in loads]),
        sum_or_none([site.sectors for site in stores]),
        sum_or_none([site.requested_bytes for site in loads]),
        sum_or_none([site.requested_bytes for site in stores]),
        tuple(sorted(reasons)),
    )
