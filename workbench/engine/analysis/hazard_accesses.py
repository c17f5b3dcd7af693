"""Accesses of a block to shared memory as its program is walked, and their conflicts as hazards."""

from __future__ import annotations

import numpy as np

from workbench.core.analysis.hazards import Agent, Hazard, HazardKind, Mode
from workbench.engine.analysis.expressions import UnknownValueError
from workbench.engine.analysis.hazard_block import Block, CannotTellError, Party
from workbench.engine.analysis.hazard_memory import Conflict, Event
from workbench.engine.analysis.hazard_order import Ints
from workbench.engine.analysis.hazard_program import Touch
from workbench.engine.analysis.hazard_waits import settle, slot_of

_LOADS = (Agent.COPY, Agent.BULK_LOAD)


def access(block: Block, step: Touch, party: Party) -> None:
    """The active threads make an access. Raises CannotTellError."""
    found = None if party.doubtful else _cells(block, step, party)
    if found is None and step.slot is not None:
        raise CannotTellError("whether a counted copy is made, or where it goes, is not known")
    if found is None:
        block.untold += 1
        return
    cells, threads = found
    if len(cells) == 0:
        return
    columns, epochs = _done(block, step, party, threads // block.warp)
    party.last = step
    event = Event(step, cells, threads, party.turns)
    for conflict in block.shadow.access(event, columns, epochs):
        _keep(block, conflict)
    if step.slot is not None:
        slot = slot_of(block, step.slot, party)
        slot.bring(len(cells) * block.cells.unit, step)
        settle(block, slot)


def _cells(block: Block, step: Touch, party: Party) -> tuple[Ints, Ints] | None:
    """The cells and the thread of each; None where they cannot be told or are out of bounds."""
    try:
        cells, threads = block.cells.of(step, party.values, party.mask)
    except UnknownValueError:
        return None
    inside = len(cells) == 0 or (cells.min() >= 0 and cells.max() < block.size)
    return (cells, threads) if inside else None


def _done(block: Block, step: Touch, party: Party, warps: Ints) -> tuple[Ints, Ints]:
    """Column and time at which each of the cells is done with."""
    if step.agent is not Agent.BULK_LOAD:
        return block.clocks.column(step.agent) + warps, block.clocks.epochs(step.agent)[warps]
    if step.slot is None:
        raise CannotTellError("a copy that no mbarrier counts")
    slot = slot_of(block, step.slot, party)
    column = np.full(len(warps), block.slots.column(slot))
    return column, np.full(len(warps), slot.phase + 1)


def _keep(block: Block, conflict: Conflict) -> None:
    first, second = conflict.first, conflict.second
    if block.is_new((first.touch, second.touch)):
        kind = _kind(first.touch, second.touch)
        before = block.place(first, conflict.first_thread, conflict.cell)
        after = block.place(second, conflict.second_thread, conflict.cell)
        block.hazards.append(Hazard(kind, block.index, before, after))


def _kind(first: Touch, second: Touch) -> HazardKind:
    if first.agent in _LOADS and first.mode is not Mode.READ:
        return HazardKind.NOT_AWAITED
    both_threads = first.agent is second.agent is Agent.THREAD
    if first.mode is Mode.READ and not both_threads:
        return HazardKind.OVERWRITTEN
    return HazardKind.RACE


def unfinished(block: Block) -> None:
    """Tell of bulk stores that may still read shared memory when the kernel ends."""
    clocks = block.clocks
    for event in block.shadow.last_reads(Agent.BULK_STORE):
        thread, cell = int(event.threads[0]), int(event.cells[0])
        warp = thread // block.warp
        column = clocks.column(Agent.BULK_STORE) + warp
        if clocks.known[warp, column] < block.shadow.read_at(Agent.BULK_STORE, cell, warp):
            text = (
                f"The TMA store from {event.touch.buffer} is not waited for before the kernel "
                "ends: its shared memory may be given away while it is read."
            )
            evidence = {"first": block.place(event, thread, cell).to_json()}
            block.tell(HazardKind.NOT_AWAITED, event.touch.line, text, evidence)
