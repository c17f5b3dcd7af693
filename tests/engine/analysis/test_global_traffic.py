from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from workbench.core.analysis.global_sites import GlobalKind
from workbench.core.analysis.traffic import GlobalReport

from .conftest import ORACLE, Analyze, Analyzed

KERNELS = sorted(path.stem for path in (ORACLE / "kernels").glob("[ch]*.py"))
COUNTERS = pathlib.Path(__file__).parents[2] / "data" / "counters"
OWN: dict[str, Any] = json.loads((COUNTERS / "h200-counters.json").read_text())["kernels"]
# By the IR more than is moved: the compiler reads it once, or joins what it stores.
IMPROVED = {
    "h14_atomic_i32",
    "atomic_i32_strided",
    "dequant_int4",
    "gemm_bias_epilogue_sm90",
    "rms_norm",
    "softmax_online",
    "strided_stores_96",
}
# Compiled anyhow for `test_measured_kernels`; the others are thorough.
QUICK = {"atomic_i32_strided", "gemm_ragged_sm80"}


def some(names: list[str]) -> list[Any]:
    return [n if n in QUICK else pytest.param(n, marks=pytest.mark.thorough) for n in names]


HEAD = """import tilelang
import tilelang.language as T

@tilelang.jit
def kernel():
    @T.prim_func
"""
STRIDED = f"""{HEAD}
    def main(X: T.Tensor((8192,), "float32"), Y: T.Tensor((1024,), "float32")):
        with T.Kernel(8, threads=128) as bx:
            tx = T.get_thread_binding(0)
            Y[bx * 128 + tx] = X[(bx * 128 + tx) * 8]
    return main
"""
RAGGED = f"""{HEAD}
    def main(X: T.Tensor((1000,), "float32"), Y: T.Tensor((1000,), "float32")):
        with T.Kernel(8, threads=128) as bx:
            tx = T.get_thread_binding(0)
            if bx * 128 + tx < 1000:
                Y[bx * 128 + tx] = X[bx * 128 + tx] * 2.0
    return main
"""
GATHER = f"""{HEAD}
    def main(
        X: T.Tensor((4096,), "float32"),
        I: T.Tensor((1024,), "int32"),
        Y: T.Tensor((1024,), "float32"),
    ):
        with T.Kernel(8, threads=128) as bx:
            tx = T.get_thread_binding(0)
            Y[bx * 128 + tx] = X[I[bx * 128 + tx]]
    return main
"""
REPEATED = f"""{HEAD}
    def main(X: T.Tensor((64, 256), "float32"), Y: T.Tensor((4, 256), "float32")):
        with T.Kernel(4, threads=256) as bx:
            tx = T.get_thread_binding(0)
            S = T.alloc_local((1,), "float32")
            S[0] = 0.0
            for r in T.serial(64):
                S[0] += X[r, tx]
            Y[bx, tx] = S[0]
    return main
"""


def report_of(analyzed: Analyzed, wave_blocks: int = 132, code: bool = False) -> GlobalReport:
    from workbench.engine.analysis import shared_memory
    from workbench.engine.analysis.global_traffic import global_report

    found = shared_memory.accesses_of(analyzed.kernel)
    if not code:
        return global_report(analyzed.kernel, found, wave_blocks, lacks="not compiled")
    traces = shared_memory.traces_of(analyzed.kernel, analyzed.code, found)
    return global_report(analyzed.kernel, found, wave_blocks, traces, analyzed.code.lines)


@pytest.mark.thorough
@pytest.mark.parametrize("name", KERNELS)
def test_sectors_are_those_that_the_hardware_counted(
    name: str, counters: dict[str, Any], analyze: Analyze
) -> None:
    analyzed = analyze(ORACLE / "kernels" / f"{name}.py", code=True)
    _check_sectors(name, analyzed, counters[name])


@pytest.mark.parametrize("name", some(sorted(OWN)))
def test_sectors_of_our_own_kernels_are_those_that_the_hardware_counted(
    name: str, analyze: Analyze
) -> None:
    measured = OWN[name]
    analyzed = analyze(COUNTERS / "kernels" / f"{name}.py", measured["target"], code=True)
    _check_sectors(name, analyzed, measured)
    report = report_of(analyzed)
    assert report.bulk_load_bytes == measured["tma_load_bytes"]
    assert report.bulk_store_bytes == measured["tma_store_bytes"]


def _check_sectors(name: str, analyzed: Analyzed, measured: dict[str, Any]) -> None:
    in_code, in_ir = report_of(analyzed, code=True).totals, report_of(analyzed).totals
    counted: tuple[float, float] = (
        measured["global_load_sectors"],
        measured["global_store_sectors"],
    )
    assert (in_code.load_sectors, in_code.store_sectors) == counted
    assert in_ir.load_sectors is not None
    assert in_ir.store_sectors is not None
    if name in IMPROVED:
        assert in_ir.load_sectors + in_ir.store_sectors > counted[0] + counted[1]
    else:
        assert (in_ir.load_sectors, in_ir.store_sectors) == counted


@pytest.mark.thorough
@pytest.mark.parametrize("name", KERNELS)
def test_unique_bytes_are_what_the_hardware_read_from_memory(
    name: str, counters: dict[str, Any], analyze: Analyze
) -> None:
    report = report_of(analyze(ORACLE / "kernels" / f"{name}.py"))
    measured = counters[name]["dram_read_bytes"]
    assert report.unique_load_bytes == pytest.approx(measured, rel=0.025)


def test_a_stride_of_a_sector_takes_one_a_lane(analyze: Analyze) -> None:
    report = report_of(analyze(STRIDED, "h200"))
    (load,) = [site for site in report.sites if site.kind is GlobalKind.LOAD]
    assert (load.instructions, load.sectors, load.requested_bytes) == (32, 1024, 4096)
    assert load.least_sectors == 32 * 4
    assert report.unique_load_bytes == 32768
    assert (report.totals.store_sectors, report.unique_store_bytes) == (128, 4096)


def test_lanes_behind_the_edge_ask_for_nothing(analyze: Analyze) -> None:
    report = report_of(analyze(RAGGED, "h200"))
    assert report.totals.load_sectors == 31 * 4 + 1
    assert (report.load_bytes, report.store_bytes) == (4000, 4000)


def test_a_gather_is_unknown_beside_what_is_known_of_it(analyze: Analyze) -> None:
    report = report_of(analyze(GATHER, "h200"))
    assert report.totals.load_sectors is None
    assert report.totals.unknown == ("it depends on the data in I",)
    (gathered,) = [site for site in report.sites if site.buffer == "X"]
    assert (gathered.sectors, gathered.requested_bytes, gathered.most_bytes) == (None, None, 4096)
    indices = [site for site in report.sites if site.buffer == "I"]  # also read for a bounds check
    assert 128 in {site.sectors for site in indices}
    assert report.unique_load_bytes is None


def test_blocks_that_read_the_same_fetch_it_from_memory_once(analyze: Analyze) -> None:
    report = report_of(analyze(REPEATED, "h200"))
    assert report.load_bytes == 4 * 64 * 1024
    assert report.unique_load_bytes == 64 * 1024
    traffic = report.traffic
    assert (traffic.l2_load_bytes, traffic.dram_load_bytes) == (4 * 64 * 1024, 64 * 1024)


@pytest.mark.thorough
def test_the_accelerators_bytes_are_told_beside_the_sectors(
    counters: dict[str, Any], analyze: Analyze
) -> None:
    report = report_of(analyze(ORACLE / "kernels/h03_gemm_epi_swz.py"))
    assert report.totals.load_sectors == 0
    # A and B, 512 x 512 of 2 bytes, are read by each of 8 columns or rows of blocks.
    assert report.bulk_load_bytes == 2 * 8 * 512 * 512 * 2
    assert report.bulk_store_bytes == 512 * 512 * 2
