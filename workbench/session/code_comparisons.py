"""Which other text a text of the code pane can be compared with."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from workbench.session.code_inputs import STAGES, Stage, State
from workbench.session.code_view import CodeView, Place


class Against(enum.Enum):
    """What stands on the left of a comparison; PINNED is a text that the person chose."""

    NOTHING = "nothing"
    BEFORE = "before"
    TARGET = "target"
    STAGE = "stage"
    PINNED = "pinned"


@dataclass(frozen=True)
class Comparison:
    """A rule that gives the left text for whatever is on the right; `value` names it further."""

    against: Against = Against.NOTHING
    value: str = ""


ALONE = Comparison()
BEFORE = Comparison(Against.BEFORE)
PINNED = Comparison(Against.PINNED)


@dataclass(frozen=True)
class Choice:
    """A comparison that can be made at a place, in words."""

    comparison: Comparison
    title: str


def choices(view: CodeView, place: Place, pinned: Place | None) -> tuple[Choice, ...]:
    """What the text at a place can be compared with, the text alone first."""
    found = [Choice(ALONE, "Nothing")]
    if place.pass_index is not None:
        found.append(Choice(BEFORE, "The text before this pass"))
    found += [
        Choice(Comparison(Against.TARGET, target.name), target.title)
        for target in view.inputs.targets
        if target.name != place.target
    ]
    if place.stage is not None:
        found += [
            Choice(Comparison(Against.STAGE, stage.value), info.title)
            for stage, info in STAGES.items()
            if stage is not place.stage
        ]
    held = view.content(pinned) if pinned is not None else None
    if held is not None:
        found.append(Choice(PINNED, f"Pinned: {held.title}"))
    return tuple(found)


def left_place(
    view: CodeView, place: Place, comparison: Comparison, pinned: Place | None
) -> Place | None:
    """What stands on the left of `place`; None where this comparison gives nothing there."""
    return _LEFT[comparison.against](view, place, comparison.value, pinned)


def needed(view: CodeView, places: tuple[Place | None, ...]) -> tuple[tuple[str, Stage], ...]:
    """The stages among these places that were not asked for, though they could be there."""
    wanted = []
    for place in places:
        target = view.target(place.target) if place is not None else None
        if target is None or place is None or place.stage is None or target.result is None:
            continue
        if view.state(target, place.stage) is State.ABSENT:
            wanted.append((target.name, place.stage))
    return tuple(wanted)


def _nothing(view: CodeView, place: Place, value: str, pinned: Place | None) -> Place | None:
    return None


def _before(view: CodeView, place: Place, value: str, pinned: Place | None) -> Place | None:
    """What the pass was given; nothing where the pass failed, which is read as just that text."""
    trace, index = view.traces.get(place.target), place.pass_index
    if trace is None or index is None or trace.result.passes[index].text_blob is None:
        return None
    return Place(place.target, pass_index=index, before=True)


def _other_target(view: CodeView, place: Place, value: str, pinned: Place | None) -> Place | None:
    """The same stage of another target, or its pass of the same name, the same one of several."""
    if value == place.target or view.target(value) is None:
        return None
    if place.pass_index is None:
        return Place(value, place.stage)
    here, there = view.traces.get(place.target), view.traces.get(value)
    if here is None or there is None:
        return None
    name, count = here.result.passes[place.pass_index].name, here.occurrence(place.pass_index)
    index = there.position(name, count)
    return None if index is None else Place(value, pass_index=index)


def _other_stage(view: CodeView, place: Place, value: str, pinned: Place | None) -> Place | None:
    stage = Stage(value)
    return Place(place.target, stage) if place.stage not in (None, stage) else None


def _pinned(view: CodeView, place: Place, value: str, pinned: Place | None) -> Place | None:
    return pinned if pinned != place else None


_LEFT = {
    Against.NOTHING: _nothing,
    Against.BEFORE: _before,
    Against.TARGET: _other_target,
    Against.STAGE: _other_stage,
    Against.PINNED: _pinned,
}
