"""How many blocks of a kernel a target runs at once, and so in which wave each of them runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.targets.model import Vendor
from workbench.session.lenses.subject import LensTarget

# A block of an Ascend kernel has a core to itself. Source: Huawei, Ascend C Operator Development
# Guide, blockDim: each logical core runs on one AI core.
_ALONE = frozenset((Vendor.HUAWEI,))
_CORES = {Vendor.NVIDIA: "SM", Vendor.AMD: "CU"}


@dataclass(frozen=True)
class BlockWaves:
    """Blocks in waves of `capacity`: on each of `cores` cores `per_core` of them.

    `exact` says that no resource is unknown; else no more than `capacity` can run at once. `model`
    is the one that has so many cores, `word` what its maker calls one.
    """

    blocks: int
    per_core: int
    cores: int
    model: str
    word: str
    exact: bool

    @property
    def capacity(self) -> int:
        """Blocks that run at once, at the most."""
        return self.per_core * self.cores

    @property
    def count(self) -> int:
        """Waves, the last one counted in full."""
        return -(-self.blocks // self.capacity)

    @property
    def last(self) -> int:
        """Blocks of the last wave."""
        return self.blocks - (self.count - 1) * self.capacity

    @property
    def idle(self) -> int:
        """Cores without a block in the last wave: blocks are spread over the cores first."""
        return max(0, self.cores - self.last)

    def wave_of(self, number: int) -> int:
        """The wave of a block by its launch number, from 0."""
        return number // self.capacity


def block_waves(target: LensTarget, blocks: int) -> BlockWaves | str:
    """The waves of so many blocks on a target; why they are unknown, where they are."""
    counts = target.target.sm_counts
    if not counts:
        return "the number of the target's cores is not known"
    model, cores = next(iter(counts.items()))
    vendor = target.target.arch.vendor
    held = (1, True) if vendor in _ALONE else _per_core(target)
    if isinstance(held, str):
        return held
    per_core, exact = held
    if per_core < 1:
        return "no block fits on a core"
    return BlockWaves(blocks, per_core, cores, model, _CORES.get(vendor, "core"), exact)


def _per_core(target: LensTarget) -> tuple[int, bool] | str:
    """Blocks on one core and whether all that decides it is known; why they are not."""
    kernel = target.kernel
    if kernel is None or kernel.occupancy is None:
        return target.why_missing("occupancy")
    if kernel.occupancy.blocks is not None:
        return kernel.occupancy.blocks, True
    block = _block(target)
    found = occupancy_of(block, target.target.arch) if block is not None else None
    if found is not None and found.blocks is not None:
        return found.blocks, True
    return kernel.occupancy.most_blocks, False


def _block(target: LensTarget) -> BlockResources | None:
    """What a block needs, by the compiler's registers; None where no compiler told them."""
    found, kernel = target.resources, target.kernel
    if found is None or kernel is None or found.registers is None or None in kernel.block:
        return None
    return BlockResources(
        threads=math.prod(extent or 1 for extent in kernel.block),
        registers=found.registers,
        static_shared_bytes=found.shared_static_bytes or 0,
        dynamic_shared_bytes=kernel.shared_dynamic_bytes or 0,
        barriers=max(1, found.barriers or 1),
    )
