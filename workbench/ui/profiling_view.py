"""Measures the document in front, and feeds the pane of its profile or of a run of the history."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint

from workbench.core.diagnostics import Severity
from workbench.core.history import HistoryError
from workbench.core.plain import PlainError
from workbench.session.hosts.places import Place
from workbench.session.open_document import OpenDocument
from workbench.session.results import NothingToRunError
from workbench.session.session import Session
from workbench.ui.where import PROFILE, VERIFY, Where

if TYPE_CHECKING:
    from workbench.session.known_profiles import KnownProfiles
    from workbench.session.profile.subject import KnownProfile, ProfileSubject
    from workbench.session.profile_runs import RunProfile
    from workbench.session.profiled import Profiled
    from workbench.session.profiling import Options
    from workbench.ui.controller import Controller
    from workbench.ui.panes.profile import ProfilePane

DOCK = "profile"
_BUTTONS = {VERIFY: "verify", PROFILE: "measure"}


class ProfilingView(QObject):
    """Between the pane of profiles, the choice of a place, and the session."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._pane: ProfilePane | None = None
        self._pinned: ProfileSubject | None = None
        self._known: KnownProfiles | None = None
        self.where = Where(controller.session, self)
        self.where.changed.connect(self._on_where_changed)
        self.where.hosts_requested.connect(controller.actions["hosts"].trigger)
        controller.window.toolbar.place_requested.connect(self.choose_place)
        self._show_places()

    def measure(self) -> None:
        """Measure what is chosen of the document in front."""
        self._start(lambda d, p, o: self._session.profiling.profile(d, p, o))

    def measure_cases(self) -> None:
        """Measure every case of the kernel in front."""
        self._start(lambda d, p, o: self._session.profiling.profile_cases(d, p, o))

    def verify(self, document: OpenDocument, sample: int | None = None) -> None:
        """Verify a document where it was chosen. Raises NothingToRunError."""
        choice = self.where.choice(VERIFY)
        if choice is None or not choice.is_usable:
            why = choice.why_not if choice is not None else "there is no such place"
            raise NothingToRunError(f"Nothing was verified: {why}. Choose another place.")
        self._session.results.verify(document, place=choice.place, sample=sample)

    def choose_place(self, purpose: str) -> None:
        """Open the menu of places below the button of that purpose."""
        button = self._controller.window.toolbar.places[purpose]
        if button.isVisible():
            at = button.mapToGlobal(QPoint(0, button.height() + 2))
        else:
            window = self._controller.window
            at = window.mapToGlobal(QPoint(window.width() // 3, 80))
        self.where.popup(purpose, self._controller.window, at)

    def connect_pane(self, pane: ProfilePane) -> None:
        """Answer a pane, and keep what it shows true."""
        controller = self._controller
        self._pane = pane
        pane.profile_requested.connect(self.measure)
        pane.counters_requested.connect(self._on_counters_requested)
        pane.cases_requested.connect(self.measure_cases)
        pane.place_requested.connect(lambda: self.choose_place(PROFILE))
        pane.cancel_requested.connect(self._on_cancel_requested)
        pane.back_requested.connect(self.show_document)
        pane.known_requested.connect(self.show_run)
        pane.line_requested.connect(controller.go_to)
        pane.told.connect(controller.tell)
        self._follow()
        self.show_current()

    def show_document(self) -> None:
        """Show the document in front, no run."""
        self._pinned = None
        self.show_current()

    def show_run(self, run_id: str) -> None:
        """Show the profile of a run, in the document of its text where it stores that."""
        from workbench.session import profile_runs  # a window starts without

        controller, session = self._controller, self._session
        try:
            history = session.history()
            found = profile_runs.read_run_profile(history, history.get(run_id))
        except (HistoryError, PlainError) as error:
            controller.tell(str(error), Severity.ERROR)
            return
        if found.text is None:
            self.pin(_subject_of(found))
            return
        document = profile_runs.document_of(found, session, self._document)
        if document is None:
            document = profile_runs.open_document_of(found, session)
            controller.files.add_untitled(document)
            if document.foreign and not session.trusts(document):
                controller.tell(document.why_untrusted)
        tab = controller.window.editors.tab_of(document)
        if tab is not None:
            controller.window.editors.show_tab(tab)
        self._pinned = None
        target = profile_runs.bring(found, document, session)
        self._predict(document, target)
        controller.window.docks.show(DOCK)
        self.show_current()

    def pin(self, subject: ProfileSubject) -> None:
        """Show a run that belongs to no document, until the person goes back."""
        self._pinned = subject
        self._controller.window.docks.show(DOCK)
        self.show_current()

    def show_current(self) -> None:
        """Show what is known of the document in front."""
        if self._pane is None:
            return
        from workbench.session.profile.view import profile_view  # it loads the analyses

        self._pane.show_view(profile_view(self._subject()))

    def _subject(self) -> ProfileSubject:
        from workbench.session.profile.of_document import subject_of_document
        from workbench.session.profile.subject import ProfileSubject

        if self._pinned is not None:
            return self._pinned
        document = self._document
        if document is None:
            return ProfileSubject(is_open=False)
        choice = self.where.choice(PROFILE)
        usable = choice if choice is not None and choice.is_usable else None
        why = "" if usable is not None else self.where.why_none()
        return subject_of_document(document, self._session, usable, why, self._known_of(document))

    def _known_of(self, document: OpenDocument) -> KnownProfile | None:
        """A profile of the history, where the document has none yet."""
        file = self._controller.runs.file_in_front()
        if document.profiles.latest is not None or file is None or document.kernel is None:
            return None
        return self._known_profiles().of(file, document.kernel, document.text)

    def _known_profiles(self) -> KnownProfiles:
        if self._known is None:
            from workbench.session.known_profiles import KnownProfiles  # a window starts without

            session = self._session
            self._known = KnownProfiles(session.history, session.post, self._refuse)
            self._known.changed.connect(self.show_current)
            session.runs_changed.connect(self._on_runs_changed)
        return self._known

    def _refuse(self, message: str) -> None:
        self._controller.tell(message, Severity.ERROR, DOCK)

    def _on_runs_changed(self) -> None:
        self._known_profiles().forget()
        self.show_current()

    def close(self) -> None:
        """Wait for what is being read."""
        if self._known is not None:
            self._known.close()

    @property
    def _session(self) -> Session:
        return self._controller.session

    @property
    def _document(self) -> OpenDocument | None:
        tab = self._controller.tab
        return tab.document if tab is not None else None

    def _start(self, what: Callable[[OpenDocument, Place, Options], None]) -> None:
        """Have it measured where it was chosen; without a place, tell why and let one be chosen."""
        controller = self._controller
        controller.window.docks.show(DOCK)
        self.show_document()
        choice = self.where.choice(PROFILE)
        if choice is None or not choice.is_usable:
            controller.tell(f"Nothing was measured. {self.where.why_none()}", Severity.WARNING)
            self.choose_place(PROFILE)
            return
        from workbench.session.profiling import Options  # a window starts without

        self._follow()
        counters = self.where.with_counters
        options = Options(counters, self.where.with_all, lines=counters)
        controller.run_document(lambda document: what(document, choice.place, options))

    def _follow(self) -> None:
        """Hear of measurements, from the first time that anybody is interested."""
        profiling = self._session.profiling
        profiling.changed.connect(self._on_profiling_changed)
        profiling.finished.connect(self._on_profiling_finished)
        self._follow = lambda: None  # type: ignore[method-assign]

    def _show_places(self) -> None:
        toolbar = self._controller.window.toolbar
        for purpose in (VERIFY, PROFILE):
            choice = self.where.choice(purpose)
            why = self.where.why_none() if choice is None else ""
            toolbar.set_place(purpose, choice, why, self.where.is_known)

    def _on_where_changed(self) -> None:
        self._show_places()
        self.show_current()

    def _on_profiling_changed(self, document: OpenDocument) -> None:
        if document is self._document:
            self.show_current()

    def _on_profiling_finished(self, document: OpenDocument, found: Profiled) -> None:
        if found.result.failure is None and found.target not in document.targets:
            self._session.set_targets(document, (found.target, *document.targets))
        else:
            self._session.document_changed.emit(document)
        if found.result.failure is None:
            self._predict(document, found.target)
        if document is self._document:
            self._controller.window.docks.show(DOCK)

    def _predict(self, document: OpenDocument, target: str) -> None:
        """Have the machine code analyzed, so that what was measured stands beside it."""
        with contextlib.suppress(NothingToRunError):  # it has changed meanwhile
            self._session.results.predict(document, target)

    def _on_cancel_requested(self) -> None:
        document = self._document
        if document is not None:
            self._session.profiling.cancel(document)

    def _on_counters_requested(self, full: bool) -> None:
        self.where.ask_for(True, full or self.where.with_all)
        self.measure()


def _subject_of(found: RunProfile) -> ProfileSubject:
    """A run that stores no text: a report of another profiler."""
    from workbench.session.profile.of_document import subject_of_run

    run = found.run
    origin = run.origin or f"run of {run.created.astimezone():%d %b %H:%M}"
    return subject_of_run(run.kernel or "kernel", found.result, origin, run.created)
