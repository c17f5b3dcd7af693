"""Walks a hazard program as the threads of one block would.

Threads whose waits stand under other conditions are walked apart, in turns; nothing is taken to be
ordered but what the program orders, so that the order of the walk does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core.analysis.hazards import Hazard
from workbench.engine.analysis.expressions import Node, UnknownValueError, evaluate
from workbench.engine.analysis.hazard_accesses import access, unfinished
from workbench.engine.analysis.hazard_block import Block, CannotTellError, Party, Walked
from workbench.engine.analysis.hazard_failures import ledgers, stuck
from workbench.engine.analysis.hazard_loops import Plan
from workbench.engine.analysis.hazard_order import Ints
from workbench.engine.analysis.hazard_program import (
    Assign,
    Branch,
    Loop,
    Order,
    Program,
    Step,
    Touch,
)
from workbench.engine.analysis.hazard_touches import Mask
from workbench.engine.analysis.hazard_waits import ordered
from workbench.engine.analysis.launch import LaunchAxes

STEPS = 20_000  # steps of a walk; a longer one is given up


class BlockWalk:
    """The walk of one block; a walk is made once."""

    def __init__(self, program: Program, axes: LaunchAxes, block: tuple[int, int, int]) -> None:
        self._block = Block(program, axes, block)
        self._steps = 0

    @property
    def hazards(self) -> list[Hazard]:
        """What was found."""
        return self._block.hazards

    @property
    def untold(self) -> int:
        """How many accesses could not be looked at."""
        return self._block.untold

    def run(self, masks: Sequence[Mask]) -> None:
        """Walk the program with parties of these threads. Raises CannotTellError."""
        block = self._block
        self._plan = Plan(block.program.steps, len(masks))
        parties = [Party(mask.copy(), {block.thread: block.numbers}) for mask in masks]
        walks = [self._party(party) for party in parties]
        left = parties
        while left:
            before = block.moves
            for party, walk in zip(parties, walks, strict=True):
                if not party.ended:
                    next(walk, None)
            left = [party for party in parties if not party.ended]
            if block.moves == before and left:
                stuck(block, left)
                break
        ledgers(block)
        if not left:
            unfinished(block)

    def _party(self, party: Party) -> Walked:
        yield from self._walk(self._block.program.steps, party)
        party.ended = True
        self._block.moves += 1

    def _walk(self, steps: Sequence[Step], party: Party) -> Walked:
        for step in steps:
            self._steps += 1
            if self._steps > STEPS:
                raise CannotTellError("the kernel is too long")
            if isinstance(step, Touch):
                access(self._block, step, party)
            elif isinstance(step, Order):
                yield from ordered(self._block, step, party)
            elif isinstance(step, Loop):
                yield from self._loop(step, party)
            elif isinstance(step, Branch):
                yield from self._branch(step, party)
            elif isinstance(step, Assign):
                self._assign(step, party)
            else:
                self._leave(party)

    def _loop(self, step: Loop, party: Party) -> Walked:
        count = self._block.number(step.axis.extent, party) if party.mask.any() else 0
        party.loops.append(step.axis)
        for turn in self._plan.turns(step, count):
            party.values[step.axis] = turn
            yield from self._walk(step.body, party)
            self._block.moves += 1
            yield
        party.loops.pop()
        party.values.pop(step.axis, None)

    def _branch(self, step: Branch, party: Party) -> Walked:
        holds = self._holds(step.condition, party)
        if holds is None:
            party.doubtful += 1
            yield from self._walk((*step.then, *step.otherwise), party)
            party.doubtful -= 1
            return
        outer, live = party.mask, self._block.live
        for steps, mask in ((step.then, outer & holds), (step.otherwise, outer & ~holds)):
            party.mask = mask & live
            if party.mask.any():
                yield from self._walk(steps, party)
        party.mask = outer & live

    def _holds(self, condition: Node, party: Party) -> Mask | None:
        """For which threads a condition holds; None where that cannot be told."""
        try:
            value = evaluate(condition, party.values, {})
        except UnknownValueError:
            return None
        return np.broadcast_to(np.asarray(value) != 0, self._block.threads)

    def _assign(self, step: Assign, party: Party) -> None:
        """Give a counter its value; one that cannot be told is taken away."""
        try:
            value = evaluate(step.value, party.values, {})
        except UnknownValueError:
            value = None
        old = party.values.pop(step.axis, None)
        if value is None or party.doubtful:
            return
        if party.mask.all() or old is None:
            party.values[step.axis] = value
            return
        everyone = np.broadcast_to(old, self._block.threads)
        party.values[step.axis] = _one(np.where(party.mask, value, everyone))

    def _leave(self, party: Party) -> None:
        if party.doubtful or party.loops:
            raise CannotTellError("which threads return depends on data or on a loop")
        self._block.live &= ~party.mask
        party.mask = party.mask & False


def _one(values: Ints) -> Ints | int:
    """The number that all threads have, as a number."""
    return int(values.flat[0]) if (values == values.flat[0]).all() else values
