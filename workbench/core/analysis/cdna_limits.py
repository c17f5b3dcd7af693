"""How many workgroups each resource of an AMD CDNA compute unit holds, as LLVM has it."""

from __future__ import annotations

from workbench.core.analysis.block_limits import (
    BlockResources,
    Carveout,
    Limiter,
    Resource,
    by_warps,
    max_blocks,
    need,
    round_up,
    shared_allocation,
    uses_shared,
    warps_of,
    why_other,
    why_shared,
    why_threads,
)
from workbench.core.targets.limits import Limits
from workbench.core.targets.model import Architecture


def _by_vgprs(block: BlockResources, arch: Architecture, carveout: Carveout) -> int | None:
    """VGPRs and AGPRs are one file of a SIMD; a wavefront's AGPRs follow its VGPRs.

    Source: LLVM, AMDGPUBaseInfo.cpp: getTotalNumVGPRs and IsaInfo::getNumWavesPerEUWithNumVGPRs.
    """
    limits, vector, accumulator = arch.limits, block.registers, block.accumulator_registers
    if vector is None:
        return None
    if _too_many_vgprs(block, limits):
        return 0
    total = round_up(vector, 4) + accumulator if accumulator else vector
    allocated = round_up(max(total, 1), need(limits.vgpr_allocation_unit))
    return _blocks_of_waves(need(limits.vgprs_per_simd) // allocated, block, arch)


def _too_many_vgprs(block: BlockResources, limits: Limits) -> bool:
    return (block.registers or 0) > need(
        limits.max_vgprs_per_thread
    ) or block.accumulator_registers > need(limits.max_agprs_per_thread)


def _by_sgprs(block: BlockResources, arch: Architecture, carveout: Carveout) -> int | None:
    """Source: LLVM, AMDGPUBaseInfo.cpp: IsaInfo::getMaxNumSGPRs and getSGPRAllocGranule."""
    limits, scalar = arch.limits, need(block.scalar_registers)
    allocated = round_up(max(scalar, 1), need(limits.sgpr_allocation_unit))
    return _blocks_of_waves(need(limits.sgprs_per_simd) // allocated, block, arch)


def _blocks_of_waves(waves_per_simd: int, block: BlockResources, arch: Architecture) -> int:
    return waves_per_simd * need(arch.limits.subpartitions_per_sm) // warps_of(block, arch)


def _by_lds(block: BlockResources, arch: Architecture, carveout: Carveout) -> int:
    """Source: LLVM, AMDGPUSubtarget: getOccupancyWithWorkGroupSizes; LDS in whole granules."""
    limits = arch.limits
    if block.shared_bytes > need(limits.shared_bytes_per_block):
        return 0
    return need(limits.shared_bytes_per_sm) // shared_allocation(block, limits)


def _by_workgroup_barriers(block: BlockResources, arch: Architecture, carveout: Carveout) -> int:
    """A workgroup of several wavefronts takes a barrier: LLVM, IsaInfo::getMaxWorkGroupsPerCU."""
    return need(arch.limits.barriers_per_sm)


def _why_vgprs(block: BlockResources, arch: Architecture) -> str:
    return (
        f"{block.registers} VGPRs and {block.accumulator_registers} AGPRs for each of "
        f"{block.threads} work-items do not fit the register files of {arch.title}"
    )


CDNA_LIMITERS = (
    Limiter(Resource.WARPS, by_warps, why_threads),
    Limiter(Resource.BLOCKS, max_blocks, why_other),
    Limiter(Resource.REGISTERS, _by_vgprs, _why_vgprs),
    Limiter(
        Resource.SCALAR_REGISTERS,
        _by_sgprs,
        why_other,
        lambda b, arch: b.scalar_registers is not None,
    ),
    Limiter(Resource.SHARED, _by_lds, why_shared, uses_shared),
    Limiter(
        Resource.BARRIERS,
        _by_workgroup_barriers,
        why_other,
        lambda b, arch: warps_of(b, arch) > 1,
    ),
)
