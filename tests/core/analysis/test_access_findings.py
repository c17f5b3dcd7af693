"""Which accesses are told: patterns of lanes whose cost can be counted by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.core.analysis.access_findings import access_findings, is_narrow, is_scattered
from workbench.core.analysis.coalescing import count_sectors
from workbench.core.analysis.global_sites import GlobalKind, GlobalSite, global_totals
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.shared_sites import (
    Level,
    SharedKind,
    SharedReport,
    SharedSite,
    totals_of,
)
from workbench.core.analysis.traffic import GlobalReport, traffic_of
from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.doctor.rule_table import rule
from workbench.core.targets.table import load_targets

TABLE = load_targets()
LANES = np.arange(32)


def site(addresses: Any, width: int, kind: GlobalKind = GlobalKind.LOAD, line: int = 3) -> Any:
    count = count_sectors(addresses, width)
    figures = {
        name: getattr(count, name)
        for name in (
            "instructions", "requested_bytes", "distinct_bytes", "sectors", "least_sectors",
            "pairs", "far_pairs",
        )
    }  # fmt: skip
    return GlobalSite(line, kind, Level.IR, "load", "X", "float32", width, **figures)


def told(*sites: GlobalSite, shared: tuple[SharedSite, ...] = (), target: str = "a100") -> Any:
    report = GlobalReport(
        "k",
        Level.IR,
        sites,
        global_totals(sites),
        *[None] * 6,
        (),
        (),
        traffic_of((), (), 1, 1, 1, None),
    )
    accesses = SharedReport("k", Level.IR, shared, shared, totals_of(shared), ())
    analysis = KernelAnalysis("k", (1, 1, 1), (32, 1, 1), shared=accesses, global_memory=report)
    found = list(access_findings(analysis, TABLE.resolve(target)))
    for each in found:
        _agrees(each, target)
    return [each.code for each in found]


def _agrees(diagnostic: Diagnostic, target: str) -> None:
    known = rule(diagnostic.code)
    assert known is not None
    assert diagnostic.stage == known.stage.value
    measured = TABLE.resolve(target).arch.vendor.value == "nvidia"
    assert diagnostic.severity is (known.severity if measured else Severity.INFO)


@pytest.mark.parametrize("stride", [32, 512, 4096])
def test_lanes_in_sectors_of_their_own_are_scattered(stride: int) -> None:
    column = site(LANES * stride, 4)  # 32 sectors where 4 would do
    assert (column.sectors, column.least_sectors, column.far_pairs) == (32, 4, 31)
    assert told(column) == ["uncoalesced-access"]


def test_two_columns_of_16_rows_are_scattered_too() -> None:
    assert is_scattered(site((LANES % 16) * 512 + LANES // 16 * 4, 4))


def test_a_vector_taken_one_element_at_a_time_is_not() -> None:
    # Four instructions one after the other read the same 16 sectors in full.
    own = site(LANES * 16, 4)
    assert (own.sectors, own.least_sectors) == (16, 4)
    assert told(own) == []


def test_the_result_of_a_matrix_instruction_is_not() -> None:
    # Four lanes a row of 8 halves: 8 rows, a sector each, where 4 sectors would do.
    assert told(site(LANES // 4 * 512 + LANES % 4 * 4, 4, GlobalKind.STORE)) == []


def test_rows_of_16_bytes_a_thread_are_not() -> None:
    assert told(site(LANES * 4096, 16)) == []


@pytest.mark.parametrize(("width", "is_told"), [(1, True), (2, True), (4, False), (16, False)])
def test_neighbours_that_move_less_than_a_line_are_narrow(width: int, is_told: bool) -> None:
    assert told(site(LANES * width, width)) == (["narrow-access"] if is_told else [])


def test_one_value_for_all_lanes_is_not_narrow() -> None:
    assert not is_narrow(site(LANES * 0, 2))


def test_what_moves_a_tenth_of_the_bytes_does_not_matter() -> None:
    large = site(LANES * 16, 16)  # 512 bytes
    assert told(large, site(LANES[:24] * 2, 2, line=4)) == []  # 48 bytes
    assert told(large, site(LANES * 2, 2, line=4)) == ["narrow-access"]  # 64 bytes


def conflict(kind: SharedKind = SharedKind.LOAD, conflicts: int = 31) -> SharedSite:
    return SharedSite(
        5, kind, Level.IR, "load", "s", "float32", 4, 1, 1 + conflicts, 1, conflicts, 1,
        1 + conflicts,
    )  # fmt: skip


def test_lanes_of_one_bank_are_told_and_copies_in_the_background_are_not() -> None:
    assert told(shared=(conflict(),)) == ["bank-conflict"]
    assert told(shared=(conflict(SharedKind.ASYNC_COPY),)) == []
    assert told(shared=(conflict(conflicts=0),)) == []


def test_updates_that_data_choose_are_a_hint() -> None:
    update = SharedSite(
        5, SharedKind.INTEGER_ATOMIC, Level.IR, "atomic", "h", "int32", 4, unknown="by data"
    )
    analysis = KernelAnalysis(
        "k", (1, 1, 1), (32, 1, 1),
        shared=SharedReport("k", Level.IR, (update,), (update,), totals_of((update,)), ()),
    )  # fmt: skip
    (found,) = access_findings(analysis, TABLE.resolve("h200"))
    assert (found.code, found.severity) == ("bank-conflict", Severity.INFO)


def test_what_amd_documents_and_nobody_measured_is_a_hint() -> None:
    assert told(shared=(conflict(),), target="mi300x") == ["bank-conflict"]
    assert told(site(LANES * 2, 2), target="mi300x") == []
    assert told(site(LANES * 512, 4), target="mi300x") == ["uncoalesced-access"]


def test_addresses_that_depend_on_data_say_nothing() -> None:
    unknown = GlobalSite(3, GlobalKind.LOAD, Level.IR, "load", "X", "float16", 2, unknown="by data")
    assert told(unknown) == []
