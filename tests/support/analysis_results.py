"""Analyses as a worker gives them: a copy with a conflict, a product, a store."""

from __future__ import annotations

from typing import Any

from workbench.core.analysis.block_limits import Carveout, Resource
from workbench.core.analysis.estimate import METHOD, Estimate, PipeTime
from workbench.core.analysis.global_sites import GlobalKind, GlobalSite, global_totals
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.occupancy import Occupancy, ResourceLimit
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.analysis.shared_sites import (
    Level,
    SharedKind,
    SharedLine,
    SharedReport,
    SharedSite,
    totals_of,
)
from workbench.core.analysis.traffic import GlobalReport, Traffic
from workbench.core.analysis.work import Work, WorkSite, WorkUnit
from workbench.core.jobs import Resources

COPY, GEMM, STORE = 4, 5, 6  # the lines
UNKNOWN = "addresses depend on data"


def shared_site(line: int | None, kind: SharedKind, **counts: Any) -> SharedSite:
    return SharedSite(line, kind, Level.IR, "T.copy", "A_s", "float16", 16, **counts)


def shared_report(*sites: SharedSite) -> SharedReport:
    lines = tuple(
        SharedLine(
            site.line,
            site.level,
            site.instructions,
            site.wavefronts,
            site.conflicts,
            site.ways,
            site.wavefronts,
            None,
            False,
        )
        for site in sites
    )
    return SharedReport("main", Level.IR, sites, sites, totals_of(sites), lines)


def conflicting_report() -> SharedReport:
    return shared_report(
        shared_site(COPY, SharedKind.STORE, wavefronts=800, ideal=200, conflicts=600, ways=4),
        shared_site(GEMM, SharedKind.LDMATRIX, wavefronts=200, ideal=200, conflicts=0, ways=1),
    )


def global_report(*sites: GlobalSite) -> GlobalReport:
    traffic = Traffic(None, None, None, None, 132, 1, None)
    totals = global_totals(sites)
    return GlobalReport(
        "main", Level.IR, sites, totals, None, None, None, None, None, None, (), (), traffic
    )


def global_site(line: int, kind: GlobalKind, sectors: int) -> GlobalSite:
    asked = sectors * 32
    return GlobalSite(
        line,
        kind,
        Level.IR,
        "T.copy",
        "A",
        "float16",
        16,
        requested_bytes=asked,
        distinct_bytes=asked,
        sectors=sectors,
    )


def work() -> Work:
    tensor = WorkSite(GEMM, WorkUnit.TENSOR, "ptx_mma m16n8k16", "float16", 64, 2.5e9)
    wait = WorkSite(COPY, WorkUnit.WAIT, "tvm_storage_sync", "", 64, 0)
    return Work((tensor, wait), 64, 64)


def estimate(**pipes: float) -> Estimate:
    times = tuple(PipeTime(name, clocks) for name, clocks in pipes.items())
    return Estimate(12.34, "shared", METHOD, 1, None, 1, 4000.0, times, None)


def occupancy(**changes: Any) -> Occupancy:
    limits = (ResourceLimit(Resource.WARPS, 16), ResourceLimit(Resource.SHARED, 3))
    fields = {
        "limits": limits,
        "blocks": 3,
        "most_blocks": 3,
        "limiting": (Resource.SHARED,),
        "warps": 12,
        "most_warps": 12,
        "fraction": 0.1875,
        "carveout": Carveout(167936, given=False),
    }
    return Occupancy(**{**fields, **changes})


def analysis(**parts: Any) -> KernelAnalysis:
    """A kernel of 2 by 3 blocks; `parts` replace those of the usual one."""
    usual = {
        "occupancy": occupancy(),
        "shared": conflicting_report(),
        "global_memory": global_report(global_site(COPY, GlobalKind.LOAD, 100)),
        "work": work(),
        "estimate": estimate(shared=1000.0, tensor=600.0, l2=200.0, special=0.0),
    }
    return KernelAnalysis("main", (2, 3, 1), (128, 1, 1), 24 * 1024, **{**usual, **parts})


def analyzed(*kernels: KernelAnalysis, **fields: Any) -> AnalyzeResult:
    """The result of an analysis at level 1, of the usual kernel if none is given."""
    resources = Resources(shared_static_bytes=0, shared_dynamic_bytes=24 * 1024)
    fields = {"resources": resources, **fields}
    return AnalyzeResult(None, kernels or (analysis(),), **fields)
