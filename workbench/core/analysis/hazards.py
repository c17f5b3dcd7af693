"""Hazards of lowered code: what was found, and how a person is told of it."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from workbench.core.diagnostics import Diagnostic, Related, Severity, TextRange

STAGE = "analysis"


class Mode(enum.Enum):
    """What an access does."""

    READ = "read"
    WRITE = "write"
    ATOMIC = "atomic"


class Agent(enum.Enum):
    """Who carries an access out: the thread itself, or a unit that works on while it goes on."""

    THREAD = "thread"
    COPY = "cp.async"
    BULK_LOAD = "TMA load"
    TENSOR = "wgmma"
    BULK_STORE = "TMA store"


class HazardKind(enum.Enum):
    """Kinds of hazards; the value is the diagnostic's code."""

    NOT_AWAITED = "pipeline-hazard"
    OVERWRITTEN = "stage-overwritten"
    RACE = "shared-memory-race"
    DIVERGENCE = "barrier-divergence"
    ARRIVALS = "mbarrier-arrival-count"
    BYTES = "mbarrier-transaction-bytes"
    DEADLOCK = "barrier-deadlock"
    UNMADE = "mbarrier-not-initialised"


@dataclass(frozen=True)
class Place:
    """An access as evidence: who did it, to what, where in the code and in which turns.

    `thread` is the number in the block, None for what a whole warp has done together; `element` is
    an index in the lowered buffer, `turns` the values of the loop variables around;
    `partner` is the other buffer of a copy.
    """

    line: int | None
    buffer: str
    mode: Mode
    agent: Agent
    thread: int | None
    element: int
    turns: dict[str, int] = field(default_factory=dict)
    partner: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The place as a part of a diagnostic's evidence."""
        return {
            "line": self.line,
            "buffer": self.buffer,
            "access": self.mode.value,
            "by": self.agent.value,
            "thread": self.thread,
            "element": self.element,
            "turns": self.turns,
        }


@dataclass(frozen=True)
class Hazard:
    """A hazard that was shown: `first` happened before `second` in the order that was walked.

    Hazards of barriers have no two accesses but a `line` and a `text`, and where the barrier has no
    line in the document an access `near` it. `block` is the block's index along x, y, z.
    """

    kind: HazardKind
    block: tuple[int, int, int]
    first: Place | None = None
    second: Place | None = None
    line: int | None = None
    text: str = ""
    evidence: dict[str, Any] = field(default_factory=dict)
    near: Place | None = None


def diagnostic(hazard: Hazard, targets: tuple[str, ...] = ()) -> Diagnostic:
    """The hazard as a person is told of it, at the line where it can be mended."""
    first, second = hazard.first, hazard.second
    if first is None or second is None:
        line = hazard.line or (hazard.near.line if hazard.near else None)
        return _finding(hazard, hazard.text, line, (), hazard.evidence, targets)
    message = _MESSAGES[hazard.kind](first, second)
    told, other = (first, second) if first.agent is not Agent.THREAD else (second, first)
    line, far = (told.line, other) if told.line is not None else (other.line, told)
    related = () if far.line is None else (Related(TextRange(far.line), _did(far)),)
    evidence = {"first": first.to_json(), "second": second.to_json(), **hazard.evidence}
    return _finding(hazard, message, line, related, evidence, targets)


def _finding(
    hazard: Hazard,
    message: str,
    line: int | None,
    related: tuple[Related, ...],
    evidence: dict[str, Any],
    targets: tuple[str, ...],
) -> Diagnostic:
    return Diagnostic(
        hazard.kind.value,
        Severity.ERROR,
        message,
        None if line is None else TextRange(line),
        related,
        targets,
        STAGE,
        {"block": list(hazard.block), **evidence},
        _HELP[hazard.kind],
    )


def _not_awaited(first: Place, second: Place) -> str:
    copy, other = (first, second) if first.agent is not Agent.THREAD else (second, first)
    return (
        f"The {copy.agent.value} into {copy.buffer} is not awaited before {_where(other)} "
        f"{_verb(other)} element {other.element}{_turns(other)}."
    )


def _overwritten(first: Place, second: Place) -> str:
    return (
        f"{_capital(_where(second))} overwrites element {second.element} of {second.buffer}"
        f"{_turns(second)} while {_where(first)} may still read it{_turns(first)}: nothing orders "
        "the two."
    )


def _race(first: Place, second: Place) -> str:
    same = " the same warp's" if first.thread is not None and _one_warp(first, second) else ""
    return (
        f"Element {second.element} of {second.buffer} is {_past(first)} by{same} {_who(first)}"
        f"{_at(first)} and {_past(second)} by {_who(second)}{_at(second)}{_turns(second)} without "
        "a barrier in between."
    )


def _one_warp(first: Place, second: Place) -> bool:
    threads = (first.thread, second.thread)
    return None not in threads and len({(each or 0) // 32 for each in threads}) == 1


def _did(place: Place) -> str:
    return f"{_capital(_who(place))} {_verb(place)} element {place.element} of {place.buffer} here"


def _where(place: Place) -> str:
    return f"{_who(place)}{_at(place)}"


def _who(place: Place) -> str:
    if place.agent is not Agent.THREAD:
        return f"the {place.agent.value}"
    return "a thread" if place.thread is None else f"thread {place.thread}"


def _at(place: Place) -> str:
    return "" if place.line is None else f" (line {place.line})"


def _verb(place: Place) -> str:
    return {"read": "reads", "write": "writes", "atomic": "updates"}[place.mode.value]


def _past(place: Place) -> str:
    return {"read": "read", "write": "written", "atomic": "updated"}[place.mode.value]


def _turns(place: Place) -> str:
    return "".join(f", {name} = {value}" for name, value in place.turns.items())


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_MESSAGES: dict[HazardKind, Callable[[Place, Place], str]] = {
    HazardKind.NOT_AWAITED: _not_awaited,
    HazardKind.OVERWRITTEN: _overwritten,
    HazardKind.RACE: _race,
}
_HELP = {
    HazardKind.NOT_AWAITED: "An asynchronous copy is done when its group or mbarrier was waited "
    "for; until then the old content is read. Copy before the use in the same turn, or use "
    "T.serial or a buffer of its own.",
    HazardKind.OVERWRITTEN: "A stage may be filled again only when all its readers have arrived "
    "at a barrier that the writer waits for; reads by wgmma end with its wait.",
    HazardKind.RACE: "Threads of a block see one another's writes to shared memory after a "
    "barrier only (T.sync_threads()).",
    HazardKind.DIVERGENCE: "All threads that a barrier counts have to come to it; move it out of "
    "the condition, or give it a number of threads of its own.",
    HazardKind.ARRIVALS: "A phase of an mbarrier ends after as many arrivals as it was made with.",
    HazardKind.BYTES: "A phase of an mbarrier ends when as many bytes have come as it was told to "
    "expect.",
    HazardKind.DEADLOCK: "The phase that is waited for can only be ended by threads that wait "
    "themselves: look at the parity and at the first turn.",
    HazardKind.UNMADE: "One thread initialises an mbarrier; the others need a barrier of the block "
    "before they may use it.",
}
