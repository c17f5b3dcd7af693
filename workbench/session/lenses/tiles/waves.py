"""How many blocks of a kernel a target runs at once, and so in which wave each of them runs."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.analysis.waves import Waves
from workbench.core.targets.model import Vendor
from workbench.session.lenses.occupancy.block import target_block
from workbench.session.lenses.subject import LensTarget

# A block of an Ascend kernel has a core to itself. Source: Huawei, Ascend C Operator Development
# Guide, blockDim: each logical core runs on one AI core.
_ALONE = frozenset((Vendor.HUAWEI,))
_CORES = {Vendor.NVIDIA: "SM", Vendor.AMD: "CU"}


@dataclass(frozen=True)
class BlockWaves(Waves):
    """Blocks in waves of `capacity`: on each of `cores` cores `per_core` of them.

    `exact` says that no resource is unknown; else no more than `capacity` can run at once. `model`
    is the one that has so many cores, `word` what its maker calls one.
    """

    per_core: int
    cores: int
    model: str
    word: str
    exact: bool

    @property
    def idle(self) -> int:
        """Cores without a block in the last wave: blocks are spread over the cores first."""
        return max(0, self.cores - self.last)


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
    word = _CORES.get(vendor, "core")
    return BlockWaves(blocks, per_core * cores, per_core, cores, model, word, exact)


def _per_core(target: LensTarget) -> tuple[int, bool] | str:
    """Blocks on one core and whether all that decides it is known; why they are not."""
    found = target_block(target)
    if isinstance(found, str):
        return found
    if found.occupancy.most_blocks < 1:
        return f"no block fits on a core ({'; '.join(found.occupancy.reasons)})"
    return found.occupancy.most_blocks, found.is_known
