"""Operations that order the threads of a block as its program is walked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from workbench.core.analysis.hazards import Agent, HazardKind
from workbench.engine.analysis.hazard_barriers import Slot
from workbench.engine.analysis.hazard_block import Block, CannotTellError, Party, Walked
from workbench.engine.analysis.hazard_order import Ints
from workbench.engine.analysis.hazard_program import (
    Order,
    Ordering,
    SlotName,
    Touch,
    every,
)


def ordered(block: Block, step: Order, party: Party) -> Walked:
    """The active threads come to an operation; yields while they wait. Raises CannotTellError."""
    if not party.mask.any():
        return
    plain = _PLAIN.get(step.kind)
    if plain is not None:
        plain(block, step, party)
    elif step.kind is Ordering.SLOT_WAIT:
        yield from _wait(block, step, party)
    else:
        yield from _meet(block, step, party)


def slot_of(block: Block, named: SlotName, party: Party) -> Slot:
    """The mbarrier of a name. Raises CannotTellError where it was not seen to be made."""
    key = (named.buffer, block.number(named.index, party))
    slot = block.slots.made.get(key)
    if party.doubtful:
        raise CannotTellError("whether an mbarrier is used depends on data")
    if slot is None:
        if any(buffer == key[0] for buffer, _ in block.slots.made):
            _unmade(block, key, party)
        raise CannotTellError("an mbarrier whose making was not seen")
    if not block.slots.is_made_for(slot, block.warps_of(party)):
        _unmade(block, key, party)
    return slot


def settle(block: Block, slot: Slot) -> None:
    """End the slot's phase if all has come."""
    if slot.settle(block.slots.column(slot)):
        block.moves += 1


def _unmade(block: Block, key: tuple[str, int], party: Party) -> None:
    name = f"{key[0]}[{key[1]}]"
    text = f"{name} is used by threads that no barrier tells that it has been initialised."
    near = party.last or _first_copy(block, key[0])
    block.tell(HazardKind.UNMADE, None, text, {"barrier": name}, near)


def _first_copy(block: Block, buffer: str) -> Touch | None:
    """The first copy that an mbarrier of a buffer counts."""
    touches = (step for step in every(block.program.steps) if isinstance(step, Touch))
    return next((each for each in touches if each.slot and each.slot.buffer == buffer), None)


def _converge(block: Block, step: Order, party: Party) -> None:
    block.clocks.converge(block.warps_of(party))


def _commit(block: Block, step: Order, party: Party) -> None:
    block.clocks.commit(_QUEUES[step.kind], block.warps_of(party))


def _await(block: Block, step: Order, party: Party) -> None:
    left = block.number(step.values[0], party)
    block.clocks.await_groups(_QUEUES[step.kind], block.warps_of(party), left)


def _opaque(block: Block, step: Order, party: Party) -> None:
    raise CannotTellError(step.reason)


def _forget(block: Block, step: Order, party: Party) -> None:
    block.untold += 1
    block.shadow.forget()


def _slot_init(block: Block, step: Order, party: Party) -> None:
    assert step.slot is not None
    key = (step.slot.buffer, block.number(step.slot.index, party))
    count, warp = block.number(step.values[0], party), int(block.warps_of(party)[0])
    try:
        block.slots.make(key, count, warp, step.line)
    except OverflowError as error:
        raise CannotTellError(str(error)) from None


def _slot_arrive(block: Block, step: Order, party: Party) -> None:
    assert step.slot is not None
    slot, warps = slot_of(block, step.slot, party), block.warps_of(party)
    if step.kind is Ordering.SLOT_ARRIVE_EXPECT:
        _slot_expect(block, step, party)
    row = block.clocks.released(warps)
    if step.kind is Ordering.COPY_ARRIVE:
        row = block.clocks.copies_done(warps, row)
    block.arrived.add(step)
    slot.near = slot.near or party.last
    slot.arrive(int(party.mask.sum()), row)
    settle(block, slot)


def _slot_expect(block: Block, step: Order, party: Party) -> None:
    assert step.slot is not None
    size = block.number(step.values[0], party)
    slot_of(block, step.slot, party).expect(size * int(party.mask.sum()), step.line)


def _wait(block: Block, step: Order, party: Party) -> Walked:
    """Wait for a phase of the parity, of which alone the threads do not know that it has ended.

    A wait for the other parity may let go at once, and so tells nothing.
    """
    assert step.slot is not None
    slot, parity = slot_of(block, step.slot, party), block.number(step.values[0], party) & 1
    warps = block.warps_of(party)
    phase = block.slots.known_phases(slot, warps)
    if phase % 2 != parity:
        return
    party.waits, party.slot = step, slot
    while slot.phase <= phase:
        yield
    party.waits = party.slot = None
    block.moves += 1
    block.clocks.acquire(warps, slot.rows[phase])


def _meet(block: Block, step: Order, party: Party) -> Walked:
    """Come to a barrier of the block or of a number of its threads."""
    warps = block.warps_of(party)
    whole = step.kind is Ordering.BARRIER
    number = 0 if whole else block.number(step.values[0], party)
    count = int(block.live.sum()) if whole else block.number(step.values[1], party)
    threads = _taking_part(block, step, party, warps)
    meeting, turn = block.meetings.come(number, count, threads, warps)
    if step.kind is Ordering.NAMED_ARRIVE:
        return
    party.waits = step
    while meeting.turn <= turn:
        yield
    party.waits = None
    block.moves += 1
    block.clocks.acquire(warps, meeting.rows[turn])


def _taking_part(block: Block, step: Order, party: Party, warps: Ints) -> int:
    """The threads that a barrier counts: those of whole warps, which come together."""
    of_warps = np.isin(block.numbers // block.warp, warps) & block.live
    count, active = int(of_warps.sum()), int((of_warps & party.mask).sum())
    if not party.doubtful and active < count:
        text = (
            f"Only {active} of the {count} threads of these warps come to this barrier: the "
            "condition around it differs within a warp."
        )
        evidence = {"threads": active, "expected": count, "turns": party.turns}
        block.tell(HazardKind.DIVERGENCE, step.line, text, evidence, party.last)
    return count


_QUEUES = {
    Ordering.COPY_COMMIT: Agent.COPY,
    Ordering.COPY_WAIT: Agent.COPY,
    Ordering.TENSOR_COMMIT: Agent.TENSOR,
    Ordering.TENSOR_WAIT: Agent.TENSOR,
    Ordering.STORE_COMMIT: Agent.BULK_STORE,
    Ordering.STORE_WAIT: Agent.BULK_STORE,
}
_PLAIN: dict[Ordering, Callable[[Block, Order, Party], None]] = {
    Ordering.CONVERGE: _converge,
    Ordering.OPAQUE: _opaque,
    Ordering.UNKNOWN_CALL: _forget,
    Ordering.SLOT_INIT: _slot_init,
    Ordering.SLOT_ARRIVE: _slot_arrive,
    Ordering.SLOT_EXPECT: _slot_expect,
    Ordering.SLOT_ARRIVE_EXPECT: _slot_arrive,
    Ordering.COPY_ARRIVE: _slot_arrive,
    Ordering.COPY_COMMIT: _commit,
    Ordering.TENSOR_COMMIT: _commit,
    Ordering.STORE_COMMIT: _commit,
    Ordering.COPY_WAIT: _await,
    Ordering.TENSOR_WAIT: _await,
    Ordering.STORE_WAIT: _await,
}
