"""Targets of kernels whose operations and bytes are round numbers, for rooflines."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.support.analysis_results import GEMM, estimate, global_report, shared_report, shared_site
from tests.support.lens_subjects import lens_target
from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.analysis.traffic import Traffic
from workbench.core.analysis.work import Work, WorkSite, WorkUnit
from workbench.session.lenses.subject import LensTarget

FLOPS = 2e9


def product(name: str, mark: int = 0, dram: float | None = 8e6, **parts: Any) -> LensTarget:
    """A product of 2 GFLOP that takes 10 µs: 8 MB of DRAM, 20 MB of the L2, 40 MB of shared."""
    traffic = Traffic(16e6, 4e6, dram and dram - 2e6, dram and 2e6, 132, 1, True)
    usual = {
        "work": tensor_work(),
        "global_memory": replace(global_report(), traffic=traffic),
        "shared": shared_report(shared_site(GEMM, SharedKind.LDMATRIX, wavefronts=312500)),
        "estimate": replace(estimate(tensor=600.0), time_us=10.0, bound="tensor"),
    }
    return lens_target(name, mark, **{**usual, **parts})


def tensor_work(dtype: str = "float16", flops: float = FLOPS) -> Work:
    """Work of tensor cores alone, on the line of the product."""
    site = WorkSite(GEMM, WorkUnit.TENSOR, "ptx_mma m16n8k16", dtype, 64, flops)
    return Work((site,), 64, 64)


def no_work() -> Work:
    """The work of a kernel that moves data."""
    return Work((WorkSite(GEMM, WorkUnit.WAIT, "tvm_storage_sync", "", 64, 0),), 8, 8)
