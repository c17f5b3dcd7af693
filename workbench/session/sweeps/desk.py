"""The sweeps of a window: the form of a new one, which are there, what is applied of one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from workbench.core.documents.model import Case
from workbench.core.documents.selection import parse_value
from workbench.core.sweeps import journal
from workbench.core.sweeps.journal import JournalError
from workbench.core.targets.table import TargetTable
from workbench.core.workspace import WorkspaceError
from workbench.session.jobs import Post
from workbench.session.open_document import OpenDocument
from workbench.session.signal import Signal
from workbench.session.sweeps import planning, store
from workbench.session.sweeps.applying import Applied, applied
from workbench.session.sweeps.form import DEFAULT, SweepForm, form_of, plan_of
from workbench.session.sweeps.listing import Listed, SweepList
from workbench.session.sweeps.offering import AskWorker, Offering
from workbench.session.sweeps.showing import Showing, Shown
from workbench.session.sweeps.sieve import Sieve
from workbench.session.sweeps.sifting import PLAN_ERRORS, Sifter
from workbench.session.sweeps.states import SweepState
from workbench.session.timers import TimerFactory

_TYPING_MS = 250


class SweepDesk:
    """One form and one sweep on show; a sweep that this window began is ended with it.

    `changed` tells of another sweep, form or state, `moved` of points that went on, at most five
    times a second; `sifted` of the count of a form. `ask` has a worker run a document that the
    person `trusts`, where nothing else tells what its decorator tries; `refused` tells of one that
    is not swept since it is not trusted.
    """

    def __init__(
        self,
        workspace: Path,
        targets: TargetTable,
        make_timer: TimerFactory,
        post: Post,
        ask: AskWorker,
        trusts: Callable[[OpenDocument], bool],
        places: Callable[[], tuple[str, ...]] = planning.usual_places,
    ) -> None:
        self.sifted: Signal[[]] = Signal()
        self.refused: Signal[[OpenDocument]] = Signal()
        self.workspace = workspace
        self.form: SweepForm | None = None
        self._document: OpenDocument | None = None
        self._targets, self._places, self._trusts = targets, places, trusts
        self._list = SweepList(workspace)
        self._showing = Showing(workspace, make_timer, post)
        self.changed, self.moved = self._showing.changed, self._showing.moved
        self.told = self._showing.told
        self.sieve = Sieve(make_timer)
        self.sieve.changed.connect(self.sifted.emit)
        self._typing = make_timer(self._on_typed)
        self._offering = Offering(workspace, post, ask, trusts)
        self._offering.changed.connect(self._on_offered)

    @property
    def shown(self) -> Shown | None:
        """The sweep that is looked at."""
        return self._showing.shown

    @property
    def is_running(self) -> bool:
        """Whether a process works on the sweep that is shown."""
        return self._showing.is_running

    def begin_form(self, document: OpenDocument | None) -> None:
        """Offer a new sweep of what is chosen of a document."""
        self._document = document
        places = self._places()
        form = None if document is None else form_of(document, places)
        if form is not None and document is not None:
            form = replace(form, targets=self._usual_targets(document, places))
        self.form = form
        self._look_at_decorator()
        self.changed.emit()
        self._sift()

    def set_form(self, form: SweepForm) -> None:
        """Take what was typed; what remains is looked at when typing has paused."""
        if form != self.form:
            self.form = form
            self._typing.restart(_TYPING_MS)

    def start(self) -> bool:
        """Begin the sweep of the form; whether it began. What hinders it is told."""
        document, form = self._document, self.form
        if document is None or form is None or self._showing.is_busy():
            return False
        if not self._may_run(document):
            return False
        self._look_at_decorator()
        form = self.form or form
        try:
            plan = plan_of(form, document, self.workspace)
            Sifter(plan, self._targets)
            folder = store.create(plan)
        except (*PLAN_ERRORS, JournalError, WorkspaceError) as error:
            self.told.emit(str(error))
            return False
        return self._showing.run(folder)

    def resume(self) -> bool:
        """Go on with the sweep that is shown, which was interrupted."""
        shown, showing = self.shown, self._showing
        if shown is None or showing.is_busy():
            return False
        path = Path(shown.sweep.plan.document)
        may_run = self._may_run(OpenDocument.of(shown.sweep.plan.text, path, path.name))
        return may_run and showing.run(shown.folder)

    def cancel(self) -> None:
        """End the sweep that is shown, off this thread; `told` says how long that took."""
        self._showing.cancel()

    def open(self, sweep_id: str) -> None:
        """Show a sweep of the workspace by its id."""
        try:
            folder = journal.folder_of(store.sweeps_folder(self.workspace), sweep_id)
        except (JournalError, WorkspaceError) as error:
            self.told.emit(str(error))
            return
        self._showing.follow(folder)

    def newest(self) -> str | None:
        """The id of the newest sweep; None where there is none."""
        found = self.listed(1)
        return found[0].id if found else None

    def listed(self, most: int = 20) -> tuple[Listed, ...]:
        """The newest sweeps of the workspace."""
        try:
            return self._list.newest(most)
        except WorkspaceError as error:
            self.told.emit(str(error))
            return ()

    def interrupted(self) -> tuple[Listed, ...]:
        """The newest sweeps that can go on."""
        return tuple(each for each in self.listed(8) if each.state is SweepState.INTERRUPTED)

    def applied(self, content: bytes, number: int | None = None) -> Applied:
        """A document's content with a point, else the best, of the sweep; raises ApplyError."""
        assert self.shown is not None
        return applied(content, self.shown.sweep, number)

    def close(self) -> None:
        """End the process of a sweep that this window began; it can go on later."""
        self._typing.stop()
        self.sieve.stop()
        self._offering.close()
        self._showing.close()

    def _may_run(self, document: OpenDocument) -> bool:
        if self._trusts(document):
            return True
        self.refused.emit(document)
        return False

    def _usual_targets(self, document: OpenDocument, places: Sequence[str]) -> tuple[str, ...]:
        """The target of the command line; the first that was chosen in place of the case's."""
        case = document.chosen_case
        is_chosen = case is None or document.targets != case.targets
        wanted = document.targets[:1] if is_chosen else ()
        return planning.target_names(wanted, (), (), document.targets, self._targets, places)

    def _look_at_decorator(self) -> None:
        """Have what the decorator offers for the form's cases; `form` gets it, now or later."""
        document, form = self._document, self.form
        if document is None or form is None:
            self._offering.forget()
            return
        known = {case.name: case for case in (Case(DEFAULT), *document.cases)}
        cases = [known[name] for name in form.cases if name in known]
        fixed = {name: parse_value(text) for name, text in form.fixed.items()}
        self._offering.look_at(document, cases, fixed)
        self.form = replace(form, offer=self._offering.offer)

    def _on_offered(self) -> None:
        if self.form is not None and self.form.offer != self._offering.offer:
            self.form = replace(self.form, offer=self._offering.offer)
            self.changed.emit()
            self._sift()

    def _on_typed(self) -> None:
        self._look_at_decorator()
        self._sift()

    def _sift(self) -> None:
        document, form = self._document, self.form
        if document is None or form is None:
            self.sieve.refuse("Open a document with a kernel to sweep over its configurations.")
            return
        try:
            plan = plan_of(form, document, self.workspace)
            self.sieve.look_at(plan, Sifter(plan, self._targets))
        except PLAN_ERRORS as error:
            self.sieve.refuse(_plain(str(error)))


def _plain(text: str) -> str:
    """A message of the command line without its options' names."""
    return text.replace("--when ", "the condition ").replace(" (--vary)", "")
