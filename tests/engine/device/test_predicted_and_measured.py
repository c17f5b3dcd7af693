"""Predictions of whole kernels beside what an H200 counted of them."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from tests.support.measured_counters import COUNTERS, ORACLE, counters_of, row_of
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.counters.against import Comparison, Verdict, compare
from workbench.core.counters.raw_csv import read_raw_csv
from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import select
from workbench.core.jobs import AnalyzeRequest, KernelChoice, Source
from workbench.core.targets.model import Target
from workbench.core.targets.table import load_targets

QUICK = {"atomic_i32_strided", "gemm_bias_epilogue_sm90"}  # the others are thorough
# Addresses from data, and floating-point atomics: what is unknown of these.
DATA_DEPENDENT = {"c14_reduce_smem", "h09_hist_data"}


def documents(folder: pathlib.Path) -> list[Any]:
    return [
        pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.thorough)
        for path in sorted(folder.glob("*.py"))
        if not path.stem.startswith("sweep")
    ]


def predicted(path: pathlib.Path) -> tuple[KernelAnalysis, Target]:
    from workbench.engine.analysis.job import analyze_kernel

    document = read_document(path)
    chosen = select(document, None, None, {})[0]
    target = load_targets().resolve(chosen.case.targets[0])
    source = Source(str(path), document.text, str(path.parent), trusted=True)
    kernel = chosen.kernel
    choice = KernelChoice(kernel.name, kernel.style.value, chosen.args, kernel.line)
    result = analyze_kernel(AnalyzeRequest(source, choice, target.to_json()), lambda *_: None)
    return result.kernels[0], target


def exact(comparisons: tuple[Comparison, ...]) -> dict[str, Comparison]:
    return {each.quantity.key: each for each in comparisons if not each.estimate}


@pytest.mark.parametrize("path", documents(ORACLE / "kernels"))
def test_nothing_computed_of_the_first_kernels_differs(path: pathlib.Path) -> None:
    analysis, target = predicted(path)
    found = exact(compare(analysis, counters_of(row_of(path)), target.arch))
    assert {each for each in found.values() if each.verdict is Verdict.DIFFERS} == set()
    unknown = {
        key
        for key, each in found.items()
        # Of what takes over 48 KiB the profiler says that shared memory has room for no block.
        if each.verdict is Verdict.UNKNOWN and each.note != "the profiler says 0, the kernel runs"
    }
    if path.stem not in DATA_DEPENDENT:
        assert unknown <= {"occupancy"}  # of one the profiler did not tell it
    assert {"registers", "shared.wavefronts", "occupancy_limit.shared_memory"} <= set(found)
    page = ORACLE / "ncu" / f"{path.stem}.raw.csv"
    if page.exists():
        report = read_raw_csv(page.read_text())
        compared = exact(compare(analysis, report.kernels[0], target.arch))
        assert {each.verdict for each in compared.values()} == {Verdict.EQUAL}


@pytest.mark.parametrize("path", documents(COUNTERS / "kernels"))
def test_registers_and_occupancy_of_the_other_kernels_are_equal(path: pathlib.Path) -> None:
    analysis, target = predicted(path)
    found = exact(compare(analysis, counters_of(row_of(path)), target.arch))
    told = ("registers", "shared_static_bytes", "shared_dynamic_bytes", "block_size", "occupancy")
    limits = tuple(key for key in found if key.startswith("occupancy_limit."))
    for key in (*told, *limits):
        assert found[key].verdict is not Verdict.DIFFERS, found[key]
    assert found["registers"].verdict is Verdict.EQUAL
