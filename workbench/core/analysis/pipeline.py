"""The order in which a kernel's lowered code copies, waits and computes, role by role.

Expressions are text of `index_expressions` over `bx`, `by`, `bz` and the names of the loops.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class StepKind(enum.Enum):
    """What a step of the code is."""

    COPY = "copy"  # into shared memory, in the background
    COMMIT = "commit"  # the copies before it become one group
    WAIT = "wait"  # for copies, or for a buffer to be free again
    ARRIVE = "arrive"  # tells an mbarrier
    BARRIER = "barrier"
    LOAD = "load"  # of global memory into registers
    STORE = "store"  # to global memory
    TENSOR = "tensor"
    REDUCE = "reduce"  # over threads
    VECTOR = "vector"
    MOVE = "move"  # between shared memory and registers
    COUNT = "count"  # a counter in a register takes a value


COMPUTING = frozenset((StepKind.TENSOR, StepKind.REDUCE, StepKind.VECTOR, StepKind.MOVE))
MEMORY = frozenset((StepKind.LOAD, StepKind.STORE))


@dataclass(frozen=True)
class Slot:
    """An mbarrier: the buffer's name, and the place in it as an expression."""

    buffer: str
    index: str


@dataclass(frozen=True)
class PipelineStep:
    """Statements of one line in a row that are of one kind.

    `warps` are the first and the last one that come here, `threads` how many of each execution.
    `loops` are the positions of the loops around, the outermost first; where a guard is 0 the step
    is left out, and `guarded` says that data decide. `buffers` are those of shared memory that are
    touched. `slot` is the mbarrier of a wait, of an arrival, or that a copy reports to. `value` is
    the parity that a wait is for, the groups of copies that may still be under way after it, or
    what the counter named `text` becomes, which expressions of later steps of its role may have.
    `bytes` are what all threads copy in one execution, `lines` the rows of boxes, in pieces of 128
    bytes, that the tensor memory accelerator copies of it.
    """

    kind: StepKind
    line: int | None
    text: str
    warps: tuple[int, int]
    threads: int
    loops: tuple[int, ...] = ()
    guards: tuple[str, ...] = ()
    guarded: bool = False
    buffers: tuple[str, ...] = ()
    slot: Slot | None = None
    value: str | None = None
    bytes: int = 0
    lines: int = 0


@dataclass(frozen=True)
class PipelineLoop:
    """A loop whose turns order something; `name` is the number of the turn, from 0.

    `label` is the variable as the document calls it; `extent` is None where data decide it.
    `stages` are those that the document asks for, where the code still tells them; 0 else.
    """

    name: str
    label: str
    extent: str | None
    line: int | None
    stages: int = 0


@dataclass(frozen=True)
class SlotArrivals:
    """How many arrivals end a phase of an mbarrier."""

    buffer: str
    index: int
    count: int


@dataclass(frozen=True)
class Pipeline:
    """The steps of one kernel in the order of the code.

    `roles` are the warps, first and last, that run the same code. `stages` is the deepest software
    pipeline that the document asks for, 0 without one.
    """

    threads: int
    warp: int
    roles: tuple[tuple[int, int], ...]
    loops: tuple[PipelineLoop, ...]
    steps: tuple[PipelineStep, ...]
    arrivals: tuple[SlotArrivals, ...] = ()
    stages: int = 0

    def of_role(self, role: tuple[int, int]) -> tuple[int, ...]:
        """The positions of the steps that the warps of a role come to."""
        first, last = role
        return tuple(
            place
            for place, step in enumerate(self.steps)
            if step.warps[0] <= last and first <= step.warps[1]
        )
