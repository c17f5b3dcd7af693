"""How full each level of a GPU is for one target, and how far it is to the next block on an SM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from workbench.core.analysis.block_limits import (
    BlockResources,
    Resource,
    round_up,
    shared_allocation,
    warps_of,
)
from workbench.core.analysis.occupancy import Occupancy
from workbench.core.analysis.occupancy_steps import Step, better_steps
from workbench.core.figures import number, size
from workbench.core.targets.model import Vendor
from workbench.session.lenses.memory.model import Fill
from workbench.session.lenses.occupancy.block import TargetBlock, target_block
from workbench.session.lenses.subject import LensTarget

REGISTER_BYTES = 4
_KNOWN_KNOBS = {Resource.SHARED, Resource.REGISTERS}


@dataclass(frozen=True)
class Room:
    """What the blocks of one target take of an SM."""

    target: LensTarget

    @cached_property
    def _known(self) -> TargetBlock | None:
        found = target_block(self.target)
        return None if isinstance(found, str) else found

    @cached_property
    def block(self) -> BlockResources | None:
        """What one block needs, with the registers that any compile of the text has told."""
        return self._known.block if self._known is not None else None

    @cached_property
    def occupancy(self) -> Occupancy | None:
        """The blocks that fit; None where the architecture's rules are not known."""
        kernel = self.target.kernel
        if self._known is not None:
            return self._known.occupancy
        return kernel.occupancy if kernel is not None else None

    @cached_property
    def step(self) -> Step | None:
        """The nearest way to more blocks by using less of what limits."""
        if self.block is None or self._known is None or not self._known.occupancy.most_blocks:
            return None
        carveout = self._known.carveout_bytes
        steps = better_steps(self.block, self.target.target.arch, carveout, count=1)
        return next((s for s in steps if {c.resource for c in s.changes} <= _KNOWN_KNOBS), None)

    @property
    def can_be_counted(self) -> bool:
        """Whether an analysis of the machine code would tell registers that are unknown."""
        return self._known is not None and self._known.can_be_counted

    @property
    def blocks(self) -> int:
        """Blocks on an SM as far as it is known, 1 where none fits or nothing is known."""
        return max(1, self.occupancy.most_blocks) if self.occupancy is not None else 1

    def shared_bytes(self, block: BlockResources) -> int:
        """What a block takes of shared memory, in whole units."""
        return shared_allocation(block, self.target.target.arch.limits)

    def register_bytes(self, registers: int) -> int | None:
        """What a block of so many registers a thread takes; None for files that are not known."""
        limits, block = self.target.target.arch.limits, self.block
        if block is None or limits.warp_size is None or not limits.register_allocation_unit:
            return None
        a_warp = round_up(registers * limits.warp_size, limits.register_allocation_unit)
        return a_warp * warps_of(block, self.target.target.arch) * REGISTER_BYTES

    def changed(self, resource: Resource) -> int | None:
        """The value that a resource must not exceed for the next step."""
        changes = self.step.changes if self.step is not None else ()
        return next((c.value for c in changes if c.resource is resource), None)


def core_word(target: LensTarget) -> str:
    """What a core is called: SM, or CU."""
    return "CU" if target.target.arch.vendor is Vendor.AMD else "SM"


def memory_fill(target: LensTarget, used: float | None) -> Fill:
    """All tensors, `used` bytes, against the memory of the model."""
    model = target.target.model
    if model is None or model.memory_bytes is None:
        return _unknown(
            target, "no model of GPU is chosen" if model is None else "not in the table"
        )
    fill = _fill(target, used, model.memory_bytes, _size(used))
    if used is None:
        return replace(fill, why="an extent is known at the launch only")
    return _over(fill, "the tensors do not fit")


def l2_fill(target: LensTarget) -> Fill:
    """What the launch touches against the L2."""
    model, kernel = target.target.model, target.kernel
    if model is None or model.l2_bytes is None:
        return _unknown(
            target, "no model of GPU is chosen" if model is None else "not in the table"
        )
    report = kernel.global_memory if kernel is not None else None
    parts = [each.unique_bytes for each in report.buffers] if report is not None else [None]
    known = [part for part in parts if part is not None]
    used = sum(known) if len(known) == len(parts) else None
    fill = _fill(target, used, model.l2_bytes, _size(used))
    if used is None:
        return replace(fill, why=target.why_missing("global"))
    told = "the tensors stay in L2: HBM is read once"
    if used > model.l2_bytes:
        return replace(fill, severity="warn", told="more than L2 holds: HBM is read again")
    return replace(fill, told=told)


def shared_fill(target: LensTarget) -> Fill:
    """The shared memory of the blocks that run on an SM at once."""
    room, occupancy = Room(target), Room(target).occupancy
    if room.block is None or occupancy is None:
        return _unknown(target, target.why_missing("occupancy"))
    one, word = room.shared_bytes(room.block), core_word(target)
    text = _times(room.blocks, one, occupancy.blocks is not None)
    fill = _fill(target, room.blocks * one, occupancy.carveout.size_bytes, text)
    limits = {each.resource: each.blocks for each in occupancy.limits}
    if limits.get(Resource.SHARED) == 0:
        return _over_a_block(fill, room.block, target, "; ".join(occupancy.reasons))
    held = limits.get(Resource.SHARED)
    told = _room(held, word)
    value = room.changed(Resource.SHARED)
    if value is None:
        return replace(fill, told=told)
    smaller = room.shared_bytes(
        replace(room.block, static_shared_bytes=0, dynamic_shared_bytes=value)
    )
    return replace(
        fill,
        told=told,
        step=room.blocks * smaller,
        step_text=_step(room, Resource.SHARED, str(size(value))),
    )


def _over_a_block(fill: Fill, block: BlockResources, target: LensTarget, told: str) -> Fill:
    """A block that no launch can have, against what a launch may ask for."""
    limits = target.target.arch.limits
    usual, most = limits.shared_bytes_per_block, limits.shared_bytes_per_block_opt_in
    may = most if most is not None and block.shared_bytes > most else usual
    used, text = block.shared_bytes, str(size(block.shared_bytes))
    if may is None:
        return replace(fill, used=used, text=text, severity="error", told=told)
    return replace(
        fill, used=used, text=text, capacity=may, limit=str(size(may)), severity="error", told=told
    )


def register_fill(target: LensTarget) -> Fill:
    """The registers of the blocks that run on an SM at once."""
    room, occupancy = Room(target), Room(target).occupancy
    limits = target.target.arch.limits
    if room.block is None or room.block.registers is None or occupancy is None:
        return _unknown(target, target.why_missing("registers"))
    one = room.register_bytes(room.block.registers)
    if one is None or limits.registers_per_sm is None:
        return _unknown(target, "the register file of this architecture is not in the table")
    capacity = limits.registers_per_sm * REGISTER_BYTES
    fill = _fill(target, room.blocks * one, capacity, _times(room.blocks, one))
    held = {each.resource: each.blocks for each in occupancy.limits}.get(Resource.REGISTERS)
    if held == 0:
        return replace(fill, severity="error", told="; ".join(occupancy.reasons))
    told = _room(held, core_word(target))
    spilled = target.resources.spill_bytes if target.resources is not None else None
    if spilled:
        fill = replace(fill, severity="warn")
        told = f"{number(spilled)} B a thread spilled to memory; {told}"
    value = room.changed(Resource.REGISTERS)
    smaller = room.register_bytes(value) if value is not None else None
    if value is None or smaller is None:
        return replace(fill, told=told)
    step, text = room.blocks * smaller, _step(room, Resource.REGISTERS, str(value))
    return replace(fill, told=told, step=step, step_text=text)


def tensor_fill(target: LensTarget, used: int | None) -> Fill:
    """The tensor memory that a block allocates against an SM's."""
    capacity = target.target.arch.limits.tensor_memory_bytes_per_sm
    if capacity is None:
        return _unknown(target, "this architecture has no tensor memory")
    return _over(_fill(target, used, capacity, _size(used)), "a block needs more than an SM has")


def with_ghosts(fills: tuple[Fill, ...], before: Mapping[str, Fill]) -> tuple[Fill, ...]:
    """The bars with what was used before; `before` is by the label of the target and the name."""
    return tuple(_haunted(fill, before.get(fill.label + fill.name)) for fill in fills)


def _haunted(fill: Fill, was: Fill | None) -> Fill:
    if was is None or was.used is None or was.used == fill.used:
        return fill
    return replace(fill, was=was.used, was_text=was.text)


def _fill(target: LensTarget, used: float | None, capacity: float, text: str) -> Fill:
    return Fill(target.mark, target.label, used, capacity, text, str(size(capacity)))


def _unknown(target: LensTarget, why: str) -> Fill:
    return Fill(target.mark, target.label, None, None, why=why)


def _over(fill: Fill, told: str) -> Fill:
    over = fill.used is not None and fill.capacity is not None and fill.used > fill.capacity
    return replace(fill, severity="error", told=told) if over else fill


def _room(blocks: int | None, core: str) -> str:
    return "" if blocks is None else f"room for {blocks} block{'s' * (blocks != 1)} per {core}"


def _size(used: float | None) -> str:
    return "" if used is None else str(size(used))


def _times(blocks: int, one: int, exact: bool = True) -> str:
    return f"{'' if exact else '≤ '}{blocks} × {size(one)}"


def _step(room: Room, resource: Resource, text: str) -> str:
    """`≤ 128: 4 blocks`; where both have to shrink, it goes on from shared memory's bar."""
    assert room.step is not None
    is_one = len(room.step.changes) == 1
    if resource is Resource.SHARED and not is_one:
        return f"≤ {text} and …"
    return f"{'' if is_one else '… '}≤ {text}: {room.step.blocks} blocks"
