"""The rows of the two lists of the code pane, made of what there is to show."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.session.code_inputs import STAGES, Stage, State, TargetCode
from workbench.session.code_passes import PassRow, PassTrace
from workbench.session.code_sentences import line_count, milliseconds, pass_sentence
from workbench.session.code_view import CodeView

_MINUS = "\u2212"
_STATE_NOTES = {State.LOADING: "…", State.ABSENT: "", State.MISSING: "none", State.FAILED: ""}


@dataclass(frozen=True)
class TextRow:
    """One text to choose; `key` is its stage or the index of its pass.

    `tone` is the colour token of the name, `changed` sets a dot before it.
    """

    key: Stage | int
    name: str
    note: str = ""
    number: str = ""
    icon: str = ""
    tone: str = "fg"
    changed: bool = False
    depth: int = 0
    tip: str = ""
    spoken: str = ""


def stage_rows(view: CodeView, target: TargetCode) -> tuple[TextRow, ...]:
    """The stages of a target."""
    return tuple(_stage_row(view, target, stage) for stage in Stage)


def pass_rows(trace: PassTrace, only_changes: bool) -> tuple[TextRow, ...]:
    """The passes of a target, all or those that changed something."""
    return tuple(_pass_row(trace, row) for row in trace.shown(only_changes))


def _stage_row(view: CodeView, target: TargetCode, stage: Stage) -> TextRow:
    state, info = view.state(target, stage), STAGES[stage]
    note = _STATE_NOTES.get(state, "")
    if state is State.READY and target.result is not None:
        note = f"{line_count(target.result.emitted[stage.value]):,}"
    return TextRow(
        key=stage,
        name=info.title,
        note=note,
        icon="error" if state is State.FAILED else "",
        tone="fg" if state is State.READY else "fg3",
        tip=f"{info.title}: {info.meaning}",
        spoken=f"{info.title}, {state.value} {note}".strip(),
    )


def _pass_row(trace: PassTrace, row: PassRow) -> TextRow:
    counts = f"+{row.added:,} {_MINUS}{row.removed:,}" if row.added or row.removed else "moves"
    part = ", part of the next pass of less depth" if row.depth else ""
    name = f"{row.scope}.{row.name}" if row.scope else row.name
    what = f"lines {counts}" if row.changed else "changes nothing"
    return TextRow(
        key=row.index,
        name=row.name,
        note=counts if row.changed else "",
        number=str(row.number),
        icon="error" if row.failure else "",
        tone="error" if row.failure else "fg" if row.changed else "fg3",
        changed=row.changed,
        depth=row.depth,
        tip=f"{name}: {what}, {milliseconds(row.seconds)}, on the {row.side}{part}",
        spoken=f"{row.number}. {pass_sentence(trace, row.index)}",
    )
