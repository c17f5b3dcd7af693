"""What a steady turn of the main loop is spent on, what bounds it, and the sentence about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from workbench.core.analysis.pipeline import Pipeline, StepKind
from workbench.core.analysis.pipeline_schedule import Schedule
from workbench.core.analysis.pipeline_stretches import Part, Stretch
from workbench.session.lenses.pipeline.model import RowKind
from workbench.session.lenses.pipeline.words import listed, part_of, percent, stages, time

_LATE = 0.05  # of a turn: copies that are waited for longer come late
_FULL = 0.80  # of a turn: a part of an SM that is busy for longer is what bounds it


@dataclass(frozen=True)
class Shares:
    """Parts of a steady turn, 0 to 1: of the SM's units by all roles, of the rest by the one that
    computes. `late` are the buffers that are waited for longest; `turn_us` is how long it takes."""

    turn_us: float
    tensor: float
    vector: float
    shared: float
    waiting: float
    handing: float
    other: float
    late: tuple[str, ...]

    @property
    def bottleneck(self) -> RowKind:
        """The row that a turn takes so long for."""
        units = {
            RowKind.TENSOR: self.tensor,
            RowKind.SHARED: self.shared,
            RowKind.VECTOR: self.vector,
        }
        if self.waiting >= _LATE:
            return RowKind.COPIES
        busiest = max(units, key=units.__getitem__)
        return busiest if units[busiest] >= _FULL else RowKind.ROLE


def shares_of(found: Schedule, window: tuple[float, float], turn_us: float) -> Shares:
    """What the time of a steady turn is spent on."""
    own = [each for each in found.stretches if each.role == found.role]
    waits = [each for each in own if each.part is Part.WAIT]
    late = max(waits, key=lambda each: _within(each, window), default=None)
    return Shares(
        turn_us,
        share(found.stretches, Part.TENSOR, window),
        share(found.stretches, Part.VECTOR, window),
        share(found.stretches, Part.SHARED, window),
        share(own, Part.WAIT, window),
        share(own, Part.HAND_OVER, window),
        share(own, Part.BARRIER, window) + share(own, Part.MEMORY, window),
        late.buffers if late is not None else (),
    )


def share(stretches: Iterable[Stretch], part: Part, window: tuple[float, float]) -> float:
    """The part of a window that stretches of one kind take."""
    spent = sum(_within(each, window) for each in stretches if each.part is part)
    return min(1.0, spent / (window[1] - window[0]))


def _within(each: Stretch, window: tuple[float, float]) -> float:
    return max(0.0, min(each.end, window[1]) - max(each.begin, window[0]))


def bracket_text(shares: Shares, turns: int) -> str:
    """The steady turn, or a cycle of some, in figures."""
    parts = [
        ("tensor", shares.tensor),
        ("vector", shares.vector),
        ("shared", shares.shared),
        ("waiting", shares.waiting),
        ("hand-over", shares.handing),
    ]
    told = [f"{name} {percent(part)}" for name, part in parts if part >= 0.005]
    head = f"steady turn {time(shares.turn_us)}"
    if turns > 1:
        head = f"{turns} steady turns, {time(shares.turn_us)} each"
    return " \N{MIDDLE DOT} ".join([head, *told])


def turn_sentence(shares: Shares, pipeline: Pipeline) -> str:
    """What a steady turn is spent on, and why it takes so long."""
    return f"{_lead(shares)}: {_reason(shares, pipeline)}"


def _lead(shares: Shares) -> str:
    if shares.tensor >= _FULL:
        return f"Tensor cores work {percent(shares.tensor)} of each iteration"
    if shares.tensor > 0:
        return f"Tensor cores idle {percent(1 - shares.tensor)} of each iteration"
    if shares.waiting >= _LATE:
        return f"Warps wait {percent(shares.waiting)} of each iteration"
    most, words = max(_others(shares), key=lambda other: other[0])
    return f"{words} {percent(most)} of each iteration"


def _others(shares: Shares) -> tuple[tuple[float, str], ...]:
    """What else than products takes time, with words for it."""
    return (
        (shares.vector, "Vector work takes"),
        (shares.shared, "Shared memory takes"),
        (shares.handing, "Handing stages over takes"),
        (shares.other, "Barriers and memory take"),
    )


def _reason(shares: Shares, pipeline: Pipeline) -> str:
    turn = shares.turn_us
    if shares.waiting >= _LATE:
        several = len(set(shares.late)) > 1
        with_stages = f"with {stages(pipeline.stages)}, " if pipeline.stages else ""
        comes = "come" if several else "comes"
        lost = shares.waiting + shares.handing
        late = f"{listed(shares.late) or 'the next tile'} {comes} too late"
        what = "waiting and hand-over" if shares.handing else "waiting"
        return f"{with_stages}{late}, and {part_of(lost * turn, turn)} is {what}."
    awaited = any(step.kind is StepKind.WAIT for step in pipeline.steps)
    copies = "the copies come in time" if awaited else "no copy is waited for"
    if shares.tensor >= _FULL or not shares.tensor:
        return f"{copies}."
    others = (
        (shares.vector, "{} is vector work"),
        (shares.shared, "{} goes through shared memory"),
        (shares.handing, "{} is spent on handing stages over"),
        (shares.other, "{} goes to barriers and memory"),
    )
    most, words = max(others, key=lambda other: other[0])
    return f"{copies}, but {words.format(part_of(most * turn, turn))}."
