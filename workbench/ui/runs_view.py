"""Feeds the pane of runs and the navigator's newest runs from the workspace's history."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from workbench.core.diagnostics import Severity
from workbench.core.documents.model import DocumentError
from workbench.core.history import HistoryError
from workbench.session.session import Session
from workbench.ui.deferred import Deferred
from workbench.ui.files import FileController
from workbench.ui.main_window import MainWindow
from workbench.ui.navigator import Navigator

if TYPE_CHECKING:
    from workbench.ui.panes.runs import RunsPane

PAGE = 100
NEWEST = 6


class RunsView(QObject):
    """Reads pages of the history as the pane asks for them, and opens what a run ran."""

    #: The person wants runs side by side: their ids.
    compare_requested = Signal(tuple)
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
        navigator.run_activated.connect(self.show_run)
        session.runs_changed.connect(self.refresh)

    def connect_pane(self, pane: RunsPane) -> None:
        """Answer what a new pane asks for, and show it the newest runs."""
        pane.more_requested.connect(self._on_pane_more_requested)
        pane.text_requested.connect(self.open_text)
        pane.run_activated.connect(self.open_run)
        pane.compare_requested.connect(self.compare_requested)
        self._show(pane)

    def refresh(self) -> None:
        """Show the newest runs."""
        if self._pane.built is not None:
            self._show(self._pane.built)
        # The pane tells why where the history cannot be read.
        with contextlib.suppress(HistoryError):
            self._navigator.set_runs(self._session.history().list(limit=NEWEST).runs)

    def _show(self, pane: RunsPane) -> None:
        try:
            history = self._session.history()
            pane.set_listing(history.list(limit=PAGE), history.count())
        except HistoryError as error:
            pane.show_failure(str(error))

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

    def open_text(self, run_id: str) -> None:
        """Open the exact text that a run was made from, as a document of its own."""
        try:
            history = self._session.history()
            run = history.get(run_id)
            text = history.blob(run.text_blob).decode("utf-8", "replace") if run.text_blob else ""
        except (HistoryError, DocumentError) as error:
            self._window.toasts.show_toast(str(error), Severity.ERROR)
            return
        name = (run.document or "untitled.py").rsplit("/", 1)[-1]
        stem = name.removesuffix(".py")
        title = f"{stem} as of {run.created:%H.%M.%S}.py"
        document = self._session.open_text(text, title, foreign=run.origin is not None)
        self._files.add_untitled(document)

    def _on_pane_more_requested(self, offset: int) -> None:
        try:
            self._pane.wake().append_listing(
                self._session.history().list(limit=PAGE, offset=offset)
            )
        except HistoryError as error:
            self._window.toasts.show_toast(str(error), Severity.ERROR)
