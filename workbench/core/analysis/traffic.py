"""What a launch moves between SMs, L2 and memory, from the footprints of its access sites."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.analysis.global_sites import Count, GlobalKind, GlobalSite, GlobalTotals
from workbench.core.analysis.shared_sites import Level, sum_or_none

SECTOR_BYTES = 32


@dataclass(frozen=True)
class SiteFootprint:
    """What a site of the lowered IR touches, in whole sectors or boxes; None where unknown.

    `unique_bytes` is of the whole launch, `block_bytes` of a block in the middle of the grid, and
    `window_bytes` what is fetched where only blocks of one window of waves find each other's data.
    With `bounded` they are the most that it can be, by what is asked for and the buffer's size.
    """

    site: GlobalSite
    unique_bytes: Count | None = None
    block_bytes: Count | None = None
    window_bytes: Count | None = None
    bounded: bool = False

    @property
    def is_store(self) -> bool:
        """Whether it moves data to global memory."""
        return is_store(self.site)


@dataclass(frozen=True)
class BufferFootprint:
    """What all sites of a buffer that load, or all that store, touch together."""

    buffer: str | None
    stores: bool
    unique_bytes: Count | None
    window_bytes: Count | None


@dataclass(frozen=True)
class Traffic:
    """Bytes of one launch by level; None where unknown.

    `l2_load_bytes` go from the L2 to the SMs, `l2_store_bytes` the other way. `dram_load_bytes`
    are fetched into an L2 that holds nothing of the kernel's before: the blocks of `window_waves`
    waves of `wave_blocks` blocks find each other's data there. `dram_store_bytes` are written at
    last, which for what the L2 holds is after the kernel: `fits_l2`.
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
    """Global memory of one kernel.

    `sites` and the sectors in `totals` are of `level`; `footprints` are of the lowered IR.
    `load_bytes` and `store_bytes` are those that lanes and the tensor memory accelerator ask for;
    `bulk_..._bytes` the accelerator's alone. `unique_...` count what several sites touch once.
    `lacks` says why the figures are not of the machine code, where they are not.
    """

    kernel: str
    level: Level
    sites: tuple[GlobalSite, ...]
    totals: GlobalTotals
    load_bytes: Count | None
    store_bytes: Count | None
    bulk_load_bytes: Count | None
    bulk_store_bytes: Count | None
    unique_load_bytes: Count | None
    unique_store_bytes: Count | None
    footprints: tuple[SiteFootprint, ...]
    buffers: tuple[BufferFootprint, ...]
    traffic: Traffic
    lacks: str | None = None


def is_store(site: GlobalSite) -> bool:
    """Whether a site moves data to global memory."""
    if site.kind is GlobalKind.BULK_COPY:
        return "store" in site.operation or "reduce" in site.operation
    return site.kind in (GlobalKind.STORE, GlobalKind.ATOMIC)


def requested(sites: Iterable[GlobalSite], stores: bool, bulk: bool | None = None) -> Count | None:
    """Bytes that sites ask for, or of bulk copies alone; None where a site's are unknown.

    What atomics move is in neither direction's bytes.
    """
    own = [
        site.requested_bytes
        for site in sites
        if is_store(site) is stores
        and site.kind is not GlobalKind.ATOMIC
        and (bulk is None or bulk is (site.kind is GlobalKind.BULK_COPY))
    ]
    return sum_or_none(own)


def traffic_of(
    footprints: Sequence[SiteFootprint],
    buffers: Sequence[BufferFootprint],
    blocks: int,
    wave_blocks: int,
    window_waves: int,
    l2_bytes: int | None,
) -> Traffic:
    """The bytes that each level moves.

    Plain loads go through the L1, which is taken to hold what one block reads, so they fetch each
    sector of a block once; cp.async past 16 bytes and the accelerator bypass it. Source: NVIDIA,
    PTX ISA 9.0, Cache Operators and cp.async. A buffer that fits the L2 with the others is fetched
    once, else once a window.
    """
    unique = sum_or_none([each.unique_bytes for each in buffers])
    fits = None if unique is None or l2_bytes is None else unique <= l2_bytes
    loads = [each for each in buffers if not each.stores]
    stored = [each.unique_bytes for each in buffers if each.stores]
    fetched = [each.unique_bytes if fits else each.window_bytes for each in loads]
    return Traffic(
        sum_or_none([_fetched(each, blocks) for each in footprints if not each.is_store]),
        sum_or_none([_stored(each) for each in footprints if each.is_store]),
        sum_or_none(fetched),
        sum_or_none(stored),
        wave_blocks,
        window_waves,
        fits,
    )


def window_of(footprints: Iterable[SiteFootprint], wave_blocks: int, l2_bytes: int | None) -> int:
    """The waves whose blocks find each other's data in the L2: at least one.

    `footprints` are with windows of one wave. The L2 is taken to keep what was used last.
    """
    moved = [each.window_bytes for each in footprints]
    known = [each for each in moved if each]
    return 1 if l2_bytes is None or not known else max(1, int(l2_bytes // max(1, sum(known))))


def _fetched(each: SiteFootprint, blocks: int) -> Count | None:
    site = each.site
    if site.kind is GlobalKind.BULK_COPY:
        return site.requested_bytes
    moved = None if site.sectors is None else site.sectors * SECTOR_BYTES
    if site.kind is not GlobalKind.LOAD or moved is None or each.block_bytes is None:
        return moved
    return min(moved, each.block_bytes * blocks)


def _stored(each: SiteFootprint) -> Count | None:
    site = each.site
    if site.kind is GlobalKind.BULK_COPY:
        return site.requested_bytes
    return None if site.sectors is None else site.sectors * SECTOR_BYTES
