"""Barriers that do not work out: endless waits, arrivals and bytes that do not add up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.core.analysis.hazards import HazardKind
from workbench.engine.analysis.hazard_barriers import Slot
from workbench.engine.analysis.hazard_block import Block, Party
from workbench.engine.analysis.hazard_program import (
    Branch,
    Loop,
    Order,
    Ordering,
    Step,
    Touch,
    every,
    touch_after,
)

_ARRIVALS = (Ordering.SLOT_ARRIVE, Ordering.SLOT_ARRIVE_EXPECT, Ordering.COPY_ARRIVE)


def stuck(block: Block, parties: Sequence[Party]) -> None:
    """These parties wait and none can go on: tell why, from the barriers that they wait at."""
    waiting = [party for party in parties if party.slot is not None]
    slots = {id(each.slot): (each.slot, _near(block, each)) for each in waiting if each.slot}
    told = [slot for slot, near in slots.values() if _incomplete(block, slot, near)]
    if told or any(slot.expected != slot.copied for slot in block.slots.made.values()):
        return
    apart = set(_under_conditions(block.program.steps))
    meeting = [each for each in parties if each.slot is None]
    for party in [each for each in meeting if each.waits in apart] or waiting or meeting:
        if party.waits is not None:
            _held_up(block, party, party.waits)


def _under_conditions(steps: Sequence[Step], divergent: bool = False) -> Iterator[Order]:
    """The barriers of the whole block that stand where only some threads come."""
    for step in steps:
        if isinstance(step, Order):
            if divergent and step.kind is Ordering.BARRIER:
                yield step
        elif isinstance(step, Loop):
            yield from _under_conditions(step.body, divergent)
        elif isinstance(step, Branch):
            some = divergent or any(axis.thread for axis in step.condition.axes)
            yield from _under_conditions((*step.then, *step.otherwise), some)


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


def _incomplete(block: Block, slot: Slot, near: Touch | None) -> bool:
    """Whether a phase lacks arrivals that nobody is on the way to make; then tell so."""
    came = slot.count - slot.pending
    if not slot.pending or (not came and _may_still_arrive(block, slot)):
        return False
    text = (
        f"A phase of {slot.name} ends after {slot.count} arrivals, but {came} come: whoever waits "
        "for it waits for ever."
    )
    evidence = {"barrier": slot.name, "count": slot.count, "arrivals": came}
    block.tell(HazardKind.ARRIVALS, slot.line, text, evidence, slot.near or near)
    return True


def _may_still_arrive(block: Block, slot: Slot) -> bool:
    """Whether an arrival that may be meant for the slot was not come to."""
    buffer = slot.name.partition("[")[0]
    return any(
        step.slot is not None and step.slot.buffer == buffer and step not in block.arrived
        for step in every(block.program.steps)
        if isinstance(step, Order) and step.kind in _ARRIVALS
    )


def _near(block: Block, party: Party) -> Touch | None:
    """The access that a party waits for."""
    return touch_after(block.program.steps, party.waits) if party.waits else party.last


def _held_up(block: Block, party: Party, step: Order) -> None:
    count = int(party.mask.sum())
    evidence = {"threads": count, "turns": party.turns}
    if party.slot is None:
        text = (
            f"{count} threads wait at this barrier for others that never come to it: the condition "
            "around it differs between warps."
        )
        block.tell(HazardKind.DIVERGENCE, step.line, text, evidence, _near(block, party))
        return
    text = f"{count} threads wait for a phase of {party.slot.name} that never ends."
    about = {"barrier": party.slot.name, **evidence}
    block.tell(HazardKind.DEADLOCK, step.line, text, about, _near(block, party))
