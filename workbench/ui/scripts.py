"""Offers to run the script in front, and writes the cases that it gave when asked to."""

from __future__ import annotations

from PySide6.QtCore import QObject

from workbench.core.diagnostics import Severity
from workbench.core.documents.model import DocumentError
from workbench.session.cases import with_recorded_cases
from workbench.session.open_document import OpenDocument
from workbench.session.script_runs import script_offer
from workbench.session.session import Session
from workbench.ui.editor.buffer import EncodeError
from workbench.ui.editor_area import EditorTab
from workbench.ui.files import FileController
from workbench.ui.main_window import MainWindow
from workbench.ui.script_bar import ScriptBar


class Scripts(QObject):
    """Keeps the bar true to the document in front."""

    def __init__(
        self, window: MainWindow, session: Session, files: FileController, bar: ScriptBar
    ) -> None:
        super().__init__(window)
        self._window, self._session, self._files = window, session, files
        self.bar = bar
        self._put_off: set[int] = set()
        window.editors.current_changed.connect(self.show_current)
        session.document_changed.connect(self._on_document_changed)
        session.scripts.changed.connect(self._on_document_changed)
        session.scripts.finished.connect(self._on_script_finished)
        session.trust_changed.connect(self.show_current)
        actions = window.actions_table
        bar.run_requested.connect(actions["run-script"].trigger)
        bar.find_requested.connect(actions["find-cases"].trigger)
        bar.write_requested.connect(actions["write-cases"].trigger)
        bar.dismissed.connect(self._on_bar_dismissed)
        self.show_current()

    def show_current(self) -> None:
        """Show the offer of the document in front, unless its folder must be trusted first."""
        tab = self._window.editors.current
        offer = None
        if tab is not None and self._session.trusts(tab.document):
            is_put_off = id(tab.document) in self._put_off and tab.document.script is None
            offer = None if is_put_off else script_offer(tab.document)
        self.bar.show_offer(offer)
        can_write = tab is not None and bool(tab.document.recorded) and not tab.document.has_block
        self._window.actions_table["write-cases"].setEnabled(can_write)

    def write_cases(self, tab: EditorTab) -> None:
        """Write the cases that were found into the text's block, as one step of undo."""
        self._files.flush(tab)
        try:
            content = with_recorded_cases(tab.buffer.content(), tab.document)
        except (DocumentError, EncodeError) as error:
            self._files.tell(str(error))
            return
        self._files.write_block(tab, content)
        self.show_current()

    def _on_document_changed(self, document: OpenDocument) -> None:
        self.show_current()

    def _on_script_finished(self, document: OpenDocument) -> None:
        run = document.script
        failure = run.result.failure if run is not None and run.result is not None else None
        if failure is not None:
            self._window.docks.show("problems")
            severity = Severity.ERROR if failure.kind == "kernel" else Severity.WARNING
            self._window.toasts.show_toast(failure.message.split("\n", 1)[0], severity)

    def _on_bar_dismissed(self) -> None:
        tab = self._window.editors.current
        if tab is not None:
            self._put_off.add(id(tab.document))
            tab.document.script = None
        self.show_current()
