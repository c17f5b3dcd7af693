"""What a launch leaves idle, with numbers that can be checked by hand."""

from __future__ import annotations

import pytest

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.launch_findings import ModelWaves, launch_findings, smaller_tile
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.analysis.register_budget import RegisterBudget
from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.doctor.rule_table import rule
from workbench.core.jobs import Resources
from workbench.core.targets.table import load_targets

TABLE = load_targets()


def found(
    target: str,
    blocks: int | None,
    threads: int = 128,
    registers: int = 32,
    shared: int = 0,
    budget: RegisterBudget | None = None,
) -> dict[str, Diagnostic]:
    device = TABLE.resolve(target)
    needs = BlockResources(threads, registers, dynamic_shared_bytes=shared)
    analysis = KernelAnalysis(
        "k",
        (blocks, 1, 1),
        (threads, 1, 1),
        shared,
        occupancy=occupancy_of(needs, device.arch),
        register_budget=budget,
    )
    resources = Resources(registers=registers, shared_dynamic_bytes=shared)
    told = list(launch_findings(analysis, resources, device, 7))
    for each in told:
        known = rule(each.code)
        assert known is not None
        assert (each.severity, each.stage) == (known.severity, known.stage.value)
        assert each.severity is Severity.INFO
        assert each.range is not None
        assert each.range.line == 7
    return {each.code: each for each in told}


def test_one_block_of_four_warps_is_told_with_what_lets_in_a_second() -> None:
    # An A100 has 164 KiB: for two blocks 82 KiB each, of which the driver keeps 1 KiB.
    hint = found("sm_80", 1000, registers=206, shared=128 * 1024)["low-occupancy"]
    assert "One block of 4 warps runs on a multiprocessor that holds 64" in hint.message
    assert "128 KiB of shared memory" in hint.message
    assert hint.help == "With 81 KiB of shared memory or less, 2 blocks of 8 warps together fit."


def test_registers_that_keep_out_a_second_block_are_told() -> None:
    # 65,536 registers: 256 threads of 255 (taken as 256) take them all.
    hint = found("sm_80", 1000, threads=256, registers=255)["low-occupancy"]
    assert "255 registers a thread" in hint.message
    assert "128 registers a thread or fewer" in (hint.help or "")


@pytest.mark.parametrize(
    ("threads", "registers", "shared"),
    [(128, 32, 64 * 1024), (512, 128, 128 * 1024), (128, 128, 0)],
)
def test_two_blocks_or_many_warps_are_enough(threads: int, registers: int, shared: int) -> None:
    assert "low-occupancy" not in found("sm_80", 1000, threads, registers, shared)


def test_warp_groups_that_hand_on_registers_run_alone_on_purpose() -> None:
    budget = RegisterBudget(61440, 33792, ())
    told = found("h100", 1000, threads=256, registers=168, shared=128 * 1024, budget=budget)
    assert "low-occupancy" not in told


def test_fewer_blocks_than_multiprocessors_are_told() -> None:
    hint = found("sm_80", 4)["grid-too-small"]
    assert "4 blocks on the 108 multiprocessors of NVIDIA A100" in hint.message
    assert "104 of 108" in hint.message
    assert "1/32 of the elements" in (hint.help or "")  # 4 x 32 = 128 blocks


def test_a_grid_is_small_where_every_known_model_has_more() -> None:
    assert "72 multiprocessors of NVIDIA A10" in found("sm_86", 64)["grid-too-small"].message
    assert "grid-too-small" not in found("sm_86", 72)  # an RTX 3090 has 82
    assert "grid-too-small" in found("rtx3090", 72)


def test_compute_units_of_amd_are_counted_too() -> None:
    assert "304 compute units" in found("mi300x", 64)["grid-too-small"].message


@pytest.mark.parametrize(
    ("blocks", "lost"), [(109, 0.495), (217, 0.330), (433, 0.198), (150, 0.306)]
)
def test_a_last_wave_that_does_little_is_told(blocks: int, lost: float) -> None:
    waves = ModelWaves(blocks, 108, "A100", 108)
    assert waves.lost == pytest.approx(lost, abs=0.001)
    assert waves.is_lopsided
    hint = found("sm_80", blocks, threads=1024, shared=96 * 1024)["tail-wave"]
    assert f"{lost:.0%}" in hint.message or f"{round(lost * 100)}%" in hint.message


@pytest.mark.parametrize("blocks", [108, 173, 216, 541, 4096])
def test_full_waves_and_many_waves_are_none(blocks: int) -> None:
    # 173: the second wave is more than half full. 541: 1 of 6 waves is nearly empty, 16.5 %.
    assert "tail-wave" not in found("sm_80", blocks, threads=1024, shared=96 * 1024)


def test_what_is_known_at_the_launch_only_is_left_out() -> None:
    assert found("sm_80", None) == {}


def test_a_tile_is_halved_until_there_are_enough() -> None:
    assert smaller_tile((128, 128), 4, 108) == (32, 16, 128)
    assert smaller_tile((128, 256), 64, 132) == (128, 64, 256)
    assert smaller_tile((64, 64), 1, 108) is None
