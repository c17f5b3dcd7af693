"""Exports the kernel in front into a folder that the person names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from workbench.core.diagnostics import Severity
from workbench.session.open_document import OpenDocument

if TYPE_CHECKING:
    from workbench.session.exporting_jobs import Exported
    from workbench.ui.controller import Controller

_TOPIC = "export"


class Exports(QObject):
    """Between the action and the session; what it needs is loaded when it is used."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._is_connected = False

    def choose_and_export(self) -> None:
        """Ask for a folder, and export the kernel in front for its first target into it."""
        if self._controller.tab is None:
            return
        title, start = "Export the kernel into a folder", str(self._controller.session.workspace)
        name = QFileDialog.getExistingDirectory(self._controller.window, title, start)
        if name:
            self.export_to(Path(name))

    def export_to(self, folder: Path) -> None:
        """Export the kernel in front into a folder, or into one of its name in it."""
        exports = self._controller.session.exports
        if not self._is_connected:
            exports.finished.connect(self._on_exports_finished)
            self._is_connected = True

        def begin(document: OpenDocument) -> None:
            place = exports.export(document, folder)
            self._controller.tell(f"Exporting to {place}…", topic=_TOPIC)

        self._controller.run_document(begin)

    def _on_exports_finished(self, document: OpenDocument, exported: Exported) -> None:
        severity = Severity.INFO if exported.folder is not None else Severity.ERROR
        self._controller.tell(exported.sentence, severity, _TOPIC)
