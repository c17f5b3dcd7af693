from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.analysis.block_limits import BlockResources, Resource
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.analysis.occupancy_steps import Change, Step, better_steps
from workbench.core.targets.table import TargetTable, load_targets

TABLE = load_targets()
SM_90 = TABLE.architecture("sm_90a")


def test_fewer_registers_give_one_more_block() -> None:
    """128 threads, 136 registers: 3 blocks; 128 registers leave room for 4."""
    steps = better_steps(BlockResources(128, 136, 0, 24576), SM_90)
    assert steps[0] == Step((Change(Resource.REGISTERS, 128),), 4, 16, 0.25)
    assert [step.blocks for step in steps[:3]] == [4, 5, 6]


def test_less_shared_memory_gives_one_more_block() -> None:
    """72 KiB a block and 1 KiB reserve: 3 blocks; four have 57 KiB each, 56 of them theirs."""
    steps = better_steps(BlockResources(128, 64, 0, 72 * 1024), SM_90, 233472)
    assert steps[0] == Step((Change(Resource.SHARED, 56 * 1024),), 4, 16, 0.25)


def test_resources_that_limit_together_change_together() -> None:
    steps = better_steps(BlockResources(256, 64, 0, 56 * 1024), SM_90)
    changes = {change.resource: change.value for change in steps[0].changes}
    assert steps[0].blocks == 5
    assert changes == {Resource.REGISTERS: 48, Resource.SHARED: 45568}


def test_another_number_of_threads_fills_the_warps_better() -> None:
    """Registers leave room for 48 warps: two blocks of 20, or three of 16."""
    steps = better_steps(BlockResources(640, 40), SM_90)
    threads = [step for step in steps if step.changes[0].resource is Resource.WARPS]
    assert threads[0].changes == (Change(Resource.WARPS, 512),)
    assert all(step.warps > 40 for step in threads)


def test_a_block_that_cannot_run_is_told_what_would_run() -> None:
    steps = better_steps(BlockResources(128, 32, 1024, 228 * 1024), SM_90)
    assert steps[0].changes == (Change(Resource.SHARED, 227 * 1024),)
    assert steps[0].blocks == 1


def test_full_occupancy_has_no_better_step() -> None:
    assert better_steps(BlockResources(256, 32), SM_90) == ()


def test_unknown_occupancy_has_no_steps(targets: TargetTable) -> None:
    assert better_steps(BlockResources(256, None), SM_90) == ()
    assert better_steps(BlockResources(256, 32), targets.resolve("ascend910b").arch) == ()


def apply(block: BlockResources, changes: tuple[Change, ...], more: int = 0) -> BlockResources:
    for change in changes:
        value = change.value + more
        if change.resource is Resource.REGISTERS:
            block = dataclasses.replace(block, registers=value)
        elif change.resource is Resource.SHARED:
            block = dataclasses.replace(block, dynamic_shared_bytes=value)
        elif change.resource is Resource.BARRIERS:
            block = dataclasses.replace(block, barriers=value)
        else:
            block = dataclasses.replace(block, threads=change.value)
    return block


@pytest.mark.parametrize("name", ["sm_75", "sm_90a", "sm_120a", "gfx942"])
@given(
    st.integers(1, 8).map(lambda warps: 64 * warps),
    st.integers(1, 255),
    st.integers(0, 64 * 1024),
    st.integers(1, 16),
)
@settings(deadline=None, max_examples=40)
def test_each_step_keeps_its_promise_and_is_the_nearest(
    name: str, threads: int, registers: int, shared: int, barriers: int
) -> None:
    arch = TABLE.architecture(name)
    block = BlockResources(threads, registers, 0, shared, barriers)
    for step in better_steps(block, arch):
        after = occupancy_of(apply(block, step.changes), arch)
        assert after is not None
        assert (after.blocks, after.warps, after.fraction) == (
            step.blocks,
            step.warps,
            step.fraction,
        )
        if len(step.changes) == 1 and step.changes[0].resource is not Resource.WARPS:
            short = occupancy_of(apply(block, step.changes, more=1), arch)
            assert short is not None
            assert short.most_blocks < step.blocks
