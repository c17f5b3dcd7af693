"""What the code pane shows: the texts of a kernel per target, by stage and by compiler pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.session.code_inputs import (
    STAGES,
    CodeInputs,
    Language,
    Stage,
    State,
    TargetCode,
)
from workbench.session.code_passes import PassTrace
from workbench.session.code_sentences import missing_reason, pass_sentence, stage_sentences


@dataclass(frozen=True)
class Place:
    """A text: a stage of a target, or what a pass made, or, `before`, what it was given."""

    target: str
    stage: Stage | None = None
    pass_index: int | None = None
    before: bool = False


@dataclass(frozen=True)
class Content:
    """What stands at a place: `sentence` says what it is or why it is not there, `cure` what helps.

    `subject` and `target_title` name it, `fault` is why its pass failed, and `file_name` is the
    one under which it would be saved.
    """

    place: Place
    state: State
    subject: str
    target_title: str
    sentence: str
    language: Language = Language.TIR
    text: str = ""
    cure: str = ""
    fault: str = ""
    file_name: str = ""

    @property
    def title(self) -> str:
        """The text in words."""
        return f"{self.subject} for {self.target_title}"


@dataclass(frozen=True)
class CodeView:
    """Everything that can be shown; `asked` are the texts on their way, by target and stage."""

    inputs: CodeInputs = field(default_factory=CodeInputs)
    traces: Mapping[str, PassTrace] = field(default_factory=dict)
    asked: frozenset[tuple[str, Stage]] = frozenset()

    def target(self, name: str) -> TargetCode | None:
        """A target by name."""
        return next((t for t in self.inputs.targets if t.name == name), None)

    def state(self, target: TargetCode, stage: Stage) -> State:
        """Whether a stage is there, cheap enough for a list."""
        result, name = target.result, stage.value
        if result is not None and name in result.emitted:
            return State.READY
        if result is not None and missing_reason(result, stage) is not None:
            return State.MISSING
        if target.running or (target.name, stage) in self.asked:
            return State.LOADING
        if result is not None and result.failure is not None:
            return State.FAILED
        return State.ABSENT

    def content(self, place: Place) -> Content | None:
        """What stands at a place; None where its target or pass is not there any more."""
        target = self.target(place.target)
        if target is None:
            return None
        if place.stage is not None:
            return self._stage_content(place, target, place.stage)
        trace, index = self.traces.get(place.target), place.pass_index
        if trace is None or index is None or index >= len(trace.rows):
            return None
        return self._pass_content(place, target, trace, index)

    def _stage_content(self, place: Place, target: TargetCode, stage: Stage) -> Content:
        info, state = STAGES[stage], self.state(target, stage)
        text = target.result.emitted.get(stage.value, "") if target.result else ""
        suffix = target.source_suffix if stage is Stage.SOURCE else info.suffix
        sentence, cure = stage_sentences(state, target, stage)
        return Content(
            place=place,
            state=state,
            subject=info.title,
            target_title=target.title,
            sentence=sentence,
            language=info.language,
            text=text,
            cure=cure,
            file_name=self._file_name(f"{target.name}{suffix}"),
        )

    def _pass_content(
        self, place: Place, target: TargetCode, trace: PassTrace, index: int
    ) -> Content:
        """A pass that failed made nothing: what it was given stands in its place."""
        row, made = trace.rows[index], trace.text(index, place.before)
        text = trace.text(index, before=True) if made is None else made
        when = "Before" if place.before or made is None else "After"
        return Content(
            place=place,
            state=State.READY,
            subject=f"{when} {row.number} {row.name}",
            target_title=target.title,
            sentence=pass_sentence(trace, index),
            text=text or "",
            fault=row.failure or "",
            file_name=self._file_name(
                f"{target.name}.{row.number:03}-{when.lower()}-{row.name}.py"
            ),
        )

    def _file_name(self, ending: str) -> str:
        stem = self.inputs.document.rpartition("/")[2].removesuffix(".py") or "kernel"
        return f"{stem}.{ending.replace(':', '-')}"


def names_of(left: Content, right: Content) -> str:
    """The right text against the left one, with what they have in common said once."""
    if left.subject == right.subject:
        return f"{right.title} against {left.target_title}"
    if left.target_title == right.target_title:
        return f"{right.subject} against {left.subject} for {right.target_title}"
    return f"{right.title} against {left.title}"


def unified_title(left: Content, right: Content) -> str:
    """The signs of a comparison in one column, each with its text, as short as tells them apart."""
    if left.place.before:
        names = "before the pass", "after it"
    elif left.subject == right.subject:
        names = left.target_title, right.target_title
    elif left.target_title == right.target_title:
        names = left.subject, right.subject
    else:
        names = left.title, right.title
    return f"\u2212 {names[0]}    + {names[1]}"
