"""What a block needs of a multiprocessor, and the form of a rule that limits its blocks."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

from workbench.core.targets.limits import Limits
from workbench.core.targets.model import Architecture


class Resource(enum.Enum):
    """What can limit the blocks of a multiprocessor."""

    WARPS = "warps"
    BLOCKS = "blocks"
    REGISTERS = "registers"
    SCALAR_REGISTERS = "scalar_registers"
    SHARED = "shared_mem"
    BARRIERS = "barriers"
    CLUSTER = "cluster"


@dataclass(frozen=True)
class BlockResources:
    """What one block needs. Registers are a thread's and 32 bits wide; None is unknown.

    On CDNA `registers` are the architectural VGPRs, `accumulator_registers` the AGPRs and
    `scalar_registers` a wavefront's SGPRs as the compiler counts them. `barriers` are the
    numbered ones of PTX.
    """

    threads: int
    registers: int | None
    static_shared_bytes: int = 0
    dynamic_shared_bytes: int = 0
    barriers: int = 1
    cluster_size: int = 1
    accumulator_registers: int = 0
    scalar_registers: int | None = None

    @property
    def shared_bytes(self) -> int:
        """Static and dynamic shared memory together."""
        return self.static_shared_bytes + self.dynamic_shared_bytes


@dataclass(frozen=True)
class Carveout:
    """The part of an SM's memory that is shared memory; assumed where it is not given."""

    size_bytes: int
    given: bool


@dataclass(frozen=True)
class Limiter:
    """One resource: whether the block uses it, the blocks that it holds, and why it holds none."""

    resource: Resource
    blocks: Callable[[BlockResources, Architecture, Carveout], int | None]
    why_none: Callable[[BlockResources, Architecture], str]
    applies: Callable[[BlockResources, Architecture], bool] = lambda block, arch: True


def warps_of(block: BlockResources, arch: Architecture) -> int:
    """Warps of one block; the last may be partly empty."""
    return -(-block.threads // need(arch.limits.warp_size))


def shared_allocation(block: BlockResources, limits: Limits) -> int:
    """Bytes of an SM's shared memory that a block takes, with the driver's reserve."""
    size = block.shared_bytes + need(limits.shared_bytes_reserved_per_block)
    return round_up(size, need(limits.shared_allocation_unit_bytes))


def opts_in(block: BlockResources) -> bool:
    """Whether the launch may use more shared memory than every launch may.

    TileLang's runtimes set MAX_DYNAMIC_SHARED_SIZE_BYTES to what the launch takes of it, however
    little that is, and static and dynamic shared memory together may then be what a block can opt
    in to. Source: CUDA Driver API, CUfunction_attribute; an H200 ran 1 KiB of static and 48 KiB of
    dynamic shared memory.
    """
    return block.dynamic_shared_bytes > 0


def round_up(value: int, unit: int) -> int:
    """The least multiple of `unit` that is not below `value`."""
    return -(-value // unit) * unit


def need(limit: int | None) -> int:
    """A limit that the records of an architecture with known rules all have."""
    assert limit is not None
    return limit


def max_blocks(block: BlockResources, arch: Architecture, carveout: Carveout) -> int:
    """What the scheduler holds, whatever the blocks need."""
    return need(arch.limits.max_blocks_per_sm)


def by_warps(block: BlockResources, arch: Architecture, carveout: Carveout) -> int:
    """Blocks that the warp slots hold.

    Source: cudaOccMaxBlocksPerSMWarpsLimit; LLVM, IsaInfo::getMaxWorkGroupsPerCU.
    """
    if block.threads > need(arch.limits.max_threads_per_block):
        return 0
    return need(arch.limits.max_warps_per_sm) // warps_of(block, arch)


def why_threads(block: BlockResources, arch: Architecture) -> str:
    """Why a block of so many threads cannot run."""
    return f"{block.threads} threads; a block can have {arch.limits.max_threads_per_block}"


def why_shared(block: BlockResources, arch: Architecture) -> str:
    """Why a block with so much shared memory cannot run."""
    usual = need(arch.limits.shared_bytes_per_block)
    most = arch.limits.shared_bytes_per_block_opt_in or usual
    if block.shared_bytes <= most:
        return f"{block.static_shared_bytes} bytes of static shared memory; it can be {usual}"
    return f"{block.shared_bytes} bytes of shared memory; a block can have {most}"


def why_other(block: BlockResources, arch: Architecture) -> str:
    """For resources of which a block can hardly need too much."""
    return "the block does not fit"


def uses_shared(block: BlockResources, arch: Architecture) -> bool:
    """Whether a block takes shared memory, with the driver's reserve."""
    return shared_allocation(block, arch.limits) > 0
