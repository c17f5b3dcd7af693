from __future__ import annotations

from tests.support.measured_counters import recorded
from workbench.core.counters.source_csv import Instruction, SourcePage, read_source_csv
from workbench.engine.device.ncu_lines import line_counters

WAVEFRONTS = "memory_l1_wavefronts_shared"
TEXT = "first\n  T.gemm(A, B, C)\n  T.copy(C, D)\n"


def page(*rows: tuple[int, str, float]) -> SourcePage:
    made = (Instruction(offset, text, {WAVEFRONTS: count}) for offset, text, count in rows)
    return SourcePage("main_kernel", tuple(made))


def test_what_was_counted_is_summed_by_line() -> None:
    made = page((0, "LDS R0, [R1]", 4), (16, "LDS R2, [R3]", 8), (32, "STS [R0], R2", 1))
    first, second = line_counters(made, {0: 2, 16: 2, 32: 3}, TEXT)
    assert (first.line, first.values[WAVEFRONTS], first.text) == (2, 12, "T.gemm(A, B, C)")
    assert (second.line, second.values[WAVEFRONTS]) == (3, 1)


def test_instructions_of_no_line_are_left_out() -> None:
    (only,) = line_counters(page((0, "NOP", 5), (16, "LDS R0, [R1]", 4)), {16: 3}, TEXT)
    assert (only.line, only.values[WAVEFRONTS]) == (3, 4)


def test_a_matrix_instruction_that_lost_its_line_is_that_of_the_only_line_with_such() -> None:
    made = page((0, "HGMMA.64x128x16.F32 R24", 4), (16, "@P0 HGMMA.64x128x16.F32 R88", 4))
    (only,) = line_counters(made, {0: 2}, TEXT)
    assert (only.line, only.values[WAVEFRONTS]) == (2, 8)


def test_one_that_could_be_of_two_lines_is_of_none() -> None:
    made = page((0, "HMMA R0", 1), (16, "HMMA R4", 1), (32, "HMMA R8", 1))
    assert [each.values[WAVEFRONTS] for each in line_counters(made, {0: 2, 16: 3}, TEXT)] == [1, 1]


def test_all_wavefronts_of_a_gemm_on_an_h200_are_at_its_line() -> None:
    (measured,) = read_source_csv(recorded("c05_gemm_sm90.source.csv"))
    first = next(each for each in measured.instructions if each.text.startswith("HGMMA"))
    (only,) = line_counters(measured, {first.offset: 2}, TEXT)
    assert only.values[WAVEFRONTS] == 393216
