"""The JSON of an analysis, in the form that scripts rely on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from workbench.core.analysis.block_limits import Resource
from workbench.core.analysis.global_sites import GlobalSite
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.lifetimes import Lifetimes
from workbench.core.analysis.occupancy import Occupancy
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.analysis.shared_sites import (
    Count,
    Level,
    SharedKind,
    SharedReport,
    SharedSite,
    SharedTotal,
    sum_or_none,
)
from workbench.core.analysis.traffic import GlobalReport
from workbench.core.analysis.work import Work
from workbench.core.jobs import Resources
from workbench.core.plain import to_plain

_LEVELS = {Level.IR: 1, Level.CODE: 2}
METHODS = {
    Level.IR: "computed from the lowered IR",
    Level.CODE: "computed from the machine code (PTX)",
}
# "load" and "store" as the hardware's counters have them: with the matrix instructions.
TOTALS = {
    "load": (SharedKind.LOAD, SharedKind.LDMATRIX),
    "store": (SharedKind.STORE, SharedKind.STMATRIX),
    "atomic": (SharedKind.INTEGER_ATOMIC, SharedKind.FLOAT_ATOMIC),
    "async_copy": (SharedKind.ASYNC_COPY,),
    "tensor": (SharedKind.TENSOR,),
}
LIMITS = {
    "warps": Resource.WARPS,
    "blocks": Resource.BLOCKS,
    "registers": Resource.REGISTERS,
    "shared_memory": Resource.SHARED,
    "barriers": Resource.BARRIERS,
}
PARTS = (
    "function",
    "grid",
    "block",
    "resources",
    "occupancy",
    "shared",
    "global",
    "operations",
    "flops",
    "estimate",
    "lifetimes",
    "line_registers",
    "register_budget",
    "unit_buffers",
)
_LIMIT_NAMES = {resource: name for name, resource in LIMITS.items()}


def analysis_json(result: AnalyzeResult) -> dict[str, Any]:
    """The fields of a result from its grid on: of its first kernel, with the others beside it."""
    kernels = [kernel_json(each, result.resources) for each in result.kernels]
    first = kernels[0] if kernels else dict.fromkeys(PARTS)
    return {**first, "more_kernels": kernels[1:]}


def kernel_json(kernel: KernelAnalysis, resources: Resources | None) -> dict[str, Any]:
    """The parts of one kernel; a part that is unknown is None."""
    return {
        "function": kernel.name,
        "grid": kernel.grid,
        "block": kernel.block,
        "resources": _resources(kernel, resources),
        "occupancy": _occupancy(kernel.occupancy),
        "shared": _shared(kernel.shared),
        "global": _global(kernel.global_memory),
        "operations": _operations(kernel),
        "flops": _flops(kernel.work),
        "estimate": to_plain(kernel.estimate),
        "lifetimes": _lifetimes(kernel.lifetimes),
        "line_registers": to_plain(kernel.line_registers),
        "register_budget": to_plain(kernel.register_budget),
        "unit_buffers": to_plain(kernel.unit_buffers),
    }


def limit_name(resource: Resource) -> str:
    """A resource as scripts name it."""
    return _LIMIT_NAMES.get(resource, resource.value)


def _resources(kernel: KernelAnalysis, resources: Resources | None) -> dict[str, Any]:
    known = resources or Resources()
    return {
        "registers": known.registers,
        "spill_bytes": known.spill_bytes,
        "stack_bytes": known.stack_bytes,
        "shared_static_bytes": known.shared_static_bytes,
        "shared_dynamic_bytes": kernel.shared_dynamic_bytes,
        "barriers": known.barriers,
        "fragment_registers": kernel.fragment_registers,
        "source": known.source,
    }


def _occupancy(found: Occupancy | None) -> dict[str, Any] | None:
    if found is None:
        return None
    limits = {limit_name(limit.resource): limit.blocks for limit in found.limits}
    return {
        "fraction": found.fraction,
        "blocks_per_sm": found.blocks,
        "warps_per_sm": found.warps,
        "most_blocks_per_sm": found.most_blocks,
        "limits": {**dict.fromkeys(LIMITS), **limits},
        "limiters": [limit_name(resource) for resource in found.limiting],
        "carveout_bytes": found.carveout.size_bytes,
        "carveout_source": "given" if found.carveout.given else "assumed: the largest",
        "reasons": list(found.reasons),
        "method": "computed: the toolkit's published rules (cuda_occupancy.h; AMD: LLVM)",
    }


def _shared(report: SharedReport | None) -> dict[str, Any] | None:
    if report is None:
        return None
    return {
        "totals": {name: _total(report, kinds) for name, kinds in TOTALS.items()},
        "sites": [_site(site) for site in report.sites],
        "lines": [{**to_plain(line), "level": _LEVELS[line.level]} for line in report.lines],
        "level": _LEVELS[report.level],
        "method": METHODS[report.level],
        "confirmed_by_sass": report.confirmed,
        "lacks": report.lacks,
        "notes": list(report.notes),
    }


def _total(report: SharedReport, kinds: Sequence[SharedKind]) -> dict[str, Any]:
    own = [total for total in report.totals if total.kind in kinds]
    unknown = [s for s in report.sites if s.kind in kinds and s.wavefronts is None]
    return {
        "instructions": _sum(own, "instructions"),
        "wavefronts": _sum(own, "wavefronts"),
        "ideal": _sum(own, "ideal"),
        "conflicts": _sum(own, "conflicts"),
        "known": whole(sum(total.known_wavefronts for total in own)),
        "unknown_sites": len(unknown),
        "unknown_reasons": sorted({reason for total in own for reason in total.unknown}),
    }


def _sum(totals: Iterable[SharedTotal], name: str) -> Count | None:
    return whole(sum_or_none([getattr(total, name) for total in totals]))


def whole(count: Count | None) -> Count | None:
    """A count without a fraction as an integer."""
    return int(count) if count is not None and count == int(count) else count


def _site(site: SharedSite) -> dict[str, Any]:
    return {
        "line": site.line,
        "buffer": site.buffer,
        "op": site.kind.value,
        "bytes": site.width_bytes,
        "executions": whole(site.instructions),
        "wavefronts": whole(site.wavefronts),
        "ideal": whole(site.ideal),
        "conflicts": whole(site.conflicts),
        "ways": site.ways,
        "method": METHODS[site.level],
        "level": _LEVELS[site.level],
        "operation": site.operation,
        "moved_bytes": whole(site.moved_bytes),
        "rules": site.measured_on and f"measured: {site.measured_on}",
        "sampled": site.sampled,
        "unknown": site.unknown,
    }


def _global(report: GlobalReport | None) -> dict[str, Any] | None:
    if report is None:
        return None
    return {
        "load_bytes": whole(report.load_bytes),
        "store_bytes": whole(report.store_bytes),
        "unique_load_bytes": whole(report.unique_load_bytes),
        "unique_store_bytes": whole(report.unique_store_bytes),
        "load_sectors": whole(report.totals.load_sectors),
        "store_sectors": whole(report.totals.store_sectors),
        "sites": [_global_site(site) for site in report.sites],
        "bulk_load_bytes": whole(report.bulk_load_bytes),
        "bulk_store_bytes": whole(report.bulk_store_bytes),
        "traffic": to_plain(report.traffic),
        "level": _LEVELS[report.level],
        "method": METHODS[report.level],
        "lacks": report.lacks,
        "unknown_reasons": list(report.totals.unknown),
    }


def _global_site(site: GlobalSite) -> dict[str, Any]:
    return {
        "line": site.line,
        "buffer": site.buffer,
        "op": site.kind.value,
        "bytes": site.width_bytes,
        "executions": whole(site.instructions),
        "requested_bytes": whole(site.requested_bytes),
        "sectors": whole(site.sectors),
        "ideal_sectors": whole(site.least_sectors),
        "method": METHODS[site.level],
        "level": _LEVELS[site.level],
        "operation": site.operation,
        "sampled": site.sampled,
        "unknown": site.unknown,
    }


def _flops(work: Work | None) -> dict[str, Any] | None:
    if work is None:
        return None
    return {
        "tensor": whole(work.tensor_flops),
        "scalar": whole(work.scalar_flops),
        "tensor_by_format": {name: whole(n) for name, n in work.tensor_formats().items()},
        "method": METHODS[Level.IR],
    }


def _operations(kernel: KernelAnalysis) -> list[dict[str, Any]] | None:
    if kernel.operations is None:
        return None
    return [
        {
            "line": each.line,
            "op": each.op,
            "instruction": each.instruction,
            "bytes": each.bytes,
            "note": each.note,
            "kind": each.kind,
            "buffers": list(each.buffers),
        }
        for each in kernel.operations
    ]


def _lifetimes(found: Lifetimes | None) -> dict[str, Any] | None:
    return None if found is None else {**to_plain(found), "saved_bytes": found.saved_bytes}
