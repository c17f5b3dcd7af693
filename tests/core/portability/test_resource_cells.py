from __future__ import annotations

from typing import Any

import pytest
from portability_facts import KIB, compiled, lowered

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import Failure
from workbench.core.portability.model import CellState
from workbench.core.portability.resource_cells import block_registers, registers, shared_memory
from workbench.core.targets.table import TargetTable

# The most that a block can have, from the vendors' tables: KiB.
MOST = {"sm_75": 64, "sm_80": 163, "sm_86": 99, "sm_90a": 227, "gfx942": 64, "metal": 32}


@pytest.mark.parametrize(("target", "most"), MOST.items())
def test_shared_memory_fits_up_to_the_limit_and_not_a_byte_more(
    facts: Any, target: str, most: int
) -> None:
    fits = shared_memory(facts(target, analysis=lowered(most * KIB)))
    over = shared_memory(facts(target, analysis=lowered(most * KIB + 1)))
    assert (fits.state, fits.text) == (CellState.GOOD, f"{most} of {most} KiB")
    assert over.state is CellState.BAD
    assert over.source is not None


def test_too_much_shared_memory_is_told_with_its_line(facts: Any) -> None:
    error = Diagnostic("shared-memory-over-limit", Severity.ERROR, "too much", TextRange(59))
    analysis = AnalyzeResult(None, lowered(96 * KIB).kernels, diagnostics=(error,))
    cell = shared_memory(facts("gfx942", analysis=analysis))
    assert cell.clause == "96 KiB of shared memory are over the limit of 64 KiB"
    assert (cell.line, cell.diagnostic) == (59, error)


def test_what_the_launch_decides_is_unknown(facts: Any) -> None:
    cell = shared_memory(facts("sm_80", analysis=lowered(None)))
    assert (cell.state, cell.text) == (CellState.UNKNOWN, "unknown")


def test_a_kernel_that_does_not_lower_has_no_size(facts: Any) -> None:
    cell = shared_memory(facts("sm_80", analysis=AnalyzeResult(Failure("kernel", "no"))))
    assert cell.state is CellState.UNKNOWN
    assert "does not lower" in cell.reason


def test_registers_of_a_block_are_counted_by_whole_warps(table: TargetTable) -> None:
    limits = table.architecture("sm_90a").limits
    # 255 × 32 rounds up to 32 units of 256; 5 warps to 8, of four subpartitions.
    assert block_registers(255, 160, limits) == 32 * 256 * 8
    assert block_registers(64, 128, limits) == 64 * 128


def test_more_registers_than_a_block_can_have(facts: Any) -> None:
    cell = registers(facts("sm_80", analysis=lowered(threads=512), code=compiled(168)))
    assert cell.state is CellState.BAD
    assert cell.clause == "86,016 registers of a block are over the limit of 65,536"


def test_spills_are_a_caution_and_the_usual_is_good(facts: Any) -> None:
    spilling = registers(facts("sm_80", code=compiled(255, spill_bytes=64)))
    usual = registers(facts("sm_80", code=compiled(168)))
    assert (spilling.state, spilling.text) == (CellState.CAUTION, "255 × 128, spills")
    assert (usual.state, usual.text) == (CellState.GOOD, "168 × 128")


def test_registers_that_no_compiler_tells_are_unknown(facts: Any) -> None:
    cell = registers(facts("gfx942"))
    assert (cell.state, cell.text) == (CellState.UNKNOWN, "? × 128")
    assert registers(facts("metal")).state is CellState.NONE
