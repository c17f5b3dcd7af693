"""Keeps the drafts of the wizard, and answers what is chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from workbench.core.patterns.generating import Generated
from workbench.core.patterns.model import Goal, PatternError, Step
from workbench.core.patterns.sentences import UnnamedError
from workbench.core.patterns.table import pattern_named
from workbench.core.patterns.values import parse
from workbench.core.targets.table import TargetError
from workbench.session.lenses.subject import LensSubject
from workbench.session.open_document import OpenDocument
from workbench.session.patterns.current import CurrentDraft, Workplace
from workbench.session.patterns.draft import (
    CHECK,
    DONE,
    Draft,
    from_plain,
    recommended,
    to_plain,
    with_text,
    with_value,
)
from workbench.session.patterns.opening import draft_of_document, draft_of_port, draft_of_sentence
from workbench.session.patterns.wizard_view import WizardView, why_not
from workbench.session.signal import Signal


class WizardController:
    """One draft is worked on, or none; those of other patterns wait until they are wanted again."""

    def __init__(self, place: Workplace) -> None:
        self.changed: Signal[[]] = Signal()
        self._place = place
        self._now = CurrentDraft(place, lambda: self.changed.emit())
        self._drafts: dict[str, Draft] = {}
        self._error = ""

    @property
    def draft(self) -> Draft | None:
        """What is worked on; None while a pattern is to be chosen."""
        return self._now.draft

    @property
    def source(self) -> OpenDocument | None:
        """The document that the draft was read from."""
        return self._now.source

    @property
    def steps(self) -> tuple[str, ...]:
        """The steps of the draft."""
        resolved = self._now.resolved
        return resolved.steps if resolved is not None else ()

    @property
    def sentence_error(self) -> str:
        """Why the last sentence could not be read, or what of it was not used."""
        return self._error

    @property
    def generated(self) -> Generated | None:
        """The document, where it may be finished."""
        return self._now.generated

    def begin(self, pattern: str) -> None:
        """Work on a pattern: on what was begun of it, else anew. Raises PatternError."""
        kept = self._drafts.get(pattern_named(pattern).id)
        self._take(kept or Draft(pattern, self._targets()), source=None)

    def leave_pattern(self) -> None:
        """Choose a pattern again; what was chosen of this one is kept."""
        self._keep()
        self._now.drop()
        self.changed.emit()

    def is_begun(self, pattern: str) -> bool:
        """Whether something of a pattern was chosen and put by."""
        return pattern in self._drafts

    def start_over(self) -> None:
        """Give up what was chosen of this pattern."""
        draft = self.draft
        if draft is not None:
            self._drafts.pop(draft.pattern, None)
            self._take(Draft(draft.pattern, draft.targets), source=None)

    def read(self, sentence: str) -> bool:
        """Fill the fields from a sentence; False where it names no kernel, which is then told.

        What of it was not used is told too.
        """
        try:
            draft, remark = draft_of_sentence(sentence, self._place.table, self._targets())
        except PatternError as error:
            self._error = error.short if isinstance(error, UnnamedError) else str(error)
            self.changed.emit()
            return False
        self._take(draft, source=None, remark=remark)
        return True

    def reopen(self, document: OpenDocument) -> None:
        """Restore the fields of a generated document. Raises PatternError."""
        self._take(draft_of_document(document, self._place.table), document)

    def port(self, document: OpenDocument, target: str) -> None:
        """Take a generated document to another target. Raises PatternError, TargetError."""
        self._take(draft_of_port(document, target, self._place.table), document)
        self.go(next(step for step in self.steps if step != Step.REQUIREMENTS.value))

    def note_documents(self, documents: Sequence[OpenDocument]) -> None:
        """Take the draft of a document that was closed for one of its own."""
        now = self._now
        if now.draft is not None and now.source is not None and now.source not in documents:
            now.source, now.draft = None, replace(now.draft, reopened=None)
            now.refresh()
            self.changed.emit()

    def choose(self, name: str, value: Any) -> None:
        """Choose a value of a field."""
        draft, resolved = self.draft, self._now.resolved
        if draft is None or resolved is None:
            return
        found = resolved.pattern.field_named(name)
        if found is not None:
            self._change(with_value(draft, found, value, resolved.values), found.title)

    def type_text(self, name: str, text: str) -> None:
        """Take what was typed into a field: a value, or what is kept and said to be none."""
        draft, resolved = self.draft, self._now.resolved
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
        if self.draft is not None and targets:
            self._change(replace(self.draft, targets=targets, held={}), "the targets")

    def set_goal(self, goal: Goal) -> None:
        """Recommend for another goal."""
        if self.draft is not None and goal is not self.draft.goal:
            self._change(replace(self.draft, goal=goal, held={}), "the goal")

    def use_recommended(self) -> None:
        """Take the recommended values of this step."""
        draft, resolved = self.draft, self._now.resolved
        if draft is not None and resolved is not None:
            names = tuple(found.name for found in resolved.fields(draft.step))
            self._change(recommended(draft, names), "the recommended values")

    def go(self, step: str) -> None:
        """Go to a step; what needs legal choices is entered with those alone."""
        draft, resolved = self.draft, self._now.resolved
        if draft is None or resolved is None or step not in resolved.steps:
            return
        if step not in (CHECK, DONE) or resolved.is_legal:
            self._now.go(step)
        self.changed.emit()

    def next(self) -> bool:
        """Go on; True where the person is at the end, and wants the document."""
        return self._step(1)

    def back(self) -> bool:
        """Go back; True where there is nothing before."""
        return self._step(-1)

    def check_again(self) -> None:
        """Compile and verify once more."""
        self._now.check_again()

    def stop_checking(self) -> None:
        """End the checks that run."""
        self._now.stop_checking()

    def finish(self) -> None:
        """Forget the draft, whose document is open now."""
        if self.draft is not None:
            self._drafts.pop(self.draft.pattern, None)
        self._now.drop()
        self._now.source = None
        self.changed.emit()

    def view(self) -> WizardView | None:
        """The page; None while a pattern is to be chosen."""
        return self._now.view(self._error)

    def lens_subject(self, part: str) -> LensSubject | None:
        """The draft as lenses look at it; `part` is what one has to know of quick figures."""
        return self._now.lens_subject(part)

    def state(self) -> dict[str, Any]:
        """The drafts as JSON, to be restored; those of reopened documents are not among them."""
        self._keep()
        drafts = [to_plain(draft) for draft in self._drafts.values()]
        own = self.draft if self.draft is not None and self.draft.reopened is None else None
        return {"drafts": drafts, "current": own.pattern if own is not None else None}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take drafts of an earlier window; what is damaged is left out."""
        found = state.get("drafts")
        for plain in found if isinstance(found, list) else ():
            draft = from_plain(plain)
            if draft is not None and self._are_known(draft.targets):
                self._drafts[draft.pattern] = draft
        current = self._drafts.get(str(state.get("current")))
        if current is not None and self.draft is None:
            self._take(current, source=None)

    def close(self) -> None:
        """Ask for nothing more."""
        self._now.close()

    def _targets(self) -> tuple[str, ...]:
        if self.draft is not None:
            return self.draft.targets
        return tuple(self._place.table.resolve(n).name for n in self._place.default_targets())

    def _are_known(self, names: tuple[str, ...]) -> bool:
        try:
            return all(self._place.table.resolve(name) for name in names)
        except TargetError:
            return False

    def _keep(self) -> None:
        """Put the draft by, unless it is of a document, which keeps it itself."""
        draft = self.draft
        if draft is not None and draft.reopened is None:
            self._drafts[draft.pattern] = draft

    def _take(self, draft: Draft, source: OpenDocument | None, remark: str = "") -> None:
        self._keep()
        self._error = remark
        self._now.take(draft, source)
        self.changed.emit()

    def _change(self, draft: Draft, cause: str) -> None:
        self._now.change(draft, cause)
        self.changed.emit()

    def _step(self, by: int) -> bool:
        resolved = self._now.resolved
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
