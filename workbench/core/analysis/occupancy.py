"""Theoretical occupancy: how many blocks fit on a multiprocessor at once, and what limits them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from workbench.core.analysis.block_limits import (
    BlockResources,
    Carveout,
    Limiter,
    Resource,
    warps_of,
)
from workbench.core.analysis.cdna_limits import CDNA_LIMITERS
from workbench.core.analysis.nvidia_limits import NVIDIA_LIMITERS
from workbench.core.targets.model import Architecture, Vendor


@dataclass(frozen=True)
class ResourceLimit:
    """The blocks that one resource holds; None where unknown."""

    resource: Resource
    blocks: int | None


@dataclass(frozen=True)
class Occupancy:
    """Blocks on one multiprocessor; "warp" and "SM" stand for AMD's wavefront and compute unit.

    `limits` has no entry for a resource that the block does not use. `blocks` is the smallest
    limit, None where a limit is unknown; `most_blocks` is the smallest known one, and `limiting`
    the resources at it. `fraction` is of the warps that an SM can hold. Where no block can run,
    `reasons` say why.
    """

    limits: tuple[ResourceLimit, ...]
    blocks: int | None
    most_blocks: int
    limiting: tuple[Resource, ...]
    warps: int | None
    most_warps: int
    fraction: float | None
    carveout: Carveout
    reasons: tuple[str, ...] = ()

    def blocks_by(self, resource: Resource) -> int | None:
        """The blocks that one resource holds. Raises KeyError where the block does not use it."""
        return {limit.resource: limit.blocks for limit in self.limits}[resource]


def occupancy_of(
    block: BlockResources, arch: Architecture, carveout_bytes: int | None = None
) -> Occupancy | None:
    """The occupancy of blocks that need `block`; None on architectures without known rules.

    `carveout_bytes` is the shared memory of an SM that the driver chose at launch; where it is
    not given, the largest is assumed, as cudaOccMaxActiveBlocksPerMultiprocessor does. Raises
    ValueError for a block without threads.
    """
    if block.threads < 1:
        raise ValueError(f"a block has one thread or more, not {block.threads}")
    limiters = limiters_of(arch)
    if limiters is None:
        return None
    carveout = carveout_of(arch, carveout_bytes)
    used = [limiter for limiter in limiters if limiter.applies(block, arch)]
    limits = {limiter.resource: limiter.blocks(block, arch, carveout) for limiter in used}
    most = min(blocks for blocks in limits.values() if blocks is not None)
    known = None not in limits.values() or most == 0
    warps = most * warps_of(block, arch)
    return Occupancy(
        limits=tuple(ResourceLimit(*item) for item in limits.items()),
        blocks=most if known else None,
        most_blocks=most,
        limiting=tuple(resource for resource, blocks in limits.items() if blocks == most),
        warps=warps if known else None,
        most_warps=warps,
        fraction=_fraction(warps, arch) if known else None,
        carveout=carveout,
        reasons=_reasons(used, limits, block, arch),
    )


def carveout_of(arch: Architecture, given: int | None) -> Carveout:
    """The carve-out given, or the largest, assumed."""
    if given is not None:
        return Carveout(given, given=True)
    largest = arch.limits.shared_carveouts_bytes or (arch.limits.shared_bytes_per_sm or 0,)
    return Carveout(largest[-1], given=False)


def limiters_of(arch: Architecture) -> tuple[Limiter, ...] | None:
    """The limiters of an architecture; None where its rules are not known."""
    if arch.vendor is Vendor.NVIDIA:
        return NVIDIA_LIMITERS
    return CDNA_LIMITERS if arch.vendor is Vendor.AMD and arch.limits.vgprs_per_simd else None


def limit_of(
    resource: Resource, block: BlockResources, arch: Architecture, carveout: Carveout
) -> int | None:
    """The blocks that one resource, which the block uses, holds; None where unknown."""
    for limiter in limiters_of(arch) or ():
        if limiter.resource is resource:
            return limiter.blocks(block, arch, carveout)
    raise KeyError(resource)


def _reasons(
    used: list[Limiter],
    limits: Mapping[Resource, int | None],
    block: BlockResources,
    arch: Architecture,
) -> tuple[str, ...]:
    return tuple(lim.why_none(block, arch) for lim in used if limits[lim.resource] == 0)


def _fraction(warps: int, arch: Architecture) -> float | None:
    most = arch.limits.max_warps_per_sm
    return None if most is None else warps / most
