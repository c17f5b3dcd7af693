"""What is known of a block while its program is walked, and the parties of threads that walk it."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.core.analysis.hazards import Hazard, HazardKind, Place
from workbench.engine.analysis.expressions import Axis, Node, UnknownValueError, evaluate
from workbench.engine.analysis.hazard_barriers import Meetings, Slot, Slots
from workbench.engine.analysis.hazard_memory import Event, Shadow
from workbench.engine.analysis.hazard_order import Clocks, Ints
from workbench.engine.analysis.hazard_program import Order, Program, Touch
from workbench.engine.analysis.hazard_touches import Cells, Mask
from workbench.engine.analysis.launch import LaunchAxes

Walked = Generator[None, None, None]
SLOTS = 128  # mbarriers of a block that are followed


class CannotTellError(Exception):
    """The order of the kernel's threads depends on what the code alone does not tell."""


@dataclass
class Party:
    """Threads that are walked together: `mask` are those that are active."""

    mask: Mask
    values: dict[Axis, Ints | int]
    loops: list[Axis] = field(default_factory=list)
    waits: Order | None = None  # what it is held up by
    slot: Slot | None = None
    doubtful: int = 0  # conditions around that are not known
    ended: bool = False
    last: Touch | None = None  # its last access

    @property
    def turns(self) -> dict[str, int]:
        """The values of the loop variables around, the outermost first."""
        return {axis.name: int(self.values[axis]) for axis in self.loops}


class Block:
    """A block: clocks, memory and barriers; `hazards` are what was found.

    `untold` counts accesses that could not be looked at; `moves` rises whenever a party gets on.
    """

    def __init__(self, program: Program, axes: LaunchAxes, index: tuple[int, int, int]) -> None:
        launch = axes.launch
        self.program, self.index, self.warp = program, index, launch.warp
        self.threads, self.thread = launch.threads, axes.thread
        self.numbers = np.arange(launch.threads)
        self.live = np.ones(launch.threads, bool)
        self.clocks = Clocks(launch.warps, SLOTS)
        self.cells = Cells(program.steps, axes.thread, launch.threads)
        self.size = program.shared_bytes // self.cells.unit + 1
        self.shadow = Shadow(self.size, launch.warp, self.clocks)
        self.meetings, self.slots = Meetings(self.clocks), Slots(self.clocks, SLOTS)
        self.arrived: set[Order] = set()
        self.hazards: list[Hazard] = []
        self.untold, self.moves = program.untold, 0
        self._seen: set[tuple[object, ...]] = set()
        self._warps: dict[bytes, Ints] = {}

    def value(self, node: Node, party: Party) -> Ints | int:
        """The value of an expression, a number or one for each thread. Raises CannotTellError."""
        try:
            return evaluate(node, party.values, {})
        except UnknownValueError as error:
            raise CannotTellError(str(error)) from None

    def number(self, node: Node, party: Party) -> int:
        """A value that is one for all active threads. Raises CannotTellError."""
        value = self.value(node, party)
        if isinstance(value, int):
            return value
        active = np.broadcast_to(value, self.threads)[party.mask]
        if (active != active[0]).any():
            raise CannotTellError("a number of a barrier differs between threads")
        return int(active[0])

    def warps_of(self, party: Party) -> Ints:
        """The warps that have active threads."""
        key = party.mask.tobytes()
        if key not in self._warps:
            self._warps[key] = np.unique(self.numbers[party.mask] // self.warp)
        return self._warps[key]

    def place(self, event: Event, thread: int, cell: int) -> Place:
        """An access as evidence."""
        touch = event.touch
        element = (cell * self.cells.unit - touch.start_bytes) // touch.element_bytes
        of_touch = (touch.line, touch.buffer, touch.mode, touch.agent)
        return Place(*of_touch, thread, element, event.turns, touch.partner)

    def is_new(self, key: tuple[object, ...]) -> bool:
        """Whether something was not told yet; it now is."""
        new = key not in self._seen
        self._seen.add(key)
        return new

    def tell(
        self,
        kind: HazardKind,
        line: int | None,
        text: str,
        evidence: dict[str, Any],
        near: Touch | None = None,
    ) -> None:
        """Keep a hazard of a barrier; `near` is an access that it is for."""
        if self.is_new((kind, line, text)):
            place = None
            if near is not None:
                of_touch = (near.line, near.buffer, near.mode, near.agent)
                place = Place(*of_touch, None, 0, {}, near.partner)
            self.hazards.append(
                Hazard(kind, self.index, line=line, text=text, evidence=evidence, near=place)
            )
