from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.core.analysis.block_limits import BlockResources, Resource
from workbench.core.analysis.occupancy import Occupancy, occupancy_of
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import TargetTable

# What the profiler showed for the three kernels whose whole report was kept; the others follow
# from the limit shown, 64 barriers over the block's.
BARRIERS_BY_LIMIT = {32: 1, 21: 3, 16: 4}


def occupancy(
    targets: TargetTable, name: str, block: BlockResources, carveout: int | None = None
) -> Occupancy:
    result = occupancy_of(block, targets.architecture(name), carveout)
    assert result is not None
    return result


def block_of(kernel: dict[str, Any]) -> BlockResources:
    return BlockResources(
        threads=kernel["threads"],
        registers=kernel["registers"],
        static_shared_bytes=kernel["shared_static_bytes"],
        dynamic_shared_bytes=kernel["shared_dynamic_bytes"],
        barriers=BARRIERS_BY_LIMIT[kernel["limits"]["barriers"]],
    )


def test_every_limit_of_the_measured_kernels_is_the_profilers(
    targets: TargetTable, measured_kernels: list[dict[str, Any]]
) -> None:
    assert len(measured_kernels) == 16
    for kernel in measured_kernels:
        found = occupancy(targets, "sm_90a", block_of(kernel), kernel["carveout_bytes"])
        limits = {limit.resource.value: limit.blocks for limit in found.limits}
        said = {name: blocks for name, blocks in kernel["limits"].items() if blocks > 0}
        assert {**limits, **said} == limits, kernel["kernel"]
        if kernel["theoretical_occupancy_pct"] is not None:
            assert found.fraction is not None
            assert 100 * found.fraction == kernel["theoretical_occupancy_pct"], kernel["kernel"]


def test_a_kernel_that_ran_has_room_though_the_profiler_said_none(
    targets: TargetTable, measured_kernels: list[dict[str, Any]]
) -> None:
    """1 KiB of static and 48 KiB of dynamic shared memory: 7 of 64 warps were counted at once."""
    (kernel,) = [each for each in measured_kernels if each["limits"]["shared_mem"] == 0]
    assert (kernel["shared_static_bytes"], kernel["shared_dynamic_bytes"]) == (1024, 48 * 1024)
    found = occupancy(targets, "sm_90a", block_of(kernel), kernel["carveout_bytes"])
    assert (found.blocks, found.blocks_by(Resource.SHARED), found.warps) == (1, 1, 8)
    assert found.reasons == ()


@pytest.mark.parametrize(
    ("static", "dynamic", "blocks"),
    [
        (48 * 1024, 0, 4),  # 49 KiB with the driver's 1 KiB, in 228 KiB
        (48 * 1024 + 16, 0, 0),
        (0, 48 * 1024 + 16, 4),
        (1024, 47 * 1024 + 16, 4),
        (16, 48 * 1024, 4),
        (48 * 1024, 179 * 1024, 1),
        (48 * 1024, 179 * 1024 + 16, 0),
        (48 * 1024 + 16, 1024, 0),
    ],
)
def test_dynamic_shared_memory_opts_in_and_static_alone_is_48_kib(
    targets: TargetTable, static: int, dynamic: int, blocks: int
) -> None:
    found = occupancy(targets, "sm_90a", BlockResources(128, 32, static, dynamic))
    assert found.blocks_by(Resource.SHARED) == blocks


def test_a_carveout_that_is_not_given_is_assumed_to_be_the_largest(targets: TargetTable) -> None:
    assumed = occupancy(targets, "sm_90a", BlockResources(128, 32, 0, 16384))
    assert (assumed.carveout.size_bytes, assumed.carveout.given) == (233472, False)
    assert assumed.blocks_by(Resource.SHARED) == 13


def test_a_given_carveout_is_told_as_given(targets: TargetTable) -> None:
    given = occupancy(targets, "sm_90a", BlockResources(128, 32, 0, 16384), 102400)
    assert (given.carveout.size_bytes, given.carveout.given) == (102400, True)
    assert given.blocks_by(Resource.SHARED) == 5


def test_the_limiting_resources_are_those_at_the_smallest_limit(targets: TargetTable) -> None:
    found = occupancy(targets, "sm_90a", BlockResources(256, 64, 0, 56 * 1024))
    assert found.limiting == (Resource.REGISTERS, Resource.SHARED)
    assert (found.blocks, found.warps, found.fraction) == (4, 32, 0.5)


def test_an_occupancy_survives_the_way_through_json(targets: TargetTable) -> None:
    found = occupancy(targets, "sm_90a", BlockResources(128, None, 0, 32768))
    assert from_plain(Occupancy, json.loads(json.dumps(to_plain(found)))) == found


def test_a_block_without_threads_is_refused(targets: TargetTable) -> None:
    with pytest.raises(ValueError, match="one thread or more"):
        occupancy(targets, "sm_90a", BlockResources(0, 32))


def test_unknown_registers_leave_an_upper_bound(targets: TargetTable) -> None:
    found = occupancy(targets, "sm_90a", BlockResources(128, None, 0, 32768))
    assert (found.blocks, found.warps, found.fraction) == (None, None, None)
    assert (found.most_blocks, found.most_warps) == (6, 24)
    assert found.blocks_by(Resource.REGISTERS) is None


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (BlockResources(1056, 32), "1056 threads; a block can have 1024"),
        (BlockResources(1024, 80), "81920 in all"),
        (BlockResources(128, 32, 0, 256 * 1024), "a block can have 232448"),
        (
            BlockResources(128, 32, 50 * 1024),
            "51200 bytes of static shared memory",
        ),
        (BlockResources(128, 32, cluster_size=32), "clusters of 32 blocks; they can have 16"),
    ],
)
def test_a_block_that_cannot_run_has_no_occupancy_and_a_reason(
    targets: TargetTable, block: BlockResources, reason: str
) -> None:
    found = occupancy(targets, "sm_90a", block)
    assert (found.blocks, found.fraction) == (0, 0)
    assert reason in " ".join(found.reasons)


def test_clusters_within_the_limit_are_no_limiter(targets: TargetTable) -> None:
    found = occupancy(targets, "sm_90a", BlockResources(128, 32, cluster_size=8))
    assert Resource.CLUSTER not in {limit.resource for limit in found.limits}


def test_an_architecture_without_clusters_runs_none(targets: TargetTable) -> None:
    found = occupancy(targets, "sm_80", BlockResources(128, 32, cluster_size=2))
    assert found.blocks == 0
    assert "has no clusters" in found.reasons[0]


@pytest.mark.parametrize("name", ["ascend910b", "metal", "cpu"])
def test_other_vendors_have_no_known_rules(targets: TargetTable, name: str) -> None:
    assert occupancy_of(BlockResources(128, 32), targets.resolve(name).arch) is None


# CDNA: the wavefronts by registers are LLVM's table for targets with the gfx90a instructions.


@pytest.mark.parametrize(
    ("vgprs", "agprs", "waves"),
    [(64, 0, 8), (65, 0, 7), (72, 0, 7), (128, 0, 4), (129, 0, 3), (256, 256, 1), (146, 128, 1)],
)
def test_vgprs_and_agprs_share_a_file(
    targets: TargetTable, vgprs: int, agprs: int, waves: int
) -> None:
    """Four SIMDs: a workgroup of four wavefronts has one on each."""
    block = BlockResources(256, vgprs, accumulator_registers=agprs)
    found = occupancy(targets, "gfx942", block)
    assert found.blocks_by(Resource.REGISTERS) == waves


def test_accumulators_begin_at_a_multiple_of_four(targets: TargetTable) -> None:
    block = BlockResources(256, 61, accumulator_registers=4)
    assert occupancy(targets, "gfx942", block).blocks_by(Resource.REGISTERS) == 512 // 72


def test_lds_is_allocated_in_granules(targets: TargetTable) -> None:
    block = BlockResources(256, 64, 0, 16385)
    assert occupancy(targets, "gfx942", block).blocks_by(Resource.SHARED) == 3
    assert occupancy(targets, "gfx950", block).blocks_by(Resource.SHARED) == 163840 // 16640


def test_a_workgroup_of_one_wavefront_takes_no_barrier(targets: TargetTable) -> None:
    alone = occupancy(targets, "gfx942", BlockResources(64, 32))
    assert Resource.BARRIERS not in {limit.resource for limit in alone.limits}
    assert alone.blocks == 32
    assert occupancy(targets, "gfx942", BlockResources(128, 32)).limiting == (
        Resource.WARPS,
        Resource.BARRIERS,
    )


def test_a_gemm_that_fills_the_vgprs_of_cdna_runs_one_wavefront_a_simd(
    targets: TargetTable,
) -> None:
    block = BlockResources(256, 146, 0, 32768, accumulator_registers=128, scalar_registers=40)
    found = occupancy(targets, "gfx942", block)
    assert found.limiting == (Resource.REGISTERS,)
    assert (found.blocks, found.warps, found.fraction) == (1, 4, 0.125)


def test_scalar_registers_limit_by_granules(targets: TargetTable) -> None:
    block = BlockResources(256, 32, scalar_registers=102)
    assert occupancy(targets, "gfx942", block).blocks_by(Resource.SCALAR_REGISTERS) == 7


def test_more_vgprs_than_a_lane_can_have_are_told(targets: TargetTable) -> None:
    found = occupancy(targets, "gfx942", BlockResources(256, 257))
    assert found.blocks == 0
    assert "257 VGPRs" in found.reasons[0]
