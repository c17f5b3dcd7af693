"""A target's block: what it needs, how many of it fit, and what the target's maker calls things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.core.analysis.block_limits import BlockResources, Resource
from workbench.core.analysis.line_registers import most_live
from workbench.core.analysis.occupancy import Occupancy, occupancy_of
from workbench.core.targets.model import Architecture, Vendor
from workbench.session.analyzing import FULL_LEVEL
from workbench.session.lenses.subject import LensTarget


@dataclass(frozen=True)
class Words:
    """What a maker calls the parts of a core."""

    core: str
    warps: str
    registers: str
    shared: str


CUDA = Words("SM", "warps", "registers", "shared memory")
CDNA = Words("CU", "wavefronts", "VGPRs", "LDS")


@dataclass(frozen=True)
class TargetBlock:
    """One block on one target, and how many of it fit by `occupancy`.

    `block` has the registers of whatever compiled it last, None where nothing did.
    `carveout_bytes` is the carve-out where the driver's choice is known.
    """

    target: LensTarget
    block: BlockResources
    carveout_bytes: int | None
    occupancy: Occupancy

    @property
    def arch(self) -> Architecture:
        """The device's."""
        return self.target.target.arch

    @property
    def words(self) -> Words:
        """Its maker's."""
        return words_of(self.target)

    @property
    def is_known(self) -> bool:
        """Whether all that decides the occupancy is known."""
        return self.occupancy.blocks is not None

    @property
    def can_be_counted(self) -> bool:
        """Whether an analysis of the machine code would tell the registers that are unknown."""
        asked = self.target.level >= FULL_LEVEL or bool(self.target.quick)
        return not self.is_known and not asked and self.arch.vendor is Vendor.NVIDIA

    @property
    def fraction(self) -> float:
        """The part of the core's warps that the blocks fill, at the most where it is unknown."""
        most = self.arch.limits.max_warps_per_sm
        assert most is not None
        return self.occupancy.most_warps / most

    def with_block(self, block: BlockResources) -> Occupancy:
        """The occupancy of another block."""
        found = occupancy_of(block, self.arch, self.carveout_bytes)
        assert found is not None
        return found


def words_of(target: LensTarget) -> Words:
    """The words of a target's maker."""
    return CDNA if target.target.arch.vendor is Vendor.AMD else CUDA


def target_block(target: LensTarget) -> TargetBlock | str:
    """A target's block; why there is nothing to tell of it, where there is not."""
    kernel = target.kernel
    if kernel is None or kernel.block_resources is None:
        return target.why_missing("block")
    block, resources = kernel.block_resources, target.resources
    if block.registers is None and resources is not None:
        block = replace(block, registers=resources.registers)
    given = kernel.occupancy.carveout if kernel.occupancy is not None else None
    carveout = given.size_bytes if given is not None and given.given else None
    arch = target.target.arch
    found = occupancy_of(block, arch, carveout)
    if found is None:
        return f"the rules of {arch.title} for blocks on a core are not known"
    return TargetBlock(target, block, carveout, found)


def line_of(resource: Resource, targets: Sequence[LensTarget]) -> int | None:
    """The document's line that takes most of a resource: the first target's that tells one."""
    return next((line for each in targets for line in _lines(resource, each)), None)


def _lines(resource: Resource, target: LensTarget) -> Iterator[int]:
    kernel = target.kernel
    if kernel is None:
        return
    launch = kernel.tiles.line if kernel.tiles is not None else None
    line = launch
    if resource is Resource.SHARED and kernel.lifetimes is not None:
        line = kernel.lifetimes.peak_line
    elif resource is Resource.REGISTERS:
        known = [each for each in kernel.line_registers or () if each.line is not None]
        most = most_live(known)
        line = most.line if most is not None else None
    if line is not None:
        yield line
