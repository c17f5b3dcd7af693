"""Does what the person wants with runs of the list: marks, deletes, repeats; makes room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QInputDialog

from workbench.core.diagnostics import Severity
from workbench.core.history import HistoryError
from workbench.core.run_archive import ArchiveError
from workbench.core.runs import Run, RunKind
from workbench.session.run_marking import (
    Deleted,
    Marking,
    RunDeletionError,
    delete_runs,
    mark_runs,
    named,
    restore_runs,
)

if TYPE_CHECKING:
    from workbench.ui.controller import Controller

_TOPIC = "runs"
#: The action that does a run again.
_AGAIN = {
    RunKind.COMPILE: "compile",
    RunKind.VERIFY: "verify",
    RunKind.PROFILE: "measure",
    RunKind.PREDICT: "analyze",
}


class RunChanges(QObject):
    """Answers the actions of the list of runs; what is refused is said."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller

    def do(self, key: str, run_ids: Sequence[str]) -> None:
        """Do what an action of that key says with these runs."""
        acts: dict[str, Callable[[Sequence[Run]], object]] = {
            "pin": self._pin,
            "tag": self._ask_tags,
            "note": self._ask_note,
            "delete": self._delete,
            "repeat": lambda runs: self._repeat(runs[0]),
        }
        try:
            acts[key](named(self._controller.session.history(), run_ids))
        except (HistoryError, RunDeletionError) as error:
            self._controller.tell(str(error), Severity.ERROR, _TOPIC)

    def clean_up(self) -> None:
        """Show what could be freed, and free it where the person says so."""
        from workbench.ui.clean_up_dialog import CleanUpDialog  # what few ask for

        session = self._controller.session
        try:
            history = session.history()
            dialog = CleanUpDialog(
                self._controller.icons, history.plan_clean_up, self._controller.window
            )
            if dialog.exec() and dialog.size_bytes is not None:
                freed = history.clean_up(dialog.size_bytes)
                self._controller.tell(f"{dialog.words(freed)} were freed.", topic=_TOPIC)
                session.runs_changed.emit()
            dialog.deleteLater()
        except HistoryError as error:
            self._controller.tell(str(error), Severity.ERROR, _TOPIC)

    def _mark(self, runs: Sequence[Run], marking: Marking) -> None:
        session = self._controller.session
        mark_runs(session.history(), [run.id for run in runs], marking)
        session.runs_changed.emit()

    def _pin(self, runs: Sequence[Run]) -> None:
        """Pin them all, or take the pins off where all have one."""
        self._mark(runs, Marking(pinned=not all(run.pinned for run in runs)))

    def _ask_tags(self, runs: Sequence[Run]) -> None:
        """Let the person write the tags that all of them have."""
        common = [tag for tag in runs[0].tags if all(tag in run.tags for run in runs)]
        text = self._ask("Tags", "Tags, with blanks between them:", " ".join(common))
        if text is not None:
            wanted = tuple(dict.fromkeys(text.split()))
            gone = tuple(tag for tag in common if tag not in wanted)
            self._mark(runs, Marking(wanted, gone))

    def _ask_note(self, runs: Sequence[Run]) -> None:
        text = self._ask("Note", "What is to be known of this run:", runs[0].note or "")
        if text is not None:
            self._mark(runs, Marking(note=text.strip()))

    def _ask(self, title: str, label: str, text: str) -> str | None:
        window = self._controller.window
        answer, is_given = QInputDialog.getText(window, title, label, text=text)
        return answer if is_given else None

    def _delete(self, runs: Sequence[Run]) -> None:
        session = self._controller.session
        deleted = delete_runs(session.history(), [run.id for run in runs])
        session.runs_changed.emit()
        words = "1 run was deleted." if len(runs) == 1 else f"{len(runs)} runs were deleted."
        toast = self._controller.window.toasts.show_toast(words, action="Undo", topic=_TOPIC)
        toast.action_triggered.connect(lambda: self._restore(deleted))

    def _restore(self, deleted: Deleted) -> None:
        session = self._controller.session
        try:
            restored = restore_runs(session.history(), deleted)
        except (HistoryError, ArchiveError) as error:
            self._controller.tell(str(error), Severity.ERROR, _TOPIC)
            return
        session.runs_changed.emit()
        for problem in restored.problems:
            self._controller.tell(problem, Severity.WARNING)

    def _repeat(self, run: Run) -> None:
        """Open the text as it was run, ask for it as then, and do it."""
        from workbench.session.repeating import ask_as_run  # what a window starts without

        document = self._controller.runs.open_text(run.id)
        if document is not None:
            ask_as_run(self._controller.session, document, run)
            self._controller.actions[_AGAIN[run.kind]].trigger()
