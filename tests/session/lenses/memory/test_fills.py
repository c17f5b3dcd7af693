"""A level that does not fit says so, and what limits the blocks is named."""

from __future__ import annotations

import pytest

from tests.support.lens_subjects import lens_subject, lens_target
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.unit_buffers import UnitBuffer
from workbench.core.targets.table import load_targets
from workbench.session.lenses.memory import memory_picture
from workbench.session.lenses.memory.fills import l2_fill, register_fill, shared_fill
from workbench.session.lenses.memory.model import Level, MemoryPicture
from workbench.session.lenses.subject import LensTarget

KIB = 1024


def target(block: BlockResources, name: str = "a100") -> LensTarget:
    return lens_target(name, block_resources=block, occupancy=None, lifetimes=None)


def picture(found: LensTarget) -> MemoryPicture:
    made = memory_picture(lens_subject(found), found)
    assert made is not None
    return made


def test_a_block_over_what_a_launch_may_have_is_over_the_limit() -> None:
    """163 KiB is the most that a block of an A100 can have."""
    found = picture(target(BlockResources(128, 64, 0, 180 * KIB)))
    (bar,) = found.lane(Level.SHARED).fills
    assert (bar.used, bar.capacity, bar.severity) == (180 * KIB, 163 * KIB, "error")
    assert found.is_over(found.lane(Level.SHARED))
    assert found.conclusion.startswith("No block fits on A100: 184320 bytes of shared memory")


def test_static_and_dynamic_memory_over_48_kib_has_room() -> None:
    """48 KiB of dynamic and 1 KiB of static memory: TileLang's launches ask for it and run."""
    found = target(BlockResources(128, 240, 1 * KIB, 48 * KIB), "h100")
    bar = shared_fill(found)
    assert (bar.text, bar.capacity, bar.severity) == ("2 × 50 KiB", 228 * KIB, "")
    assert bar.told == "room for 4 blocks per SM"
    assert picture(found).conclusion.startswith("Registers, not shared memory, limit this kernel")


def test_too_many_registers_are_over_the_limit() -> None:
    """1,024 threads of 128 registers need 131,072; a block can have 65,536."""
    bar = register_fill(target(BlockResources(1024, 128)))
    assert bar.is_over
    assert "131072 in all" in bar.told


@pytest.mark.parametrize(
    ("block", "said"),
    [
        (BlockResources(128, 32, 0, 48 * KIB), "Shared memory, not registers, limits this kernel"),
        (BlockResources(256, 64), "Registers, not shared memory, limit this kernel"),
        (
            BlockResources(256, 32),
            "No memory limits this kernel: 8 blocks per SM fill all threads that an SM can hold.",
        ),
        (BlockResources(1024, 64), "Registers, not shared memory, limit this kernel"),
        (BlockResources(768, 32), "Threads and registers limit this kernel"),
    ],
)
def test_what_limits_is_named(block: BlockResources, said: str) -> None:
    assert picture(target(block)).conclusion.startswith(said)


def test_two_resources_that_limit_alike_have_to_shrink_together() -> None:
    """RTX 4090: 49 KiB twice in 100 KiB, 116 KiB of registers twice in 256 KiB."""
    found = target(BlockResources(128, 226, 0, 48 * KIB), "rtx4090")
    assert picture(found).conclusion.startswith(
        "Registers and shared memory limit this kernel alike"
    )
    assert shared_fill(found).step_text.endswith(" and …")
    assert register_fill(found).step_text == "… ≤ 168: 3 blocks"


def test_an_architecture_without_a_model_has_no_bars_of_memory() -> None:
    found = target(BlockResources(128, 32), "sm_90a")
    assert (l2_fill(found).used, l2_fill(found).why) == (None, "no model of GPU is chosen")


def test_a_core_that_is_too_small_is_told() -> None:
    limits = load_targets().resolve("ascend910b").arch.limits
    units = (UnitBuffer("L0C", 256 * KIB, limits.l0c_buffer_bytes),)
    found = picture(lens_target("ascend910b", unit_buffers=units, occupancy=None))
    assert found.conclusion == (
        "The kernel does not fit on a core of Ascend 910B2: L0C needs 256 KiB of 128 KiB."
    )
    assert found.is_over(found.lane(Level.L0))
