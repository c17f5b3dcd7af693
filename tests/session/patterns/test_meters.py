"""Meters of constructed figures: limits, what is unknown, and what is of earlier choices."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import Mock

import pytest

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.kernel_facts import KernelFacts
from workbench.core.analysis.work import Work
from workbench.core.jobs import Resources
from workbench.core.targets.table import load_targets
from workbench.session.patterns.cells import Cell, Figures
from workbench.session.patterns.meters import Meters, meters_of

TABLE = load_targets()
KIB = 1024


def _kernel(shared_kib: int = 96, threads: int = 256) -> KernelAnalysis:
    block = BlockResources(threads, None, dynamic_shared_bytes=shared_kib * KIB)
    estimate = Estimate(100.0, "dram", "model", 4, 0.5, 1, 1000.0, (), 90.0)
    return KernelAnalysis(
        "main", (16, 32, 1), (threads, 1, 1), block_resources=block, estimate=estimate
    )


def _cell(meters: Meters, title: str, at: int = 0) -> Cell:
    return next(row for row in meters.rows if row.title == title).cells[at]


def _of(name: str, kernel: KernelAnalysis | None, **more: object) -> Figures:
    return Figures(TABLE.resolve(name), kernel, **more)  # type: ignore[arg-type]


def test_shared_memory_over_the_limit_is_told_and_drawn() -> None:
    meters = meters_of([_of("h100", _kernel(144)), _of("rtx4090", _kernel(144))])

    fits, over = (_cell(meters, "Shared memory", at) for at in (0, 1))
    assert (fits.value, fits.unit, fits.of, fits.is_over) == ("144", "KiB", "of 227", False)
    assert (over.of, over.is_over) == ("over 99", True)
    assert over.share is not None
    assert over.limit is not None
    assert over.share > over.limit


@pytest.mark.parametrize("title", ["Occupancy", "Last wave", "Throughput", "Time"])
def test_what_does_not_fit_has_no_figures_of_a_run_but_the_reason(title: str) -> None:
    cell = _cell(meters_of([_of("rtx4090", _kernel(144))]), title)

    assert (cell.value, cell.note) == ("does not fit", "45 KiB over")
    assert (cell.is_known, cell.is_over) == (False, True)
    assert cell.tip == "A block needs 144 KiB of shared memory, and RTX 4090 gives it 99 KiB."


def test_too_many_threads_or_registers_do_not_fit_either() -> None:
    many = _cell(meters_of([_of("h100", _kernel(32, 2048))]), "Time")
    wide = _of("h100", _kernel(32, 512), registers=Resources(200, 0, source="ptxas"))

    assert (many.value, many.note) == ("does not fit", "1,024 threads over")
    assert _cell(meters_of([wide]), "Time").value == "does not fit"
    assert "registers" in _cell(meters_of([wide]), "Time").tip


def test_earlier_figures_do_not_stand_for_what_does_not_fit() -> None:
    quick = replace(_kernel(144), estimate=None)

    meters = meters_of([_of("rtx4090", quick, is_quick=True, last=_kernel(96))])

    assert _cell(meters, "Time").value == "does not fit"
    assert not _cell(meters, "Time").is_stale


def test_occupancy_without_registers_is_at_most_so_much() -> None:
    cell = _cell(meters_of([_of("h100", _kernel(96))]), "Occupancy")

    assert cell.value.startswith("≤ ")
    assert cell.note == "16 of 64"


def test_registers_of_a_compile_take_the_place_of_estimated_ones() -> None:
    counted = Resources(168, 0, source="ptxas")

    cell = _cell(meters_of([_of("h100", _kernel(), registers=counted)]), "Registers")

    assert (cell.value, cell.of) == ("168", "of 255")


def test_waves_are_of_the_blocks_that_counted_registers_leave_room_for() -> None:
    estimated = _cell(meters_of([_of("h100", _kernel(16))]), "Last wave")
    counted = _of("h100", _kernel(16), registers=Resources(64, 0, source="ptxas"))

    assert estimated.note == f"{512 / 132:.2f} waves"
    assert _cell(meters_of([counted]), "Occupancy").note == "32 of 64"
    assert _cell(meters_of([counted]), "Last wave").note == f"{512 / (132 * 4):.2f} waves"


def test_what_is_unknown_says_why() -> None:
    meters = meters_of([_of("h100", None, why="it does not lower")])

    assert {cell.note for row in meters.rows for cell in row.cells} == {"it does not lower"}
    assert not any(cell.is_known for row in meters.rows for cell in row.cells)


def test_an_estimate_that_is_missing_says_why() -> None:
    bare = replace(_kernel(48), estimate=None)

    meters = meters_of([_of("mi300x", bare, missing={"estimate": "no model of CDNA"})])

    assert _cell(meters, "Time").note == "no model of CDNA"


def test_quick_figures_stand_beside_greyed_ones_of_the_earlier_choices() -> None:
    quick = replace(_kernel(144), estimate=None)

    meters = meters_of([_of("h100", quick, is_quick=True, last=_kernel(96))])

    assert _cell(meters, "Shared memory").value == "144"
    assert not _cell(meters, "Shared memory").is_stale
    assert _cell(meters, "Time").value == "100"
    assert _cell(meters, "Time").is_stale


def test_time_says_what_bounds_it() -> None:
    cell = _cell(meters_of([_of("h100", _kernel())]), "Time")

    assert (cell.value, cell.unit, cell.note) == ("100", "µs", "DRAM")


def test_meters_that_no_target_has_are_left_out() -> None:
    bare = KernelAnalysis("main", (1, 1, 1), (1, 1, 1))

    meters = meters_of([_of("cpu", bare)])

    assert "Shared memory" not in [row.title for row in meters.rows]


def test_registers_that_were_counted_are_no_prediction() -> None:
    counted = Resources(168, 0, source="ptxas")

    meters = meters_of([_of("h100", _kernel(), registers=counted)])

    assert _cell(meters, "Registers").is_counted
    assert not _cell(meters, "Shared memory").is_counted


@pytest.mark.parametrize(
    ("names", "note"),
    [
        (("h100", "rtx4090"), "warps per SM"),
        (("mi300x",), "waves per CU"),
        (("h100", "mi300x"), "warps per SM or CU"),
    ],
)
def test_occupancy_is_told_in_the_words_of_the_makers(names: tuple[str, ...], note: str) -> None:
    meters = meters_of([_of(name, _kernel(32)) for name in names])

    assert next(row for row in meters.rows if row.title == "Occupancy").note == note


def test_estimated_registers_leave_room_for_the_one_block_that_is_launched() -> None:
    block = BlockResources(512, None, dynamic_shared_bytes=16 * KIB)
    facts = Mock(spec=KernelFacts, registers=200)
    estimate = Estimate(100.0, "dram", "model", 1, 0.5, 1, 1000.0, (), 90.0, facts=facts)
    kernel = replace(_kernel(), block_resources=block, estimate=estimate)

    cell = _cell(meters_of([_of("h100", kernel)]), "Occupancy")

    assert (cell.value, cell.note) == ("25", "16 of 64")


def test_what_computes_nothing_has_a_bandwidth_and_no_intensity() -> None:
    meters = meters_of([_of("h100", replace(_kernel(), work=Work((), 32, 16)))])

    assert "Intensity" not in [row.title for row in meters.rows]


def test_the_time_is_that_of_all_kernels_of_the_call() -> None:
    cell = _cell(meters_of([_of("h100", _kernel(), rest_us=25.0)]), "Time")
    lacking = _cell(meters_of([_of("h100", _kernel(), rest_us=None)]), "Time")

    assert (cell.value, cell.unit) == ("125", "µs")
    assert "the others of the call 25.0 µs" in cell.tip
    assert lacking.value == "≥ 100"


def test_an_earlier_time_is_of_all_kernels_too() -> None:
    bare = replace(_kernel(), estimate=None)
    found = _of("h100", bare, is_quick=True, last=_kernel(), rest_us=25.0)

    cell = _cell(meters_of([found]), "Time")

    assert (cell.value, cell.is_stale) == ("125", True)


def test_long_times_are_in_milliseconds() -> None:
    slow = replace(_kernel(), estimate=Estimate(21059.0, "dram", "m", 1, 0.5, 1, 1.0, (), 90.0))

    cell = _cell(meters_of([_of("h100", slow)]), "Time")

    assert (cell.value, cell.unit) == ("21.1", "ms")
