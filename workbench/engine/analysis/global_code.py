"""Global memory by the machine code: bytes and sectors of the PTX's loads, stores and copies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from workbench.core.analysis.coalescing import count_sectors
from workbench.core.analysis.global_sites import GlobalKind, GlobalSite
from workbench.core.analysis.shared_sites import Level
from workbench.engine.analysis.code_traces import CodeTrace, CodeTraces, Ints
from workbench.engine.analysis.global_ir import sector_figures
from workbench.engine.analysis.shared_code import whole

_KINDS = {
    "ld": GlobalKind.LOAD,
    "ldu": GlobalKind.LOAD,
    "st": GlobalKind.STORE,
    "atom": GlobalKind.ATOMIC,
    "red": GlobalKind.ATOMIC,
    "cp": GlobalKind.ASYNC_COPY,
}


def global_code_sites(found: CodeTraces, lines: Mapping[int, int | None]) -> tuple[GlobalSite, ...]:
    """The sites of a kernel's PTX that access global memory but for bulk copies."""
    groups: dict[tuple[Any, ...], list[CodeTrace]] = {}
    for trace in found.traces:
        each = trace.instruction
        copied = each.op[0] == "cp" and "bulk" not in each.op
        if each.op[0] in _KINDS and (trace.space == "global" or copied):
            line = lines.get(each.line[1]) if each.line is not None else None
            groups.setdefault((line, each.text, trace.width_bytes), []).append(trace)
    return tuple(_site(key, group, found.sampled) for key, group in groups.items())


def _site(key: tuple[Any, ...], group: list[CodeTrace], sampled: bool) -> GlobalSite:
    line, text, width = key
    each = group[0].instruction
    site = GlobalSite(line, _KINDS[each.op[0]], Level.CODE, text, None, each.type, width)
    unknown = next((trace.unknown for trace in group if trace.unknown), None)
    if unknown is not None:
        return _replaced(site, {"unknown": unknown})
    rows = np.concatenate([_outside(trace) for trace in group])
    past_l1 = each.op[0] == "cp" and "cg" in each.op
    counts = np.concatenate([trace.counts for trace in group])
    count = sector_figures(count_sectors(rows, width, weights=counts, past_l1=past_l1))
    scaled = {name: whole(value * group[0].weight) for name, value in count.items()}
    return _replaced(site, {**scaled, "sampled": sampled})


def _outside(trace: CodeTrace) -> Ints:
    """Addresses in global memory: of a copy those that it reads from."""
    return trace.rows if trace.partners is None else trace.partners


def _replaced(site: GlobalSite, fields: dict[str, Any]) -> GlobalSite:
    return GlobalSite(**{**vars(site), **fields})
