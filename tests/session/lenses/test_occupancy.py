"""What limits the blocks stands target by target, with the next step of each resource.

The resources and limits of measured kernels are an H200's, as Nsight Compute showed them; the other
figures are worked by hand from the limits of the architectures.
"""

from __future__ import annotations

import json
import pathlib
from dataclasses import replace
from typing import Any

import pytest

from tests.support.analysis_results import occupancy
from tests.support.lens_subjects import lens_subject, lens_target
from workbench.core.analysis.block_limits import BlockResources, Carveout, Resource
from workbench.core.jobs import CompileResult, Resources
from workbench.core.targets.table import load_targets
from workbench.session.lenses.occupancy.bars import LimitRow, percent
from workbench.session.lenses.occupancy.picture import OccupancyPicture, occupancy_picture
from workbench.session.lenses.occupancy.stairs import Curve, Stair
from workbench.session.lenses.subject import LensSubject, LensTarget

MEASURED = pathlib.Path(__file__).parents[2] / "data" / "analysis" / "h200-occupancy.json"
FLASH = BlockResources(128, 136, 0, 24 * 1024)  # c12_flash_sm80, as measured
SM = ("h100", "a100", "rtx4090")


def subject(block: BlockResources, *names: str, level: int = 2) -> LensSubject:
    targets = (
        lens_target(name, mark, level, block_resources=block) for mark, name in enumerate(names)
    )
    return lens_subject(*targets)


def picture(block: BlockResources, *names: str, level: int = 2) -> OccupancyPicture:
    found = occupancy_picture(subject(block, *names, level=level))
    assert isinstance(found, OccupancyPicture)
    return found


def row(found: OccupancyPicture, resource: Resource) -> LimitRow:
    return next(each for each in found.rows if each.resource is resource)


def stair(found: OccupancyPicture, resource: Resource) -> Stair:
    return next(each for each in found.stairs if each.resource is resource)


def texts(found: OccupancyPicture, resource: Resource) -> list[str]:
    place = next(n for n, each in enumerate(found.stairs) if each.resource is resource)
    return [note.text for note in found.notes[place]]


def test_bars_are_the_limits_of_every_target() -> None:
    """136 registers are 544 by 8 lanes' units a warp: 3 blocks of 4 warps in 65,536."""
    found = picture(FLASH, *SM)
    cells = {each.resource: [cell and cell.blocks for cell in each.cells] for each in found.rows}
    assert cells == {
        Resource.REGISTERS: [3, 3, 3],
        Resource.SHARED: [9, 6, 4],  # of 228, 164 and 100 KiB, 25 KiB each with the reserve
        Resource.WARPS: [16, 16, 12],
        Resource.BLOCKS: [32, 32, 24],
    }
    limiting = [cell and cell.is_limiting for cell in row(found, Resource.REGISTERS).cells]
    assert limiting == [True] * 3
    assert [column.warps for column in found.columns] == [
        "12 of 64 warps",
        "12 of 64 warps",
        "12 of 48 warps",
    ]
    assert [column.share for column in found.columns] == ["18.8 %", "18.8 %", "25 %"]
    assert found.slots == 32


def test_the_conclusion_names_the_limit_and_the_step() -> None:
    assert picture(FLASH, *SM).conclusion == (
        "Registers limit every target to 3 blocks per SM. "
        "128 instead of 136 registers a thread would give a fourth."
    )


@pytest.mark.parametrize(
    "kernel", json.loads(MEASURED.read_text())["kernels"], ids=lambda kernel: str(kernel["kernel"])
)
def test_limits_of_a_measured_kernel_are_the_profilers(kernel: dict[str, Any]) -> None:
    block = BlockResources(
        kernel["threads"],
        kernel["registers"],
        kernel["shared_static_bytes"],
        kernel["shared_dynamic_bytes"],
    )
    carved = occupancy(carveout=Carveout(kernel["carveout_bytes"], given=True))
    found = occupancy_picture(
        lens_subject(lens_target("h200", block_resources=block, occupancy=carved))
    )
    assert isinstance(found, OccupancyPicture)
    limits = {each.resource.value: each.cells[0] and each.cells[0].blocks for each in found.rows}
    shown = {name: kernel["limits"][name] for name in ("registers", "warps", "blocks")}
    shared = kernel["limits"]["shared_mem"]
    assert shown.items() <= limits.items()
    if shared:  # of one that ran it said 0
        assert limits["shared_mem"] == shared
        assert found.columns[0].share == percent(kernel["theoretical_occupancy_pct"] / 100)


def test_stairs_over_registers_step_where_a_block_more_fits() -> None:
    """A warp's registers in units of 256 out of 16,384 a quarter: n warps each have 16384/n."""
    curve = stair(picture(FLASH, "h100"), Resource.REGISTERS).curves[0]
    assert [(step.value, step.blocks) for step in curve.steps] == [
        (56, 9),  # shared memory holds nine
        (64, 8),
        (72, 7),
        (80, 6),
        (96, 5),
        (128, 4),
        (168, 3),
        (255, 2),
    ]
    assert curve.at is not None
    assert (curve.at.value, curve.at.blocks, curve.at.fraction) == (136, 3, 0.1875)
    assert curve.better is not None
    assert (curve.better.value, curve.better.blocks, curve.better.fraction) == (128, 4, 0.25)
    assert curve.worse == 169
    assert curve.fraction_at(100) == 0.25


def test_notes_put_targets_of_one_step_together() -> None:
    found = picture(FLASH, *SM)
    assert texts(found, Resource.REGISTERS) == [
        "≤ 128: 4 blocks",
        "25 % H100, A100",
        "33.3 % RTX 4090",
    ]
    # Of 100 KiB three blocks have 33.3 each, a multiple of 128 bytes less 1 KiB of reserve.
    assert texts(found, Resource.SHARED) == [
        "no gain from less alone",
        "fewer above 32.25 KiB, RTX 4090",
    ]
    assert texts(found, Resource.WARPS) == ["no better block size"]


def test_a_block_too_large_for_one_target_says_what_would_fit() -> None:
    found = picture(BlockResources(128, 32, 0, 120 * 1024), "h100", "rtx4090")
    assert found.conclusion == (
        "No block fits on RTX 4090: 122880 bytes of shared memory; a block can have 101376. "
        "Shared memory limits H100 to 1 block per SM. "
        "113 KiB instead of 120 KiB of shared memory would give a second."
    )
    assert found.columns[1].is_fault


def test_different_limits_are_told_apart() -> None:
    block = BlockResources(128, 226, 0, 48 * 1024)  # 2 by registers; 4, 3 and 2 by shared memory
    assert picture(block, *SM).conclusion.startswith(
        "Registers limit H100 and A100 to 2 blocks per SM; "
        "registers and shared memory limit RTX 4090 to 2. On H100, 168 instead of 226"
    )


def test_full_targets_have_no_step() -> None:
    found = picture(BlockResources(256, 32), "h100", "a100")
    assert found.conclusion == "Every target is full: 8 blocks fill all 64 places for warps."


def test_unknown_registers_are_a_gap_with_the_action_that_fills_it() -> None:
    found = picture(replace(FLASH, registers=None), "h100", level=1)
    cell = row(found, Resource.REGISTERS).cells[0]
    assert cell is not None
    assert (cell.blocks, cell.text) == (None, "unknown")
    column = found.columns[0]
    assert (column.share, column.note) == ("≤ 56.2 %", "registers unknown")
    assert column.needs_analysis
    assert found.conclusion == (
        "At most 9 blocks per SM on H100: Analyze (F7) counts the registers, which may allow fewer."
    )
    registers = stair(found, Resource.REGISTERS).curves[0]
    assert (registers.at, registers.at_most) == (None, False)
    assert stair(found, Resource.SHARED).curves[0].at_most
    assert texts(found, Resource.REGISTERS) == ["unknown", "H100"]


def test_registers_of_a_compile_fill_the_gap() -> None:
    block = replace(FLASH, registers=None)
    target = lens_target("h100", level=1, block_resources=block)
    compiled = CompileResult(None, resources=Resources(registers=136))
    found = occupancy_picture(lens_subject(replace(target, compiled=compiled)))
    assert isinstance(found, OccupancyPicture)
    assert found.conclusion.startswith("Registers limit H100 to 3 blocks per SM.")


def test_amd_has_its_own_words_and_no_action() -> None:
    """Of 64 KiB two blocks of 24 have a place; wavefronts are of 64 lanes."""
    missing = {"registers": "no compiler for AMD is used here: VGPRs are unknown"}
    target = lens_target("mi300x", block_resources=replace(FLASH, registers=None))
    assert target.analysis is not None
    found = occupancy_picture(
        lens_subject(replace(target, analysis=replace(target.analysis, missing=missing)))
    )
    assert isinstance(found, OccupancyPicture)
    assert [each.name for each in found.rows][:3] == ["VGPRs", "LDS", "Wavefronts"]
    assert found.columns[0].warps == "4 of 32 wavefronts"
    assert not found.columns[0].needs_analysis
    assert (
        found.conclusion == "At most 2 blocks per CU on MI300X: no compiler for AMD is used here."
    )


def test_static_and_dynamic_shared_memory_over_48_kib_has_room() -> None:
    """1 KiB static and 48 KiB dynamic are 50 KiB with the driver's: four in 228."""
    found = picture(BlockResources(128, 32, 1024, 48 * 1024), "h100")
    assert found.conclusion == (
        "Shared memory limits H100 to 4 blocks per SM. "
        "44.5 KiB instead of 49 KiB of shared memory would give a fifth."
    )
    cell = row(found, Resource.SHARED).cells[0]
    assert cell is not None
    assert (cell.blocks, cell.text, found.columns[0].note) == (4, "4", "")


def test_what_it_was_before_stays_as_a_ghost() -> None:
    now, was = subject(FLASH, "h100"), subject(replace(FLASH, registers=168), "h100")
    more = subject(replace(FLASH, registers=240), "h100")
    found = occupancy_picture(replace(now, before=more.targets))
    assert isinstance(found, OccupancyPicture)
    cell = row(found, Resource.REGISTERS).cells[0]
    assert cell is not None
    assert (cell.blocks, cell.before) == (3, 2)
    ghost = _curve(found).before
    assert ghost is not None
    assert (ghost.value, ghost.blocks) == (240, 2)
    same = occupancy_picture(replace(now, before=now.targets))
    assert isinstance(same, OccupancyPicture)
    assert _curve(same).before is None
    moved = occupancy_picture(replace(now, before=was.targets))
    assert isinstance(moved, OccupancyPicture)
    assert _curve(moved).before is not None


def _curve(found: OccupancyPicture) -> Curve:
    return stair(found, Resource.REGISTERS).curves[0]


def test_without_rules_or_figures_it_says_why() -> None:
    nothing = LensTarget(load_targets().resolve("h100"), 0)
    assert occupancy_picture(lens_subject(nothing)) == "nothing was computed yet"
    ascend: Any = occupancy_picture(subject(FLASH, "ascend910b"))
    assert ascend.startswith("the rules of")
    beside = picture(FLASH, "h100", "ascend910b")
    assert beside.columns[1].note.startswith("the rules of")
    assert beside.conclusion.startswith("Registers limit H100 to 3")
