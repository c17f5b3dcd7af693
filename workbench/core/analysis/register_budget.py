"""Whether the registers that warp groups ask for with setmaxnreg are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.analysis.block_limits import need, round_up
from workbench.core.targets.limits import Limits

# PTX ISA, setmaxnreg: an immediate from 24 to 256 in multiples of 8.
_LEAST, _MOST, _MULTIPLE = 24, 256, 8


@dataclass(frozen=True)
class WarpGroup:
    """Warps that run one branch of a block; `registers` a thread, None: those of the launch."""

    warps: int
    registers: int | None = None


@dataclass(frozen=True)
class RegisterBudget:
    """Registers of a block: what the launch allocates and what its groups ask for.

    A group that asks for more than the others have released waits for ever, so `fits` is whether
    all groups can have theirs at once; `invalid` are values that the instruction cannot have.
    """

    allocated: int
    wanted: int
    invalid: tuple[int, ...]

    @property
    def fits(self) -> bool:
        """Whether every group gets what it asks for."""
        return not self.invalid and self.wanted <= self.allocated


def register_budget(
    launch_registers: int, groups: Sequence[WarpGroup], limits: Limits
) -> RegisterBudget:
    """The budget of a block that is launched with so many registers a thread.

    Source: PTX ISA 9.0, setmaxnreg: registers are released to and taken from a pool of the block,
    which is what the launch allocated; taking blocks until the pool has enough.
    """
    warp, unit = need(limits.warp_size), need(limits.register_allocation_unit)
    launched = round_up(launch_registers * warp, unit)
    asked = [group.registers for group in groups if group.registers is not None]
    return RegisterBudget(
        allocated=launched * sum(group.warps for group in groups),
        wanted=sum(_of_group(group, launched, warp) for group in groups),
        invalid=tuple(registers for registers in asked if not _valid(registers)),
    )


def _of_group(group: WarpGroup, launched: int, warp: int) -> int:
    return group.warps * (launched if group.registers is None else group.registers * warp)


def _valid(registers: int) -> bool:
    return _LEAST <= registers <= _MOST and registers % _MULTIPLE == 0
