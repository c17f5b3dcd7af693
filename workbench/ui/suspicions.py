"""Asks whether the compiler is at fault for what the kernel in front does, and saves a bundle."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from workbench.core.atomic_files import write_atomically
from workbench.core.diagnostics import Severity
from workbench.session.open_document import OpenDocument

if TYPE_CHECKING:
    from workbench.session.bug_bundle import Verdict
    from workbench.ui.controller import Controller

_TOPIC = "suspicion"


class Suspicions(QObject):
    """Between the action and the session; what it needs is loaded when it is used."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._is_connected = False

    def ask(self, target: str | None = None) -> None:
        """Look into the kernel in front, for a target or for its first."""
        bundles = self._controller.session.bug_bundles
        if not self._is_connected:
            bundles.finished.connect(self._on_bundles_finished)
            self._is_connected = True

        def begin(document: OpenDocument) -> None:
            bundles.ask(document, target)
            text = "Looking whether the kernel is right and the compiler is not…"
            self._controller.tell(text, topic=_TOPIC)

        self._controller.run_document(begin)

    def save(self, path: Path, bundle: bytes) -> None:
        """Write a bundle, and say where it is or why it could not be written."""
        try:
            write_atomically(path, bundle)
        except OSError as error:
            text = f"{path} cannot be written: {error}"
            self._controller.tell(text, Severity.ERROR, _TOPIC)
            return
        self._controller.tell(f"The bundle is in {path}. Its README.md tells the rest.",
                              topic=_TOPIC)  # fmt: skip

    def _on_bundles_finished(self, document: OpenDocument, target: str, verdict: Verdict) -> None:
        severity = Severity.WARNING if verdict.suspicions else Severity.INFO
        self._controller.tell(verdict.sentence, severity, _TOPIC)
        if verdict.bundle is None:
            return
        stem = Path(document.title).stem
        start = str(self._controller.session.workspace / f"{stem}-{target.replace(':', '-')}.zip")
        window = self._controller.window
        name, _ = QFileDialog.getSaveFileName(window, "Save the bug bundle", start, "Zip (*.zip)")
        if name:
            self.save(Path(name), verdict.bundle)
