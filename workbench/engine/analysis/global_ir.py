"""Global memory by the lowered IR: bytes and sectors of every access site."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.core.analysis.coalescing import GlobalCount, count_sectors
from workbench.core.analysis.global_sites import GlobalKind, GlobalSite
from workbench.core.analysis.shared_sites import Level, SharedKind
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.accesses import DeviceAccesses
from workbench.engine.analysis.copy_lines import Pair, line_of
from workbench.engine.analysis.expressions import Node, UnknownValueError, const
from workbench.engine.analysis.space import lane_patterns

LINE = 128  # addresses modulo a line; buffers begin at multiples of it
PAST_L1 = 16  # bytes of the asynchronous copies that bypass the L1: PTX ISA 9.0, cp.async
KINDS = {
    SharedKind.LOAD: GlobalKind.LOAD,
    SharedKind.STORE: GlobalKind.STORE,
    SharedKind.INTEGER_ATOMIC: GlobalKind.ATOMIC,
    SharedKind.FLOAT_ATOMIC: GlobalKind.ATOMIC,
    SharedKind.ASYNC_COPY: GlobalKind.ASYNC_COPY,
    SharedKind.BULK_COPY: GlobalKind.BULK_COPY,
}


def global_sites(found: DeviceAccesses, copies: Mapping[Pair, int]) -> tuple[GlobalSite, ...]:
    """The sites of one kernel that access global memory, in the order of the code."""
    own = global_accesses(found)
    return tuple(_site(found, access, line_of(access, copies)) for access in own)


def global_accesses(found: DeviceAccesses) -> tuple[Access, ...]:
    """The accesses that touch global memory, one for each of `global_sites`."""
    copies = (SharedKind.ASYNC_COPY, SharedKind.BULK_COPY)
    return tuple(a for a in found.accesses if a.memory == "global" or a.kind in copies)


def sector_figures(count: GlobalCount) -> dict[str, Any]:
    """The counts as fields of a GlobalSite."""
    return {
        "instructions": count.instructions,
        "requested_bytes": count.requested_bytes,
        "distinct_bytes": count.distinct_bytes,
        "sectors": count.sectors,
        "least_sectors": count.least_sectors,
        "pairs": count.pairs,
        "far_pairs": count.far_pairs,
    }


def _site(found: DeviceAccesses, access: Access, line: int | None) -> GlobalSite:
    outside = access.memory != "global"
    buffer = access.partner_buffer if outside else access.buffer

    def site(**figures: Any) -> GlobalSite:
        return GlobalSite(
            line,
            KINDS[access.kind],
            Level.IR,
            access.operation,
            buffer,
            access.dtype or None,
            access.size_bytes if access.kind is SharedKind.BULK_COPY else access.width_bytes,
            **figures,
        )

    if access.unknown is not None:
        return site(unknown=access.unknown)
    try:
        if access.kind is SharedKind.BULK_COPY:
            return site(**_moved(found, access))
        address = access.partner if outside else access.address
        assert address is not None
        return site(**_counted(found, access, address))
    except UnknownValueError as error:
        return site(**_asked(found, access), unknown=str(error))


def _counted(found: DeviceAccesses, access: Access, address: Node) -> dict[str, Any]:
    conditions = (*access.conditions, *access.filled)
    patterns = lane_patterns(found.axes, address, access.loops, conditions, modulus=LINE)
    past_l1 = access.kind is SharedKind.ASYNC_COPY and access.width_bytes == PAST_L1
    width, weights = access.width_bytes, patterns.weights
    count = count_sectors(patterns.addresses, width, weights=weights, past_l1=past_l1)
    return {**sector_figures(count), "sampled": patterns.sampled}


def _asked(found: DeviceAccesses, access: Access) -> dict[str, Any]:
    """What is known of an access by data: how often it runs, and how much it asks for."""
    conditions = (*access.conditions, *access.filled)
    told = [node for node in conditions if node.unknown is None]
    try:
        patterns = lane_patterns(found.axes, const(0), access.loops, told)
    except UnknownValueError:
        return {}
    lanes = np.asarray((patterns.addresses >= 0).sum(axis=1) * patterns.weights).sum().item()
    most = lanes * access.width_bytes
    if len(told) < len(conditions):
        return {"most_bytes": most}
    instructions = patterns.weights.sum().item()
    return {"instructions": instructions, "requested_bytes": most, "most_bytes": most}


def _moved(found: DeviceAccesses, access: Access) -> dict[str, Any]:
    """Bytes of boxes; a box that reaches over the tensor's edge counts in full."""
    patterns = lane_patterns(found.axes, const(0), access.loops, access.conditions)
    lanes = np.asarray((patterns.addresses >= 0).sum(axis=1) * patterns.weights).sum().item()
    moved = lanes * access.size_bytes if access.size_bytes else None
    return {"instructions": lanes, "requested_bytes": moved, "distinct_bytes": moved}
