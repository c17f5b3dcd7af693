from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from portability_facts import ASKS, COPY, GEMM, lowered

from workbench.core.analysis.operations import Operation
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import Failure
from workbench.core.portability.asks import Place, ProductAsk
from workbench.core.portability.instruction_cells import copies, dtypes, matrix_instructions
from workbench.core.portability.model import CellState

GOOD, CAUTION, BAD = CellState.GOOD, CellState.CAUTION, CellState.BAD


def asking(dtype: str) -> Any:
    product = ProductAsk(9, dtype, dtype, "float32")
    return replace(ASKS, products=(product,), dtypes=(Place(dtype, 3), Place("float32", 5)))


def product(instruction: str | None, note: str | None = None) -> tuple[Operation, Operation]:
    return replace(GEMM, instruction=instruction, note=note), COPY


@pytest.mark.parametrize(
    ("instruction", "text"),
    [
        ("wgmma m64n128k16 fp16, fp16 -> fp32", "wgmma"),
        ("mma.sync m16n8k16 fp16, fp16 -> fp32", "mma.sync"),
        ("v_mfma_f32_16x16x16f16", "MFMA"),
        ("simdgroup_multiply_accumulate 8x8x8", "simdgroup"),
    ],
)
def test_the_matrix_instruction_is_named(facts: Any, instruction: str, text: str) -> None:
    cell = matrix_instructions(facts("sm_90a", analysis=lowered(operations=product(instruction))))
    assert (cell.state, cell.text) == (GOOD, text)


def test_a_slower_instruction_is_a_caution_with_its_reason_and_line(facts: Any) -> None:
    note = "no wgmma: M = 32 is not a multiple of 64"
    operations = product("mma.sync m16n8k16", note)
    cell = matrix_instructions(facts("sm_90a", analysis=lowered(operations=operations)))
    assert (cell.state, cell.line) == (CAUTION, 9)
    assert note in cell.reason


def test_a_note_that_is_no_reason_is_no_caution(facts: Any) -> None:
    operations = product("wgmma m64n128k16", "A and B from shared memory")
    cell = matrix_instructions(facts("sm_90a", analysis=lowered(operations=operations)))
    assert cell.state is GOOD


def test_a_product_without_the_matrix_unit_is_a_caution(facts: Any) -> None:
    operations = product("load 2 B from shared")
    cell = matrix_instructions(facts("sm_75", analysis=lowered(operations=operations)))
    assert (cell.state, cell.text, cell.line) == (CAUTION, "scalar", 9)


def test_the_worst_of_several_products_is_told(facts: Any) -> None:
    second = replace(GEMM, line=12, op="T.gemm P, V -> O", instruction="load 2 B from shared")
    cell = matrix_instructions(facts("sm_75", analysis=lowered(operations=(GEMM, second))))
    assert (cell.text, cell.line) == ("scalar", 12)


def test_a_shape_that_no_instruction_takes_is_an_obstacle(facts: Any) -> None:
    found = Diagnostic("warp-partition-illegal", Severity.ERROR, "8 warps", TextRange(9))
    refused = AnalyzeResult(Failure("kernel", "no"), diagnostics=(found,))
    cell = matrix_instructions(facts("sm_80", analysis=refused))
    assert (cell.state, cell.text, cell.line) == (BAD, "shape", 9)


def test_a_kernel_without_products_asks_no_matrix_unit(facts: Any) -> None:
    plain = facts("sm_80", asks=replace(ASKS, products=()), analysis=lowered(operations=(COPY,)))
    assert matrix_instructions(plain).state is CellState.NONE


# By the PTX ISA's target notes of mma and cvt, the CDNA ISA's formats and the Metal language.
TYPES = [
    ("float16", "sm_70", GOOD, "native"),
    ("bfloat16", "sm_75", CAUTION, "bf16 emulated"),
    ("bfloat16", "sm_80", GOOD, "native"),
    ("bfloat16", "gfx942", GOOD, "native"),
    ("bfloat16", "metal", CAUTION, "bf16 from Metal 3.1"),
    ("float8_e4m3fn", "sm_80", BAD, "fp8 absent"),
    ("float8_e4m3fn", "sm_89", GOOD, "native"),
    ("float8_e4m3fn", "gfx942", BAD, "fnuz, not OCP"),
    ("float8_e4m3fn", "gfx950", GOOD, "native"),
    ("float8_e4m3fnuz", "gfx942", GOOD, "native"),
    ("float8_e4m3fnuz", "sm_90a", BAD, "OCP, not fnuz"),
    ("float8_e5m2", "metal", BAD, "fp8 absent"),
    ("float64", "metal", BAD, "fp64 absent"),
    ("float64", "sm_80", GOOD, "native"),
    ("float4_e2m1fn", "sm_90a", BAD, "fp4 absent"),
    ("int8", "sm_70", CAUTION, "int8 emulated"),
    ("float8_e4m3fn", "ascend", CellState.UNKNOWN, "fp8 unknown"),
]


@pytest.mark.parametrize(("dtype", "target", "state", "text"), TYPES)
def test_types_that_are_multiplied(
    facts: Any, dtype: str, target: str, state: CellState, text: str
) -> None:
    cell = dtypes(facts(target, asks=asking(dtype)))
    assert (cell.state, cell.text) == (state, text)


def test_an_instruction_that_does_not_exist_is_none_whatever_is_generated(facts: Any) -> None:
    operations = product("mma.sync m16n8k32 e4m3, e4m3 -> fp32")
    fp8 = asking("float8_e4m3fn")
    cell = matrix_instructions(facts("sm_80", asks=fp8, analysis=lowered(operations=operations)))
    assert (cell.state, cell.text, cell.line) == (BAD, "fp8 absent", 9)
    ada = matrix_instructions(facts("sm_89", asks=fp8, analysis=lowered(operations=operations)))
    assert (ada.state, ada.text) == (GOOD, "mma.sync")


def test_an_8_bit_float_that_is_only_stored_is_converted_by_software(facts: Any) -> None:
    stored = replace(ASKS, dtypes=(Place("float8_e4m3fn", 3),))
    for target in ("sm_80", "gfx942"):
        cell = dtypes(facts(target, asks=stored))
        assert (cell.state, cell.line) == (CAUTION, 3), target


def test_a_type_at_fault_leads_to_the_product_and_to_the_lint_finding(facts: Any) -> None:
    alone = dtypes(facts("sm_80", asks=asking("float8_e4m3fn")))
    assert alone.line == 9
    found = Diagnostic("target-unsupported", Severity.ERROR, "sm_80 cannot", TextRange(11))
    assert dtypes(facts("sm_80", asks=asking("float8_e4m3fn"), lint=(found,))).diagnostic == found


def test_copies_are_named_and_those_through_registers_are_a_caution(facts: Any) -> None:
    tma = replace(COPY, instruction="TMA load, box 128x32 of 16 bits")
    plain = replace(COPY, instruction="load 16 B from global, store 16 B to shared", note="why")
    assert copies(facts("sm_90a", analysis=lowered(operations=(tma,)))).text == "TMA"
    assert copies(facts("sm_80")).text == "cp.async"
    assert copies(facts("gfx950")).text == "to LDS"
    cell = copies(facts("sm_75", analysis=lowered(operations=(plain,))))
    assert (cell.state, cell.text, cell.line) == (CAUTION, "registers", 7)


def test_without_a_pipeline_nothing_is_lost_by_loads(facts: Any) -> None:
    plain = replace(COPY, instruction="load 16 B from global, store 16 B to shared")
    asks = replace(ASKS, pipelined_line=None)
    cell = copies(facts("sm_75", asks=asks, analysis=lowered(operations=(plain,))))
    assert (cell.state, cell.text) == (GOOD, "loads")


def test_a_tma_copy_that_is_asked_for_by_name_is_an_obstacle_without_tma(facts: Any) -> None:
    asks = replace(ASKS, operations=(Place("tma_copy", 8),))
    found = Diagnostic("target-unsupported", Severity.ERROR, "no TMA", TextRange(8))
    cell = copies(facts("sm_80", asks=asks, lint=(found,)))
    assert (cell.state, cell.line, cell.clause) == (BAD, 8, "there is no T.tma_copy")
    assert copies(facts("sm_90a", asks=asks)).state is GOOD
