"""Imports runs from files: archives of runs, and the reports and tables of a profiler."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from workbench.core.diagnostics import Severity
from workbench.session.history_work import HistoryWork

if TYPE_CHECKING:
    from workbench.core.history import History
    from workbench.session.run_files import Imported
    from workbench.session.tasks import Step
    from workbench.ui.controller import Controller

SUFFIXES = (".zip", ".ncu-rep", ".ncu-repz", ".csv", ".csv.gz")
_FILTER = "Runs and profiler reports (*.zip *.ncu-rep *.ncu-repz *.csv *.csv.gz)"
_TOPIC = "import"


def is_run_file(path: str) -> bool:
    """Whether a file's name is one of those that hold runs."""
    return path.lower().endswith(SUFFIXES)


class RunImports(QObject):
    """Reads each file as a task of its own, as an archive can have thousands of runs."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        session = controller.session
        self._work = HistoryWork(session.history, session.tasks, self._refuse)

    def choose(self) -> None:
        """Let the person choose files and import them."""
        window = self._controller.window
        names, _ = QFileDialog.getOpenFileNames(window, "Import runs", "", _FILTER)
        self.import_files([Path(name) for name in names])

    def import_files(self, paths: Sequence[Path]) -> None:
        """Add the runs of files to the history; one profile alone is opened at once."""
        for path in paths:
            self._import(path)

    def _import(self, path: Path) -> None:
        from workbench.session.run_files import RunFileError, import_file  # a start goes without

        def work(own: History, step: Step) -> Imported:
            return import_file(own, path, step)

        self._work.do(
            f"Importing {path.name}",
            work,
            lambda found: self._on_imported(path, found),
            RunFileError,
        )

    def _refuse(self, message: str) -> None:
        self._controller.tell(message, Severity.ERROR, _TOPIC)

    def _on_imported(self, path: Path, found: Imported) -> None:
        controller = self._controller
        controller.session.runs_changed.emit()
        severity = Severity.WARNING if found.problems else Severity.INFO
        controller.tell(imported_words(path.name, found), severity, _TOPIC)
        ids = found.added or found.present
        if len(ids) == 1:
            controller.runs.open_run(ids[0])
        elif ids:
            controller.runs.show_run(ids[0])


def imported_words(name: str, found: Imported) -> str:
    """What an import came to, in sentences."""
    added, present = len(found.added), len(found.present)
    ended = "Ended: " if found.was_ended else ""
    parts = [f"{ended}{added:,} run{'s' * (added != 1)} imported from {name}."]
    if present:
        parts.append(f"{present:,} {'was' if present == 1 else 'were'} there already.")
    return " ".join([*parts, *found.problems[:1]])
