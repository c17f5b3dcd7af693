"""Shared memory, registers and occupancy of the kernels that were measured on an H200."""

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from workbench.core.analysis.block_limits import Resource
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.analysis.shared_sites import Level, SharedKind, SharedTotal, totals_of

from .conftest import ORACLE, Analyze, Analyzed

KINDS = {
    "ld": SharedKind.LOAD,
    "st": SharedKind.STORE,
    "ldsm": SharedKind.LDMATRIX,
    "stsm": SharedKind.STMATRIX,
    "ldgsts": SharedKind.ASYNC_COPY,
    "atom": SharedKind.INTEGER_ATOMIC,
    "gmma": SharedKind.TENSOR,
}
# Every kind of instruction, compiled within a minute; the others are thorough.
QUICK = {
    "atomic_i32_strided",  # ld, st, atom
    "async_copy_narrow_sm80",  # ld, ldgsts of 4 and 8 bytes
    "gemm_ragged_sm80",  # ldsm, ldgsts of 16 bytes, also of zeros
    "gemm_bias_epilogue_sm90",  # stsm, gmma
    "gather_shared",  # unknown
}
DATA = pathlib.Path(__file__).parents[2] / "data"
COUNTERS = DATA / "counters"
AGREEMENT = DATA / "analysis" / "shared-agreement.json"
OUTCOMES: dict[str, dict[str, str]] = json.loads(AGREEMENT.read_text())["kernels"]
# Wavefronts of copies that rows beginning in the middle of a sector cost beyond the rules.
BEYOND = {("gemm_ragged_sm80", "ldgsts"): 160}
LIMITS = {
    "warps": Resource.WARPS,
    "blocks": Resource.BLOCKS,
    "registers": Resource.REGISTERS,
    "shared_mem": Resource.SHARED,
    "barriers": Resource.BARRIERS,
}


def documents() -> list[Any]:
    folders = (COUNTERS / "kernels", ORACLE / "kernels")
    paths = [path for folder in folders for path in sorted(folder.glob("*.py"))]
    return [
        pytest.param(path, id=path.stem, marks=() if path.stem in QUICK else pytest.mark.thorough)
        for path in paths
        if not path.stem.startswith("sweep")
    ]


def measured(path: pathlib.Path) -> dict[str, Any]:
    own = COUNTERS in path.parents
    name = COUNTERS / "h200-counters.json" if own else ORACLE / "h200-kernel-counters.json"
    row: dict[str, Any] = json.loads(name.read_text())["kernels"][path.stem]
    return row


def wanted(row: dict[str, Any]) -> dict[str, float]:
    """Wavefronts by kind; those of tensor operands are what is left of the total."""
    own = {name: count for name, count in row["sass_wavefronts"].items() if name != "gmma"}
    return {**own, "gmma": row["memory_l1_wavefronts_shared"] - sum(own.values())}


def outcome(totals: tuple[SharedTotal, ...], path: pathlib.Path) -> str:
    """Whether the totals are equal to the counters, differ from them, or are in part unknown."""
    found = {total.kind: total for total in totals}
    doubtful = any(total.unknown for total in totals)
    unlike = False
    for name, count in wanted(measured(path)).items():
        if SharedKind.FLOAT_ATOMIC in found and name in ("atom", "gmma"):
            continue  # the counters have these atomics among those of integers
        total = found.get(KINDS[name])
        expected = count - BEYOND.get((path.stem, name), 0)
        mine = 0 if total is None else total.wavefronts
        unlike = unlike or (mine is not None and mine != expected)
    return "differs" if unlike else "unknown" if doubtful else "equal"


@pytest.mark.parametrize("path", documents())
def test_wavefronts_are_those_that_the_hardware_counted(
    path: pathlib.Path, analyze: Analyze
) -> None:
    report = analyze(path, code=True).report
    assert (report.level, report.confirmed) == (Level.CODE, True), report.notes
    assert outcome(report.totals, path) == OUTCOMES[path.stem]["level_2"] != "differs"
    by_ir = totals_of(report.ir_sites)
    assert outcome(by_ir, path) == OUTCOMES[path.stem]["level_1"]
    if OUTCOMES[path.stem]["level_1"] == "differs":
        assert any(line.differs for line in report.lines)


@pytest.mark.parametrize("path", documents())
def test_conflicts_are_those_that_the_hardware_counted(
    path: pathlib.Path, analyze: Analyze
) -> None:
    totals = {total.kind: total for total in analyze(path, code=True).report.totals}
    row = measured(path)
    for counter, conflicts in row["sass_conflicts"].items():
        total = totals.get(KINDS[counter])
        assert (total.conflicts if total else 0) == conflicts
    for counter, parts in {"load": ("ld", "ldsm"), "store": ("st", "stsm")}.items():
        own = [totals[KINDS[part]] for part in parts if KINDS[part] in totals]
        quiet = row["wavefronts"][counter] == sum(row["sass_wavefronts"][p] for p in parts)
        if quiet and all(total.conflicts is not None for total in own):
            assert sum(total.conflicts or 0 for total in own) == row["conflicts"][counter]


@pytest.mark.parametrize("path", documents())
def test_registers_shared_memory_and_occupancy_are_those_of_the_launch(
    path: pathlib.Path, analyze: Analyze
) -> None:
    row, analyzed = measured(path), analyze(path, code=True)
    block = analyzed.block()
    assert max(16, block.registers or 0) == row["registers_per_thread"]
    assert block.dynamic_shared_bytes == row["shared_dynamic_bytes"]
    assert block.static_shared_bytes == row["shared_static_bytes"]
    carveout = int(row["shared_carveout_bytes"])
    found = occupancy_of(block, analyzed.kernel.target.arch, carveout)
    assert found is not None
    for name, resource in LIMITS.items():
        used = name != "shared_mem" or block.shared_bytes > 0
        if row["occupancy_limits"].get(name) and used:  # 0 is of a kernel that ran
            assert found.blocks_by(resource) == row["occupancy_limits"][name], name
    if row["theoretical_occupancy_pct"] is not None and found.blocks:
        assert found.fraction == pytest.approx(row["theoretical_occupancy_pct"] / 100, abs=1e-4)


def test_copies_that_lost_their_lines_are_told_at_them(analyze: Analyze) -> None:
    analyzed = analyze(COUNTERS / "kernels" / "gemm_ragged_sm80.py", code=True)
    own = [site for site in analyzed.report.sites if site.kind is SharedKind.ASYNC_COPY]
    text = analyzed.text.splitlines()
    assert {(site.buffer, text[(site.line or 0) - 1].split("[")[0].strip()) for site in own} == {
        ("A_shared", "T.copy(A"),
        ("B_shared", "T.copy(B"),
    }
    assert not any(line.differs for line in analyzed.report.lines)


def test_what_depends_on_data_is_unknown_and_says_so(analyze: Analyze) -> None:
    report = analyze(COUNTERS / "kernels" / "histogram_shared.py").report
    totals = {total.kind: total for total in report.totals}
    atomic = totals[SharedKind.INTEGER_ATOMIC]
    assert (atomic.wavefronts, atomic.unknown) == (None, ("it depends on the data in X",))


def test_floating_point_atomics_leave_the_number_of_loads_unknown(analyze: Analyze) -> None:
    analyzed: Analyzed = analyze(COUNTERS / "kernels" / "atomic_f32_shared.py")
    totals = {total.kind: total for total in analyzed.report.totals}
    assert totals[SharedKind.FLOAT_ATOMIC].wavefronts is None
    assert totals[SharedKind.LOAD].wavefronts is None
    assert totals[SharedKind.STORE].wavefronts == 64


def test_the_table_of_agreement_is_that_of_the_tests() -> None:
    text = (pathlib.Path(__file__).parents[3] / "docs" / "analysis.md").read_text()
    ours = {path.stem for path in (COUNTERS / "kernels").glob("*.py")}
    for title, names in (("41 kernels", ours), ("16 kernels", set(OUTCOMES) - ours)):
        cells = []
        for level in ("level_1", "level_2"):
            told = [OUTCOMES[name][level] for name in names]
            counts = (told.count("equal"), told.count("unknown"), told.count("differs"))
            cells.append(" / ".join(str(count) for count in counts))
        assert f"| {title} | {cells[0]} | {cells[1]} |" in text
