"""Barriers that do not work out: endless waits, arrivals and bytes that do not add up."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.analysis.hazards import HazardKind
from workbench.engine.analysis.hazard_barriers import Slot
from workbench.engine.analysis.hazard_block import Block, Party
from workbench.engine.analysis.hazard_memory import Event
from workbench.engine.analysis.hazard_program import Order, Ordering, orders

_ARRIVALS = (Ordering.SLOT_ARRIVE, Ordering.SLOT_ARRIVE_EXPECT, Ordering.COPY_ARRIVE)


def stuck(block: Block, parties: Sequence[Party]) -> None:
    """These parties wait and none can go on: tell why, from the barriers that they wait at."""
    waiting = [party for party in parties if party.slot is not None]
    slots = {id(party.slot): (party.slot, party.last) for party in waiting if party.slot}
    told = [slot for slot, last in slots.values() if _incomplete(block, slot, last)]
    if told or any(slot.expected != slot.copied for slot in block.slots.made.values()):
        return
    for party in [each for each in parties if each.slot is None] or parties:
        if party.waits is not None:
            _held_up(block, party, party.waits)


def ledgers(block: Block) -> None:
    """Tell of mbarriers whose arrivals or bytes do not add up over the kernel."""
    for slot in block.slots.made.values():
        if slot.too_many:
            text = (
                f"{slot.too_many} threads arrive at {slot.name} at once, whose phase ends after "
                f"{slot.count} arrivals."
            )
            evidence = {"barrier": slot.name, "count": slot.count, "arrivals": slot.too_many}
            block.tell(HazardKind.ARRIVALS, slot.line, text, evidence, slot.near)
        elif slot.expected != slot.copied:
            text = (
                f"{slot.name} is told to expect {slot.expected:,} bytes in all, but its copies "
                f"bring {slot.copied:,}."
            )
            sizes = {"expected_bytes": slot.expected, "copied_bytes": slot.copied}
            about = {"barrier": slot.name, **sizes}
            block.tell(HazardKind.BYTES, slot.expect_line, text, about, slot.near)


def _incomplete(block: Block, slot: Slot, last: Event | None) -> bool:
    """Whether a phase lacks arrivals that nobody is on the way to make; then tell so."""
    came = slot.count - slot.pending
    if not slot.pending or (not came and _may_still_arrive(block, slot)):
        return False
    text = (
        f"A phase of {slot.name} ends after {slot.count} arrivals, but {came} come: whoever waits "
        "for it waits for ever."
    )
    evidence = {"barrier": slot.name, "count": slot.count, "arrivals": came}
    block.tell(HazardKind.ARRIVALS, slot.line, text, evidence, slot.near or last)
    return True


def _may_still_arrive(block: Block, slot: Slot) -> bool:
    """Whether an arrival that may be meant for the slot was not come to."""
    buffer = slot.name.partition("[")[0]
    return any(
        step.slot is not None and step.slot.buffer == buffer and step not in block.arrived
        for step in orders(block.program.steps)
        if step.kind in _ARRIVALS
    )


def _held_up(block: Block, party: Party, step: Order) -> None:
    count = int(party.mask.sum())
    evidence = {"threads": count, "turns": party.turns}
    if party.slot is None:
        text = (
            f"{count} threads wait at this barrier for others that never come to it: the condition "
            "around it differs between warps."
        )
        block.tell(HazardKind.DIVERGENCE, step.line, text, evidence, party.last)
        return
    text = f"{count} threads wait for a phase of {party.slot.name} that never ends."
    about = {"barrier": party.slot.name, **evidence}
    block.tell(HazardKind.DEADLOCK, step.line, text, about, party.slot.near or party.last)
