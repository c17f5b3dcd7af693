"""How many blocks each resource of an NVIDIA multiprocessor holds, as cuda_occupancy.h has it."""

from __future__ import annotations

from workbench.core.analysis.block_limits import (
    BlockResources,
    Carveout,
    Limiter,
    Resource,
    by_warps,
    max_blocks,
    need,
    opts_in,
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


def _by_registers(block: BlockResources, arch: Architecture, carveout: Carveout) -> int | None:
    """Warps take registers out of their subpartition's share, in whole units.

    Source: cudaOccMaxBlocksPerSMRegsLimit, which also checks the block's registers as if its
    warps filled all subpartitions.
    """
    if block.registers is None:
        return None
    limits, warps = arch.limits, warps_of(block, arch)
    a_warp = round_up(block.registers * need(limits.warp_size), _register_unit(limits))
    checked = a_warp * round_up(warps, need(limits.warp_allocation_granularity))
    most = round_up(need(limits.max_registers_per_thread), 8)  # 255, which the header counts as 256
    if block.registers > most or checked > need(limits.registers_per_block):
        return 0
    parts = need(limits.subpartitions_per_sm)
    return need(limits.registers_per_sm) // parts // a_warp * parts // warps


def _register_unit(limits: Limits) -> int:
    return need(limits.register_allocation_unit)


def _by_shared(block: BlockResources, arch: Architecture, carveout: Carveout) -> int:
    """Source: cudaOccMaxBlocksPerSMSmemLimit.

    A carve-out that a block does not fit into is raised to the next one that it does.
    """
    limits = arch.limits
    size = shared_allocation(block, limits)
    if size > _shared_limit(block, limits):
        return 0
    sizes = limits.shared_carveouts_bytes or (need(limits.shared_bytes_per_sm),)
    capacity = carveout.size_bytes
    if capacity < size:
        capacity = next(fitting for fitting in sizes if fitting >= size)
    return capacity // size


def _shared_limit(block: BlockResources, limits: Limits) -> int:
    """The allocation that a launch of the block may make: cudaOccSMemPerBlock.

    What is declared static is the assembler's to place, which knows no opt-in.
    """
    usual = need(limits.shared_bytes_per_block)
    opted = opts_in(block) and block.static_shared_bytes <= usual
    most = need(limits.shared_bytes_per_block_opt_in) if opted else usual
    return most + need(limits.shared_bytes_reserved_per_block)


def _by_barriers(block: BlockResources, arch: Architecture, carveout: Carveout) -> int:
    """Source: cudaOccMaxBlocksPerSMBlockBarrierLimit; no more than the blocks, as Nsight shows."""
    held = need(arch.limits.barriers_per_sm) // block.barriers
    return min(held, need(arch.limits.max_blocks_per_sm))


def _no_blocks(block: BlockResources, arch: Architecture, carveout: Carveout) -> int:
    return 0


def _why_registers(block: BlockResources, arch: Architecture) -> str:
    total = (block.registers or 0) * block.threads
    return (
        f"{block.registers} registers for each of {block.threads} threads, {total} in all; a "
        f"block can have {arch.limits.registers_per_block}"
    )


def _why_barriers(block: BlockResources, arch: Architecture) -> str:
    return f"{block.barriers} barriers; an SM has {arch.limits.barriers_per_sm}"


def _why_cluster(block: BlockResources, arch: Architecture) -> str:
    most = arch.limits.max_cluster_size_opt_in
    if most is None:
        return f"{arch.title} has no clusters"
    return f"clusters of {block.cluster_size} blocks; they can have {most}"


def _counts_barriers(block: BlockResources, arch: Architecture) -> bool:
    """From compute capability 9.0 on: cudaOccMaxActiveBlocksPerMultiprocessor."""
    return arch.order >= 90 and block.barriers > 0


def _cluster_too_large(block: BlockResources, arch: Architecture) -> bool:
    """Which blocks of a cluster share an SM is the scheduler's choice: only its size can rule."""
    return block.cluster_size > (arch.limits.max_cluster_size_opt_in or 1)


NVIDIA_LIMITERS = (
    Limiter(Resource.WARPS, by_warps, why_threads),
    Limiter(Resource.BLOCKS, max_blocks, why_other),
    Limiter(Resource.REGISTERS, _by_registers, _why_registers, lambda b, arch: b.registers != 0),
    Limiter(Resource.SHARED, _by_shared, why_shared, uses_shared),
    Limiter(Resource.BARRIERS, _by_barriers, _why_barriers, _counts_barriers),
    Limiter(Resource.CLUSTER, _no_blocks, _why_cluster, _cluster_too_large),
)
