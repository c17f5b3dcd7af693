"""The draft that is worked on: resolved, measured and checked as it changes, and as it is shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.jobs import CompileResult
from workbench.core.patterns.generating import Generated
from workbench.core.patterns.origin import origin_of
from workbench.core.targets.table import TargetTable
from workbench.session.jobs import JobController
from workbench.session.lenses.subject import LensSubject
from workbench.session.open_document import OpenDocument
from workbench.session.patterns.checking import Checker
from workbench.session.patterns.done_view import Checked, DoneView, Source, done_view
from workbench.session.patterns.draft import CHECK, DONE, Draft
from workbench.session.patterns.lens_subject import lens_subject
from workbench.session.patterns.measuring import Measurer, Subject, subject_of
from workbench.session.patterns.preview import CodeView, code_view
from workbench.session.patterns.resolved import Resolved, resolve
from workbench.session.patterns.wizard_view import Extras, WizardView, wizard_view
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


class CurrentDraft:
    """One draft, or none; `on_news` hears of answers about it.

    `source` is the document that it was read from.
    """

    def __init__(self, place: Workplace, on_news: Callable[[], None]) -> None:
        self._place, self._on_news = place, on_news
        self.draft: Draft | None = None
        self.source: OpenDocument | None = None
        self.resolved: Resolved | None = None
        self._subject: Subject | None = None
        self._before: str | None = None
        self._cause = ""
        self._measurer = Measurer(
            place.jobs, place.workspace, place.limits, place.make_timer, self._on_answer
        )
        self._checker = Checker(
            place.jobs, place.workspace, place.limits, self._on_compiled, self._on_answer
        )

    @property
    def generated(self) -> Generated | None:
        """The document, where it may be finished."""
        found = self.resolved
        return found.generated if found is not None and found.is_legal else None

    def take(self, draft: Draft, source: OpenDocument | None) -> None:
        """Work on another draft."""
        self._checker.stop()
        self.draft, self.source = draft, source
        self._before, self._cause = None, ""
        self.refresh()

    def change(self, draft: Draft, cause: str) -> None:
        """Go on with a changed draft; the lines that this changes are marked with the cause."""
        before = self._subject.text if self._subject is not None else self._before
        self.draft = draft
        self.refresh()
        now = self._subject.text if self._subject is not None else None
        if now != before:
            self._before, self._cause = before, f"changed by {cause}"

    def go(self, step: str) -> None:
        """Show another step; that of the checks begins them where they were not made."""
        assert self.draft is not None
        self.draft = replace(self.draft, step=step)
        self._before, self._cause = None, ""
        self.refresh()
        subject = self._subject
        if step == CHECK and subject is not None and not self._checker.checks(subject.text):
            self._checker.start(subject)

    def drop(self) -> None:
        """Work on nothing; the source is the owner's to forget."""
        self.draft = self.resolved = self._subject = None
        self._checker.stop()
        self._measurer.show(None, 0)

    def check_again(self) -> None:
        """Compile and verify once more."""
        if self._subject is not None:
            self._checker.start(self._subject)

    def stop_checking(self) -> None:
        """End the checks that run."""
        self._checker.stop()

    def close(self) -> None:
        """Ask for nothing more."""
        self._measurer.stop()
        self._checker.stop()

    def refresh(self) -> None:
        """Resolve the draft anew, at a step that it has, and have that measured."""
        assert self.draft is not None
        resolved = resolve(self.draft, self._place.table)
        if self.draft.step not in resolved.steps or (
            self.draft.step in (CHECK, DONE) and not resolved.is_legal
        ):
            self.draft = replace(self.draft, step=resolved.steps[0])
            resolved = resolve(self.draft, self._place.table)
        self.resolved = resolved
        self._subject = subject_of(resolved.generated)
        self._measurer.show(self._subject, self._place.delay_ms())

    def view(self, error: str) -> WizardView | None:
        """The page, with why a sentence was not read; None where nothing is worked on."""
        resolved = self.resolved
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
            error,
            self._done(resolved, text) if resolved.draft.step == DONE else None,
        )
        return wizard_view(resolved, extras)

    def lens_subject(self, part: str) -> LensSubject | None:
        """The draft as lenses look at it; `part` is what one has to know of quick figures."""
        if self._subject is None:
            return None
        return lens_subject(self._subject, self._measurer.figures(), part, self._measurer.is_busy)

    def _code(self, resolved: Resolved) -> CodeView:
        generated = resolved.generated
        if generated is None:
            return code_view(None, "", None, "")
        return code_view(generated.text, generated.kernel, self._before, self._cause)

    def _done(self, resolved: Resolved, text: str | None) -> DoneView | None:
        document = self.source
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

    def _on_answer(self) -> None:
        if self.draft is not None:
            self._on_news()
