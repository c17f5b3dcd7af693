"""Keeps the draft of the wizard, answers what is chosen, and has it measured and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.core.jobs import CompileResult
from workbench.core.patterns.generating import Generated
from workbench.core.patterns.model import Goal, PatternError
from workbench.core.patterns.origin import origin_of
from workbench.core.patterns.recommending import recommend
from workbench.core.patterns.reopening import port, require_origin, restored, setting_of
from workbench.core.patterns.sentences import UnnamedError, read_sentence
from workbench.core.patterns.table import PATTERNS, pattern_named
from workbench.core.patterns.values import parse
from workbench.core.targets.table import TargetError, TargetTable
from workbench.session.jobs import JobController
from workbench.session.lenses.subject import LensSubject
from workbench.session.open_document import OpenDocument
from workbench.session.patterns.checking import Checker
from workbench.session.patterns.done_view import Checked, DoneView, Source, done_view
from workbench.session.patterns.draft import (
    CHECK,
    DONE,
    Draft,
    Reopened,
    from_plain,
    recommended,
    to_plain,
    with_text,
    with_value,
)
from workbench.session.patterns.lens_subject import lens_subject
from workbench.session.patterns.measuring import Measurer, Subject, subject_of
from workbench.session.patterns.preview import CodeView, code_view
from workbench.session.patterns.resolved import Resolved, resolve
from workbench.session.patterns.wizard_view import Extras, WizardView, why_not, wizard_view
from workbench.session.signal import Signal
from workbench.session.timers import TimerFactory
from workbench.wire.messages import Limits


@dataclass(frozen=True)
class Workplace:
    """What the wizard works with: jobs, targets, where documents lie, limits, and the pause."""

    jobs: JobController
    table: TargetTable
    workspace: Path
    limits: Callable[[], Limits]
    make_timer: TimerFactory
    delay_ms: Callable[[], int]
    default_targets: Callable[[], tuple[str, ...]]


class WizardController:
    """One draft is worked on, or none; those of other patterns wait until they are wanted again."""

    def __init__(self, place: Workplace) -> None:
        self.changed: Signal[[]] = Signal()
        self._place = place
        self._draft: Draft | None = None
        self._drafts: dict[str, Draft] = {}
        self._resolved: Resolved | None = None
        self._subject: Subject | None = None
        self._before: str | None = None
        self._cause = ""
        self._source: OpenDocument | None = None
        self._error = ""
        self._measurer = Measurer(
            place.jobs, place.workspace, place.limits, place.make_timer, self._on_news
        )
        self._checker = Checker(
            place.jobs, place.workspace, place.limits, self._on_compiled, self._on_news
        )

    @property
    def draft(self) -> Draft | None:
        """What is worked on; None while a pattern is to be chosen."""
        return self._draft

    @property
    def source(self) -> OpenDocument | None:
        """The document that the draft was read from."""
        return self._source

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps of the draft."""
        return self._resolved.steps if self._resolved is not None else ()

    @property
    def sentence_error(self) -> str:
        """Why the last sentence could not be read, or what of it was not used."""
        return self._error

    @property
    def generated(self) -> Generated | None:
        """The document, where it may be finished."""
        found = self._resolved
        return found.generated if found is not None and found.is_legal else None

    def begin(self, pattern: str) -> None:
        """Work on a pattern: on what was begun of it, else anew. Raises PatternError."""
        kept = self._drafts.get(pattern_named(pattern).id)
        self._take(kept or Draft(pattern, self._targets()), source=None)

    def leave_pattern(self) -> None:
        """Choose a pattern again; what was chosen of this one is kept."""
        self._keep()
        self._draft = self._resolved = self._subject = None
        self._checker.stop()
        self._measurer.show(None, 0)
        self.changed.emit()

    def is_begun(self, pattern: str) -> bool:
        """Whether something of a pattern was chosen and put by."""
        return pattern in self._drafts

    def start_over(self) -> None:
        """Give up what was chosen of this pattern."""
        draft = self._draft
        if draft is not None:
            self._drafts.pop(draft.pattern, None)
            self._take(Draft(draft.pattern, draft.targets), source=None)

    def read(self, sentence: str) -> bool:
        """Fill the fields from a sentence; False where it names no kernel, which is then told.

        What of it was not used is told too.
        """
        try:
            reading = read_sentence(sentence, PATTERNS, self._place.table)
        except PatternError as error:
            self._error = error.short if isinstance(error, UnnamedError) else str(error)
            self.changed.emit()
            return False
        goal = reading.goal or Goal.THROUGHPUT
        targets = reading.targets or self._targets()
        draft = Draft(
            reading.pattern.id,
            targets,
            goal,
            dict(reading.values),
            sentence=sentence,
            missing=reading.missing,
        )
        self._take(draft, source=None, remark=reading.remark or "")
        return True

    def reopen(self, document: OpenDocument) -> None:
        """Restore the fields of a generated document. Raises PatternError."""
        origin, pattern = require_origin(document.parsed)
        setting = setting_of(origin, self._place.table)
        values = restored(pattern, origin)
        held = {f.name: values.get(f.name, f.default) for f in pattern.fields}
        # What is not as it is recommended was chosen, and stays when a requirement changes.
        usual = recommend(pattern, {}, setting).values
        given = {name: value for name, value in held.items() if usual.get(name) != value}
        draft = Draft(
            pattern.id,
            tuple(target.name for target in setting.targets),
            setting.goal,
            given,
            held,
            reopened=Reopened(document.title, document.text, origin.is_edited),
        )
        self._take(draft, document)

    def port(self, document: OpenDocument, target: str) -> None:
        """Take a generated document to another target. Raises PatternError, TargetError."""
        chosen = self._place.table.resolve(target)
        generated = port(document.parsed, chosen)
        origin = origin_of(document.parsed)
        edited = origin is not None and origin.is_edited
        own = {f.name: generated.values[f.name] for f in generated.pattern.fields if not f.is_tuned}
        draft = Draft(
            generated.pattern.id,
            (chosen.name,),
            generated.setting.goal,
            own,
            dict(generated.values),
            reopened=Reopened(document.title, document.text, edited, ported=True),
        )
        self._take(draft, document)
        assert self._resolved is not None
        self.go(next(s for s in self._resolved.steps if s != "requirements"))

    def note_documents(self, documents: Sequence[OpenDocument]) -> None:
        """Take the draft of a document that was closed for one of its own."""
        draft, source = self._draft, self._source
        if draft is not None and source is not None and source not in documents:
            self._source = None
            self._draft = replace(draft, reopened=None)
            self._refresh()
            self.changed.emit()

    def choose(self, name: str, value: Any) -> None:
        """Choose a value of a field."""
        draft, resolved = self._draft, self._resolved
        if draft is None or resolved is None:
            return
        found = resolved.pattern.field_named(name)
        if found is not None:
            self._change(with_value(draft, found, value, resolved.values), found.title)

    def type_text(self, name: str, text: str) -> None:
        """Take what was typed into a field: a value, or what is kept and said to be none."""
        draft, resolved = self._draft, self._resolved
        found = resolved.pattern.field_named(name) if resolved is not None else None
        if draft is None or found is None:
            return
        try:
            value = parse(found, text)
        except PatternError:
            self._change(with_text(draft, name, text), found.title)
            return
        self.choose(name, value)

    def set_targets(self, targets: tuple[str, ...]) -> None:
        """Generate for other targets, with what is recommended for them."""
        if self._draft is not None and targets:
            self._change(replace(self._draft, targets=targets, held={}), "the targets")

    def set_goal(self, goal: Goal) -> None:
        """Recommend for another goal."""
        if self._draft is not None and goal is not self._draft.goal:
            self._change(replace(self._draft, goal=goal, held={}), "the goal")

    def use_recommended(self) -> None:
        """Take the recommended values of this step."""
        draft, resolved = self._draft, self._resolved
        if draft is not None and resolved is not None:
            names = tuple(found.name for found in resolved.fields(draft.step))
            self._change(recommended(draft, names), "the recommended values")

    def go(self, step: str) -> None:
        """Go to a step; what needs legal choices is entered with those alone."""
        draft, resolved = self._draft, self._resolved
        if draft is None or resolved is None or step not in resolved.steps:
            return
        if step in (CHECK, DONE) and not resolved.is_legal:
            self.changed.emit()
            return
        self._draft = replace(draft, step=step)
        self._before, self._cause = None, ""
        self._refresh()
        subject = self._subject
        if step == CHECK and subject is not None and not self._checker.checks(subject.text):
            self._checker.start(subject)
        self.changed.emit()

    def next(self) -> bool:
        """Go on; True where the person is at the end, and wants the document."""
        return self._step(1)

    def back(self) -> bool:
        """Go back; True where there is nothing before."""
        return self._step(-1)

    def check_again(self) -> None:
        """Compile and verify once more."""
        if self._subject is not None:
            self._checker.start(self._subject)

    def stop_checking(self) -> None:
        """End the checks that run."""
        self._checker.stop()

    def finish(self) -> None:
        """Forget the draft, whose document is open now."""
        draft = self._draft
        if draft is not None:
            self._drafts.pop(draft.pattern, None)
        self._draft = self._resolved = self._subject = self._source = None
        self._checker.stop()
        self._measurer.show(None, 0)
        self.changed.emit()

    def view(self) -> WizardView | None:
        """The page; None while a pattern is to be chosen."""
        resolved = self._resolved
        if resolved is None:
            return None
        text = self._subject.text if self._subject is not None else None
        checks = text is not None and self._checker.checks(text)
        extras = Extras(
            self._measurer.figures(),
            self._measurer.is_busy,
            self._measurer.seconds,
            self._code(resolved),
            self._checker.items if checks else (),
            self._checker.is_busy and checks,
            text is not None and self._checker.is_good(text),
            self._error,
            self._done(resolved, text) if resolved.draft.step == DONE else None,
        )
        return wizard_view(resolved, extras)

    def lens_subject(self, part: str) -> LensSubject | None:
        """The draft as lenses look at it; `part` is what one has to know of quick figures."""
        if self._subject is None:
            return None
        return lens_subject(self._subject, self._measurer.figures(), part, self._measurer.is_busy)

    def state(self) -> dict[str, Any]:
        """The drafts as JSON, to be restored; those of reopened documents are not among them."""
        self._keep()
        drafts = [to_plain(draft) for draft in self._drafts.values()]
        own = self._draft is not None and self._draft.reopened is None
        return {"drafts": drafts, "current": self._draft.pattern if own and self._draft else None}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take drafts of an earlier window; what is damaged is left out."""
        found = state.get("drafts")
        for plain in found if isinstance(found, list) else ():
            draft = from_plain(plain)
            if draft is not None and self._are_known(draft.targets):
                self._drafts[draft.pattern] = draft
        current = self._drafts.get(str(state.get("current")))
        if current is not None and self._draft is None:
            self._take(current, source=None)

    def close(self) -> None:
        """Ask for nothing more."""
        self._measurer.stop()
        self._checker.stop()

    def _targets(self) -> tuple[str, ...]:
        if self._draft is not None:
            return self._draft.targets
        return tuple(self._place.table.resolve(n).name for n in self._place.default_targets())

    def _are_known(self, names: tuple[str, ...]) -> bool:
        try:
            return all(self._place.table.resolve(name) for name in names)
        except TargetError:
            return False

    def _keep(self) -> None:
        """Put the draft by, unless it is of a document, which keeps it itself."""
        draft = self._draft
        if draft is not None and draft.reopened is None:
            self._drafts[draft.pattern] = draft

    def _take(self, draft: Draft, source: OpenDocument | None, remark: str = "") -> None:
        self._keep()
        self._checker.stop()
        self._draft, self._source = draft, source
        self._before, self._cause, self._error = None, "", remark
        self._refresh()
        self.changed.emit()

    def _change(self, draft: Draft, cause: str) -> None:
        before = self._subject.text if self._subject is not None else self._before
        self._draft = draft
        self._refresh()
        now = self._subject.text if self._subject is not None else None
        if now != before:
            self._before, self._cause = before, f"changed by {cause}"
        self.changed.emit()

    def _refresh(self) -> None:
        assert self._draft is not None
        resolved = resolve(self._draft, self._place.table)
        if self._draft.step not in resolved.steps or (
            self._draft.step in (CHECK, DONE) and not resolved.is_legal
        ):
            self._draft = replace(self._draft, step=resolved.steps[0])
            resolved = resolve(self._draft, self._place.table)
        self._resolved = resolved
        self._subject = subject_of(resolved.generated)
        self._measurer.show(self._subject, self._place.delay_ms())

    def _step(self, by: int) -> bool:
        resolved = self._resolved
        if resolved is None:
            return True
        steps = resolved.steps
        at = steps.index(resolved.draft.step)
        if by > 0 and why_not(resolved, at, steps):
            self.changed.emit()
            return False
        if not 0 <= at + by < len(steps):
            return True
        self.go(steps[at + by])
        return False

    def _code(self, resolved: Resolved) -> CodeView:
        generated = resolved.generated
        if generated is None:
            return code_view(None, "", None, "")
        return code_view(generated.text, generated.kernel, self._before, self._cause)

    def _done(self, resolved: Resolved, text: str | None) -> DoneView | None:
        document = self._source
        source = None
        if document is not None:
            origin = origin_of(document.parsed)
            source = Source(document.title, document.text, origin is None or origin.is_edited)
        return done_view(resolved, self._checked(text), source)

    def _checked(self, text: str | None) -> Checked:
        if text is None:
            return Checked.NOT
        if self._checker.has_failed(text):
            return Checked.BAD
        return Checked.GOOD if self._checker.is_good(text) else Checked.NOT

    def _on_compiled(self, text: str, target: str, result: CompileResult) -> None:
        if result.resources is not None:
            self._measurer.note_registers(text, target, result.resources)

    def _on_news(self) -> None:
        if self._draft is not None:
            self.changed.emit()
