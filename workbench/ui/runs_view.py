"""Feeds the pane of runs and the navigator's newest runs from the workspace's history."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.core.diagnostics import Severity
from workbench.core.documents.model import DocumentError
from workbench.core.history import FileIdentity, HistoryError, Listing, RunFilter
from workbench.session.document_runs import identity_of, offer_of
from workbench.session.history_pages import FIRST, HistoryPages
from workbench.session.open_document import OpenDocument
from workbench.session.session import Session
from workbench.session.told_cases import is_told, with_told_cases
from workbench.ui.deferred import Deferred
from workbench.ui.files import FileController
from workbench.ui.main_window import MainWindow
from workbench.ui.navigator import Navigator

if TYPE_CHECKING:
    from workbench.ui.panes.runs import RunsPane

NEWEST = 6
_TOTAL_COSTS_LITTLE = RunFilter()


class RunsView(QObject):
    """Reads pages of the history as the pane asks for them, and opens what a run ran."""

    #: The person wants runs side by side: their ids.
    compare_requested = Signal(tuple)
    #: An action on runs is wanted: its key in the pane's table, and their ids.
    action_wanted = Signal(str, tuple)
    #: All runs that agree with a filter are to be deleted.
    delete_all_wanted = Signal(RunFilter)
    #: All runs that are offered to a file are to be attached to it.
    attach_all_wanted = Signal(FileIdentity)
    #: The person wants to make room in the history.
    clean_up_wanted = Signal()
    #: The person opened a run that stores a profile: its id.
    profile_opened = Signal(str)

    def __init__(
        self,
        window: MainWindow,
        session: Session,
        files: FileController,
        pane: Deferred[RunsPane],
        navigator: Navigator,
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._files = window, session, files
        self._pane, self._navigator = pane, navigator
        self._pages = HistoryPages(session.history, session.post, self._on_pages_failed)
        navigator.run_activated.connect(self.show_run)
        session.runs_changed.connect(self.refresh)
        session.document_changed.connect(lambda _: self._on_front_changed())
        window.editors.current_changed.connect(self._on_front_changed)

    def connect_pane(self, pane: RunsPane) -> None:
        """Answer what a new pane asks for, and show it the newest runs."""
        pane.more_requested.connect(self._on_pane_more_requested)
        pane.text_requested.connect(self.open_text)
        pane.run_activated.connect(self.open_run)
        pane.compare_requested.connect(self.compare_requested)
        pane.action_wanted.connect(self.action_wanted)
        pane.delete_all_wanted.connect(lambda: self.delete_all_wanted.emit(pane.wanted))
        pane.clean_up_wanted.connect(self.clean_up_wanted)
        pane.filter_changed.connect(lambda: self._show(pane))
        pane.choices_wanted.connect(lambda: self._offer(pane))
        pane.of_file.attach_wanted.connect(self.attach_all_wanted)
        pane.set_file(self.file_in_front())
        self._show(pane)

    def refresh(self) -> None:
        """Show the newest runs."""
        if self._pane.built is not None:
            self._show(self._pane.built)
        # The pane tells why where the history cannot be read.
        with contextlib.suppress(HistoryError):
            self._navigator.set_runs(self._session.history().list(limit=NEWEST).runs)

    def file_in_front(self) -> FileIdentity | None:
        """What runs of the document in front are known by; None where it was never saved."""
        tab = self._window.editors.current
        document = tab.document if tab is not None else None
        if document is None or document.path is None:
            return None
        kernels = [kernel.name for kernel in document.readable.kernels]
        return identity_of(document.path, document.text, kernels, self._session.workspace)

    def close(self) -> None:
        """Wait for what is being read."""
        self._pages.close()

    def _show(self, pane: RunsPane) -> None:
        """Show the first rows of what is wanted, at once where an index gives them.

        How many there are may come later.
        """
        self._pages.forget()
        self._look_for_offer(pane)
        where = pane.wanted
        wanted = max(FIRST, pane.reach)
        if not where.is_quick or wanted > FIRST:
            self._pages.read(
                where, 0, lambda listing: self._show_first(pane, where, listing, wanted), wanted
            )
            return
        try:
            history = self._session.history()
            listing = history.list(where, limit=FIRST)
            total = history.count() if where == _TOTAL_COSTS_LITTLE else None
        except HistoryError as error:
            pane.show_failure(str(error))
        else:
            self._show_first(pane, where, listing, FIRST, total)
            self._tell_cases(pane, listing)

    def _look_for_offer(self, pane: RunsPane) -> None:
        """Have the pane say which runs may be of the file whose runs it lists."""
        file = pane.listed_file
        if file is None:
            pane.of_file.set_offer(None)
        else:
            self._pages.ask(lambda own: offer_of(own, file), pane.of_file.set_offer)

    def _tell_codes(self, pane: RunsPane) -> None:
        """Look up which runs that are listed ran the code of the file, with other comments."""
        tab = self._window.editors.current
        if tab is None or pane.listed_file is None or pane.listed_file != self.file_in_front():
            return
        from workbench.session.same_code import texts_of_code  # a window starts without

        text, names = tab.document.text, {run.text_blob for run in pane.runs}
        self._pages.ask(lambda own: texts_of_code(own, text, names), pane.set_same_code)

    def _on_front_changed(self) -> None:
        pane = self._pane.built
        if pane is None:
            return
        before = pane.listed_file
        pane.set_file(self.file_in_front())
        if pane.listed_file != before:
            self._look_for_offer(pane)
            self._tell_codes(pane)

    def _tell_cases(self, pane: RunsPane, listing: Listing) -> None:
        """Look up later what older runs do not tell of their cases: their texts are read for it."""
        runs = [run for run in listing.runs if not is_told(run)]
        if runs:
            self._pages.ask(lambda own: with_told_cases(runs, own.blob), pane.retell)

    def _show_first(
        self,
        pane: RunsPane,
        where: RunFilter,
        listing: Listing,
        wanted: int,
        total: int | None = None,
    ) -> None:
        """Show the first rows, of which so many were wanted; where need be, count the others."""
        self._show_rows(pane, where, listing, wanted, total)
        self._tell_codes(pane)

    def _show_rows(
        self, pane: RunsPane, where: RunFilter, listing: Listing, wanted: int, total: int | None
    ) -> None:
        if len(listing.runs) + len(listing.problems) < wanted:
            pane.set_listing(listing)
        elif total is not None:
            pane.set_listing(listing, total)
        else:
            pane.set_uncounted(listing)
            self._pages.count(where, pane.set_total)

    def _on_pages_failed(self, message: str) -> None:
        """Say why the list, or a page of it, could not be read."""
        pane = self._pane.built
        if pane is not None and not pane.runs:
            pane.show_failure(message)
        else:
            self._tell_error(message)

    def _offer(self, pane: RunsPane) -> None:
        try:
            pane.set_choices(self._session.history().choices())
        except HistoryError as error:
            self._tell_error(str(error))

    def _tell_error(self, message: str) -> None:
        self._window.toasts.show_toast(message, Severity.ERROR)

    def selected(self) -> tuple[str, ...]:
        """The runs that are selected in the pane, several of them; none otherwise."""
        pane = self._pane.built
        runs = pane.selected_runs() if pane is not None else ()
        ordered = sorted(runs, key=lambda run: run.created)
        return tuple(run.id for run in ordered) if len(runs) > 1 else ()

    def show_run(self, run_id: str) -> None:
        """Bring a run into view."""
        self._window.docks.show("runs")
        pane = self._pane.wake()
        pane.set_details_shown(True)
        pane.select_run(run_id)

    def open_run(self, run_id: str) -> None:
        """Open what a run came to: its profile where it stores one, else the text that it ran."""
        from workbench.session.profile_runs import has_profile  # a window starts without

        try:
            run = self._session.history().get(run_id)
        except HistoryError as error:
            self._window.toasts.show_toast(str(error), Severity.ERROR)
            return
        if has_profile(run):
            self.profile_opened.emit(run_id)
        else:
            self.open_text(run_id)

    def open_text(self, run_id: str) -> OpenDocument | None:
        """Open the exact text that a run was made from, as a document of its own."""
        from workbench.session.repeating import open_run_text  # a window starts without

        try:
            history = self._session.history()
            document = open_run_text(self._session, history, history.get(run_id))
        except (HistoryError, DocumentError) as error:
            self._tell_error(str(error))
            return None
        self._files.add_untitled(document)
        return document

    def _on_pane_more_requested(self, offset: int) -> None:
        pane = self._pane.wake()

        def append(listing: Listing) -> None:
            pane.append_listing(listing)
            self._tell_codes(pane)

        self._pages.read(pane.wanted, offset, append)
