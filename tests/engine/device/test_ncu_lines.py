from __future__ import annotations

from tests.support.measured_counters import recorded
from workbench.core.counters.source_csv import Instruction, SourcePage, read_source_csv
from workbench.core.linked_code import LinkedText
from workbench.engine.device import ncu_lines
from workbench.engine.device.ncu_lines import KernelLines, line_counters

WAVEFRONTS = "memory_l1_wavefronts_shared"
TEXT = "first\n  T.gemm(A, B, C)\n  T.copy(C, D)\n"
PTX = LinkedText(
    "ptx",
    "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%f1}, %rd1, %rd2, p, 1, 1;\n"
    "mbarrier.arrive.shared.b64 _, [%r1];\n"
    "cp.async.cg.shared.global [%r2], [%rd3], 16;\n"
    "cp.async.ca.shared.global [%r2], [%rd3], 8;\n"
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd5];",
    (2, 3, 2, 3, 3),
)


def page(*rows: tuple[int, str, float]) -> SourcePage:
    made = (Instruction(offset, text, {WAVEFRONTS: count}) for offset, text, count in rows)
    return SourcePage("main_kernel", tuple(made))


def lines(by_address: dict[int, int]) -> KernelLines:
    return KernelLines(by_address, ncu_lines._of_kinds(PTX))


def counted(made: SourcePage, by_address: dict[int, int]) -> dict[int, float]:
    found = line_counters(made, lines(by_address), TEXT)
    return {each.line: each.values[WAVEFRONTS] for each in found}


def test_what_was_counted_is_summed_by_line() -> None:
    made = page((0, "LDS R0, [R1]", 4), (16, "LDS R2, [R3]", 8), (32, "STS [R0], R2", 1))
    first, second = line_counters(made, lines({0: 2, 16: 2, 32: 3}), TEXT)
    assert (first.line, first.values[WAVEFRONTS], first.text) == (2, 12, "T.gemm(A, B, C)")
    assert (second.line, second.values[WAVEFRONTS]) == (3, 1)


def test_instructions_of_no_line_are_left_out() -> None:
    assert counted(page((0, "NOP", 5), (16, "LDS R0, [R1]", 4)), {16: 3}) == {3: 4}


def test_a_product_with_the_line_of_a_neighbour_is_at_the_only_line_with_products() -> None:
    made = page((0, "HGMMA.64x128x16.F32 R24", 4), (16, "@P0 HGMMA.64x128x16.F32 R88", 4))
    assert counted(made, {0: 2, 16: 3}) == {2: 8}
    assert counted(page((0, "UTMALDG.2D [UR8], [UR4]", 1)), {}) == {3: 1}


def test_what_could_be_of_two_lines_is_at_its_own_or_at_none() -> None:
    made = page((0, "LDGSTS.E.BYPASS.128 [R1], [R2.64]", 1), (16, "LDGSTS.E.64 [R1], [R2.64]", 8))
    assert counted(made, {0: 3, 16: 9}) == {3: 1}


def test_all_wavefronts_of_a_gemm_on_an_h200_are_at_its_line() -> None:
    (measured,) = read_source_csv(recorded("c05_gemm_sm90.source.csv"))
    assert counted(measured, {}) == {2: 393216, 3: 0}
