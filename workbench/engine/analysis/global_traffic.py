"""Global memory of a lowered kernel: sites at the best level known, footprints, and traffic."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.core.analysis.global_sites import GlobalKind, GlobalSite, global_totals
from workbench.core.analysis.shared_sites import Level, sum_or_none
from workbench.core.analysis.traffic import (
    BufferFootprint,
    GlobalReport,
    is_store,
    requested,
    traffic_of,
    window_of,
)
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.accesses import DeviceAccesses
from workbench.engine.analysis.code_traces import CodeTraces
from workbench.engine.analysis.copy_lines import copy_lines
from workbench.engine.analysis.global_code import global_code_sites
from workbench.engine.analysis.global_footprint import (
    Footprint,
    footprint,
    site_footprint,
    united,
    window_bytes,
)
from workbench.engine.analysis.global_ir import global_accesses, global_sites
from workbench.engine.analysis.shared_memory import LoweredKernel
from workbench.engine.analysis.translation import dtype_bits

Pair = tuple[GlobalSite, Footprint | None]


def global_report(
    kernel: LoweredKernel,
    found: DeviceAccesses,
    wave_blocks: int,
    traces: CodeTraces | None = None,
    lines: Mapping[int, int | None] | None = None,
    lacks: str | None = None,
) -> GlobalReport:
    """The report of a kernel of which `wave_blocks` blocks run at once on the whole device.

    `traces` are what its PTX does, with the document's line of each `lines` of the source; without
    them `lacks` says why. What PTX does by data that the IR tells stays the IR's.
    """
    sizes = buffer_bytes(kernel.tile_func)
    ir_sites = global_sites(found, copy_lines(kernel.tile_func, kernel.document))
    accesses = global_accesses(found)
    pairs = [
        (site, _footprint(found, access, site, sizes))
        for access, site in zip(accesses, ir_sites, strict=True)
    ]
    blocks, l2 = found.axes.launch.blocks, _l2_bytes(kernel)
    waves = window_of([site_footprint(*pair, wave_blocks) for pair in pairs], wave_blocks, l2)
    footprints = tuple(site_footprint(*pair, wave_blocks * waves) for pair in pairs)
    buffers = _buffers(pairs, sizes, wave_blocks * waves)
    sites = ir_sites if traces is None else _best(ir_sites, global_code_sites(traces, lines or {}))
    return GlobalReport(
        kernel.name,
        Level.IR if traces is None else Level.CODE,
        sites,
        global_totals(sites),
        requested(ir_sites, stores=False),
        requested(ir_sites, stores=True),
        requested(ir_sites, stores=False, bulk=True),
        requested(ir_sites, stores=True, bulk=True),
        sum_or_none([each.unique_bytes for each in buffers if not each.stores]),
        sum_or_none([each.unique_bytes for each in buffers if each.stores]),
        footprints,
        buffers,
        traffic_of(footprints, buffers, blocks, wave_blocks, waves, l2),
        lacks,
    )


def buffer_bytes(tile_func: Any) -> dict[str, int]:
    """Bytes of each parameter of a tile-level function whose shape is constant."""
    sizes = {}
    for buffer in dict(tile_func.buffer_map).values():
        try:
            extents = [int(extent) for extent in buffer.shape]
        except (TypeError, ValueError):
            continue
        sizes[str(buffer.name)] = math.prod(extents) * dtype_bits(buffer.dtype) // 8
    return sizes


def _footprint(
    found: DeviceAccesses, access: Access, site: GlobalSite, sizes: Mapping[str, int]
) -> Footprint | None:
    return footprint(found.axes, access, site, sizes.get(site.buffer or ""))


def _best(ir_sites: tuple[GlobalSite, ...], code: tuple[GlobalSite, ...]) -> tuple[GlobalSite, ...]:
    """The code's sites, and the IR's for what the code's addresses do not tell."""
    kept = [site for site in ir_sites if site.kind is GlobalKind.BULK_COPY]
    for kind in GlobalKind:
        ours = [site for site in ir_sites if site.kind is kind]
        theirs = [site for site in code if site.kind is kind]
        told = all(site.unknown is None for site in ours) and bool(ours)
        worse = any(site.unknown is not None or site.sampled for site in theirs)
        if kind is not GlobalKind.BULK_COPY:
            kept.extend(ours if told and worse else theirs)
    return tuple(kept)


def _buffers(
    pairs: Sequence[Pair], sizes: Mapping[str, int], window: int
) -> tuple[BufferFootprint, ...]:
    groups: dict[tuple[str | None, bool], list[Pair]] = defaultdict(list)
    for site, found in pairs:
        groups[site.buffer, is_store(site)].append((site, found))
    return tuple(
        _buffer(name, stores, [found for _, found in group], sizes.get(name or ""), window)
        for (name, stores), group in groups.items()
    )


def _buffer(
    name: str | None, stores: bool, group: list[Footprint | None], size: int | None, window: int
) -> BufferFootprint:
    known = [found for found in group if found is not None]
    if len(known) < len(group):
        return BufferFootprint(name, stores, None, None)
    unique = united(known, size)
    fetched = sum_or_none([window_bytes(found, window) for found in known])
    return BufferFootprint(name, stores, unique, None if fetched is None else max(unique, fetched))


def _l2_bytes(kernel: LoweredKernel) -> int | None:
    model = kernel.target.model
    return None if model is None else model.l2_bytes
