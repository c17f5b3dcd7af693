"""What a kernel's accesses to global memory ask for and move, site by site, buffer and in total."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.analysis.shared_sites import Count, Level, sum_or_none

SECTOR_BYTES = 32


class GlobalKind(enum.Enum):
    """What a site does to global memory."""

    LOAD = "load"
    STORE = "store"
    ASYNC_COPY = "async-copy"  # cp.async: its sectors are loaded ones
    ATOMIC = "atomic"
    BULK_LOAD = "bulk-load"  # the tensor memory accelerator's; no counter of sectors has them
    BULK_STORE = "bulk-store"

    @property
    def is_store(self) -> bool:
        """Whether it moves data to global memory."""
        return self in (GlobalKind.STORE, GlobalKind.BULK_STORE)

    @property
    def is_bulk(self) -> bool:
        """Whether an engine moves it, not the lanes of a warp."""
        return self in (GlobalKind.BULK_LOAD, GlobalKind.BULK_STORE)


@dataclass(frozen=True)
class GlobalSite:
    """An access site over the whole launch; counts are None where `unknown` says why.

    `requested_bytes` counts every lane and is known also where only addresses depend on data.
    `sectors` are 32-byte sectors summed over the instructions of warps, `least_sectors` those that
    their distinct bytes would fill; both are None for the tensor memory accelerator. `unique_bytes`
    is what all executions together touch, in whole sectors, and `block_bytes` what one block in the
    middle of the grid touches; with `bounded` they are the most that it can be. `wave_bytes` is
    what is fetched where only the blocks of `Traffic.window_waves` waves share.
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
    sectors: Count | None = None
    least_sectors: Count | None = None
    unique_bytes: Count | None = None
    block_bytes: Count | None = None
    wave_bytes: Count | None = None
    bounded: bool = False
    unknown: str | None = None
    sampled: bool = False

    @property
    def efficiency(self) -> float | None:
        """The part of the sectors that the distinct bytes need; None where unknown or for TMA."""
        if not self.sectors or self.least_sectors is None:
            return None
        return self.least_sectors / self.sectors


@dataclass(frozen=True)
class GlobalTotals:
    """The sums over a kernel, as its hardware counters would show them; None where unknown.

    Sectors are those of loads with cp.async, and of stores; neither has the accelerator's or the
    atomics', as l1tex's counters of loads and stores do not. `known_...` leave out what is unknown.
    `unique_...` unite the sites of a buffer.
    """

    load_bytes: Count | None
    store_bytes: Count | None
    load_sectors: Count | None
    store_sectors: Count | None
    known_load_sectors: Count
    known_store_sectors: Count
    bulk_load_bytes: Count | None
    bulk_store_bytes: Count | None
    unique_load_bytes: Count | None
    unique_store_bytes: Count | None
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Traffic:
    """Bytes of one launch by level; None where unknown.

    `l2_load_bytes` go from the L2 to the SMs, `l2_store_bytes` the other way. `dram_load_bytes`
    are fetched from memory into an L2 that holds nothing of the kernel's before; the blocks of
    `window_waves` waves of `wave_blocks` find each other's data there. `dram_store_bytes` are
    written at last, which for what fits the L2 is after the kernel.
    """

    l2_load_bytes: Count | None
    l2_store_bytes: Count | None
    dram_load_bytes: Count | None
    dram_store_bytes: Count | None
    wave_blocks: int
    window_waves: int
    fits_l2: bool | None


@dataclass(frozen=True)
class GlobalReport:
    """Global memory of one kernel; `lacks` says why the figures are not of the machine code."""

    kernel: str
    level: Level
    sites: tuple[GlobalSite, ...]
    totals: GlobalTotals
    traffic: Traffic
    lacks: str | None = None


def totals_of(
    sites: Sequence[GlobalSite], unique_loads: Count | None, unique_stores: Count | None
) -> GlobalTotals:
    """The totals of sites; what their buffers' footprints come to is given."""
    loads = [site for site in sites if site.kind in (GlobalKind.LOAD, GlobalKind.ASYNC_COPY)]
    stores = [site for site in sites if site.kind is GlobalKind.STORE]
    bulk_loads = [site for site in sites if site.kind is GlobalKind.BULK_LOAD]
    bulk_stores = [site for site in sites if site.kind is GlobalKind.BULK_STORE]
    return GlobalTotals(
        load_bytes=sum_or_none([s.requested_bytes for s in (*loads, *bulk_loads)]),
        store_bytes=sum_or_none([s.requested_bytes for s in (*stores, *bulk_stores)]),
        load_sectors=sum_or_none([s.sectors for s in loads]),
        store_sectors=sum_or_none([s.sectors for s in stores]),
        known_load_sectors=_known(s.sectors for s in loads),
        known_store_sectors=_known(s.sectors for s in stores),
        bulk_load_bytes=sum_or_none([s.requested_bytes for s in bulk_loads]),
        bulk_store_bytes=sum_or_none([s.requested_bytes for s in bulk_stores]),
        unique_load_bytes=unique_loads,
        unique_store_bytes=unique_stores,
        unknown=tuple(sorted({site.unknown for site in sites if site.unknown is not None})),
    )


def l2_bytes(sites: Iterable[GlobalSite], blocks: int) -> tuple[Count | None, Count | None]:
    """Bytes that loads bring from the L2 to the SMs, and that stores bring there.

    Plain loads go through the L1, which is taken to hold what one block reads, so they fetch each
    sector of a block once; cp.async and the accelerator bypass it. Source: NVIDIA, PTX ISA 9.0,
    Cache Operators (ld.ca, cp.async.cg) and the write-through L1 of the CUDA programming guide.
    """
    sites = tuple(sites)
    loads = [_fetched(site, blocks) for site in sites if not site.kind.is_store]
    stores = [
        site.requested_bytes if site.kind.is_bulk else _in_bytes(site.sectors)
        for site in sites
        if site.kind.is_store or site.kind is GlobalKind.ATOMIC
    ]
    return sum_or_none(loads), sum_or_none(stores)


def _fetched(site: GlobalSite, blocks: int) -> Count | None:
    if site.kind.is_bulk:
        return site.requested_bytes
    moved = _in_bytes(site.sectors)
    if site.kind is not GlobalKind.LOAD or moved is None or site.block_bytes is None:
        return moved
    return min(moved, site.block_bytes * blocks)


def _in_bytes(sectors: Count | None) -> Count | None:
    return None if sectors is None else sectors * SECTOR_BYTES


def _known(values: Iterable[Count | None]) -> Count:
    return sum(value for value in values if value is not None)
