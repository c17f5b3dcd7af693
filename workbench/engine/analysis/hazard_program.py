"""The form in which hazards are looked for: what a kernel does to shared memory, and its order.

A program is a tree of steps. What lies between two operations that order threads has no order
between threads of its own, so its loops and conditions are kept as axes of the touches in them.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.core.analysis.hazards import Agent, Mode
from workbench.engine.analysis.expressions import Axis, Node


class Ordering(enum.Enum):
    """An operation that orders threads, or an asynchronous copy; the value is its name."""

    CONVERGE = "warp"
    BARRIER = "barrier"
    NAMED_BARRIER = "named barrier"
    NAMED_ARRIVE = "named barrier arrive"
    COPY_COMMIT = "cp.async commit"
    COPY_WAIT = "cp.async wait"
    COPY_ARRIVE = "cp.async arrive"
    SLOT_INIT = "mbarrier init"
    SLOT_ARRIVE = "mbarrier arrive"
    SLOT_EXPECT = "mbarrier expect"
    SLOT_ARRIVE_EXPECT = "mbarrier arrive and expect"
    SLOT_WAIT = "mbarrier wait"
    TENSOR_COMMIT = "wgmma commit"
    TENSOR_WAIT = "wgmma wait"
    STORE_COMMIT = "bulk store commit"
    STORE_WAIT = "bulk store wait"
    UNKNOWN_CALL = "call"  # of which nothing is known, so that all before it is taken to be done
    OPAQUE = "not understood"  # after which nothing can be told


@dataclass(frozen=True, eq=False)
class Touch:
    """An access to shared memory: `width_bytes` from `address` on, by each active thread.

    `loops` and `conditions` are those around it up to the nearest operation that orders threads.
    `slot` is the mbarrier that an asynchronous copy reports to, `partner` the other buffer of a
    copy, `start_bytes` where the buffer begins.
    """

    mode: Mode
    agent: Agent
    buffer: str
    address: Node
    width_bytes: int
    line: int | None
    element_bytes: int = 1
    loops: tuple[Axis, ...] = ()
    conditions: tuple[Node, ...] = ()
    slot: SlotName | None = None
    partner: str | None = None
    start_bytes: int = 0


@dataclass(frozen=True, eq=False)
class SlotName:
    """An mbarrier: its buffer's name and its place there."""

    buffer: str
    index: Node


@dataclass(frozen=True, eq=False)
class Order:
    """An operation that orders threads; `values` are its numbers: identifier, count, parity."""

    kind: Ordering
    line: int | None
    slot: SlotName | None = None
    values: tuple[Node, ...] = ()
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Assign:
    """A counter in a register takes a value."""

    axis: Axis
    value: Node


@dataclass(frozen=True, eq=False)
class Leave:
    """The kernel ends here for the threads that come here."""


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop whose turns operations order."""

    axis: Axis
    body: tuple[Step, ...]


@dataclass(frozen=True, eq=False)
class Branch:
    """A condition around operations that order threads."""

    condition: Node
    then: tuple[Step, ...]
    otherwise: tuple[Step, ...]
    line: int | None


Step = Touch | Order | Assign | Leave | Loop | Branch


@dataclass(frozen=True)
class Program:
    """A kernel's steps; `shared_bytes` of all its shared buffers, `untold` accesses left out."""

    steps: tuple[Step, ...]
    shared_bytes: int
    untold: int


def is_plain(steps: tuple[Step, ...]) -> bool:
    """Whether nothing among the steps orders threads of different warps or counts copies."""
    return all(
        step.slot is None if isinstance(step, Touch) else _is_convergence(step) for step in steps
    )


def _is_convergence(step: Step) -> bool:
    return isinstance(step, Order) and step.kind is Ordering.CONVERGE


BLOCKING = frozenset(
    (Ordering.BARRIER, Ordering.NAMED_BARRIER, Ordering.SLOT_WAIT, Ordering.OPAQUE)
)


def may_block(steps: tuple[Step, ...]) -> bool:
    """Whether a thread may have to wait for others among the steps."""
    for step in steps:
        if isinstance(step, Order) and step.kind in BLOCKING:
            return True
        if isinstance(step, Loop) and may_block(step.body):
            return True
        if isinstance(step, Branch) and (may_block(step.then) or may_block(step.otherwise)):
            return True
    return False


def every(steps: Sequence[Step]) -> Iterator[Step]:
    """All steps with those inside them, in the order of the code."""
    for step in steps:
        yield step
        if isinstance(step, Loop):
            yield from every(step.body)
        elif isinstance(step, Branch):
            yield from every((*step.then, *step.otherwise))


def touch_after(steps: Sequence[Step], order: Order) -> Touch | None:
    """The access that an operation is for: the next in the code; the last before where none is."""
    passed, before = False, None
    for step in every(steps):
        passed = passed or step is order
        if isinstance(step, Touch):
            if passed:
                return step
            before = step
    return before
