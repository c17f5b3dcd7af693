"""Imports runs from files: archives of runs, and the reports and tables of a profiler."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from workbench.core.diagnostics import Severity
from workbench.core.history import History, HistoryError

if TYPE_CHECKING:
    from workbench.session.run_files import Imported
    from workbench.ui.controller import Controller

SUFFIXES = (".zip", ".ncu-rep", ".ncu-repz", ".csv", ".csv.gz")
_FILTER = "Runs and profiler reports (*.zip *.ncu-rep *.ncu-repz *.csv *.csv.gz)"
_TOPIC = "import"


def is_run_file(path: str) -> bool:
    """Whether a file's name is one of those that hold runs."""
    return path.lower().endswith(SUFFIXES)


class RunImports(QObject):
    """Reads files in a thread of its own, as a report of a profiler can take seconds."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._threads: list[threading.Thread] = []

    def choose(self) -> None:
        """Let the person choose files and import them."""
        window = self._controller.window
        names, _ = QFileDialog.getOpenFileNames(window, "Import runs", "", _FILTER)
        self.import_files([Path(name) for name in names])

    def import_files(self, paths: Sequence[Path]) -> None:
        """Add the runs of files to the history; one profile alone is opened at once."""
        if not paths:
            return
        try:
            history = self._controller.session.history()
        except HistoryError as error:
            self._controller.tell(str(error), Severity.ERROR)
            return
        names = ", ".join(path.name for path in paths)
        self._controller.tell(f"Importing {names} …", topic=_TOPIC)
        thread = threading.Thread(
            target=self._read, args=(history.path, list(paths)), name="import-runs", daemon=True
        )
        self._threads = [each for each in self._threads if each.is_alive()]
        self._threads.append(thread)
        thread.start()

    def close(self) -> None:
        """Wait for what is being read."""
        for thread in self._threads:
            thread.join()

    def _read(self, history_path: Path, paths: list[Path]) -> None:
        from workbench.session.run_files import RunFileError, import_file

        post = self._controller.session.post
        for path in paths:
            try:
                history = History(history_path)
                try:
                    found = import_file(history, path)
                finally:
                    history.close()
            except (RunFileError, HistoryError) as error:
                post(partial(self._controller.tell, str(error), Severity.ERROR, _TOPIC))
            else:
                post(partial(self._on_imported, path, found))

    def _on_imported(self, path: Path, found: Imported) -> None:
        controller = self._controller
        controller.session.runs_changed.emit()
        severity = Severity.WARNING if found.problems else Severity.INFO
        controller.tell(imported_words(path.name, found), severity, _TOPIC)
        ids = [run.id for run in found.added] or list(found.present)
        if len(ids) == 1:
            controller.runs.open_run(ids[0])
        elif ids:
            controller.runs.show_run(ids[0])


def imported_words(name: str, found: Imported) -> str:
    """What an import came to, in sentences."""
    added, present = len(found.added), len(found.present)
    parts = [f"{added} run{'s' * (added != 1)} imported from {name}."]
    if present:
        parts.append(f"{present} {'was' if present == 1 else 'were'} there already.")
    return " ".join([*parts, *found.problems[:1]])
