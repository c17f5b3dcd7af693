from __future__ import annotations

from tests.support.measured_counters import recorded
from workbench.core.counters.source_csv import SAMPLES, SourcePage, metric_of, read_source_csv

WAVEFRONTS = "memory_l1_wavefronts_shared"
TWO = """\
"Kernel Name","first"
"Address","Source","# Samples","L1 Wavefronts Shared","Address Space"
"0x7f10","      LDS R0, [R1] ","3","1,024","Shared(1)"
"0x7f20","      EXIT ","0","-","-"
"Kernel Name","second"
"Address","Source","# Samples","L1 Wavefronts Shared","Address Space"
"0x100","      NOP ","1","0","-"
"""


def total(page: SourcePage, metric: str) -> float:
    return sum(each.values.get(metric, 0) for each in page.instructions)


def test_instructions_of_a_gemm_on_an_h200_have_their_wavefronts() -> None:
    (page,) = read_source_csv(recorded("c05_gemm_sm90.source.csv"))
    assert (page.kernel, len(page.instructions)) == ("main_kernel", 1624)
    assert [each.offset for each in page.instructions[:3]] == [0, 16, 32]
    products = [each for each in page.instructions if each.text.startswith("HGMMA")]
    assert sum(each.values[WAVEFRONTS] for each in products) == 393216 == total(page, WAVEFRONTS)


def test_every_launch_has_a_page_and_addresses_begin_at_its_first_instruction() -> None:
    first, second = read_source_csv(TWO)
    assert [(each.offset, each.text) for each in first.instructions] == [
        (0, "LDS R0, [R1]"),
        (16, "EXIT"),
    ]
    assert first.instructions[0].values == {SAMPLES: 3, WAVEFRONTS: 1024}
    assert first.instructions[1].values == {SAMPLES: 0}
    assert (second.kernel, second.instructions[0].offset) == ("second", 0)


def test_a_report_without_counters_of_instructions_has_instructions_alone() -> None:
    (page,) = read_source_csv('"Kernel Name","k"\n"Address","Source"\n"0x10","NOP"\n')
    assert page.instructions[0].values == {}


def test_columns_are_told_by_official_names() -> None:
    assert metric_of("stall_long_sb") == "smsp__pcsamp_warps_issue_stalled_long_scoreboard"
    assert metric_of("stall_barrier") == "smsp__pcsamp_warps_issue_stalled_barrier"
    assert metric_of("stall_wait (Not Issued)") is None
    assert metric_of("L1 Conflicts Shared N-Way") is None  # a mean does not add up
    assert metric_of(WAVEFRONTS) == WAVEFRONTS
