"""Does what the person wants with runs of the list: marks, deletes, exports, repeats them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QInputDialog

from workbench.core.diagnostics import Severity
from workbench.core.history import History, HistoryBusyError, HistoryError, RunFilter
from workbench.core.run_archive import SUFFIX, Written
from workbench.core.runs import Run, RunKind
from workbench.session.document_runs import counted
from workbench.session.history_pages import HistoryPages
from workbench.session.history_work import HistoryWork
from workbench.session.run_files import Imported, StoredRuns, export_runs
from workbench.session.run_marking import (
    Deleted,
    Marking,
    RunDeletionError,
    delete_runs,
    mark_runs,
    named,
    restore_runs,
)
from workbench.session.tasks import Step, TaskCancelledError
from workbench.ui.run_attaching import RunAttaching

if TYPE_CHECKING:
    from workbench.ui.controller import Controller

_TOPIC = "runs"
_FEW = 20  # runs that are marked at once, before anybody could wait for it
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
        session = controller.session
        self._work = HistoryWork(session.history, session.tasks, self._refuse)
        self.attaching = RunAttaching(controller, self._work)

    def do(self, key: str, run_ids: Sequence[str]) -> None:
        """Do what an action of that key says with these runs."""
        acts: dict[str, Callable[[Sequence[str]], object]] = {
            "pin": lambda ids: self._pin(self._read(ids)),
            "tag": lambda ids: self._ask_tags(self._read(ids)),
            "note": lambda ids: self._ask_note(self._read(ids)),
            "attach": self.attaching.attach,
            "detach": self.attaching.detach,
            "repeat": lambda ids: self._repeat(self._read(ids)[0]),
            "delete": self._delete,
            "export": self._ask_export,
        }
        try:
            acts[key](run_ids)
        except HistoryError as error:
            self._refuse(str(error))

    def delete_matching(self, where: RunFilter) -> None:
        """Delete all runs that agree with a filter."""
        self._work.do(
            "Deleting runs",
            lambda own, step: delete_runs(own, own.ids(where), step),
            self._on_deleted,
            RunDeletionError,
        )

    def clean_up(self) -> None:
        """Show what could be freed, and free it where the person says so."""
        from workbench.ui.clean_up_dialog import CleanUpDialog  # what few ask for

        session = self._controller.session
        pages = HistoryPages(session.history, session.post, self._refuse)

        def plan(size_bytes: int, answer: Callable[..., object]) -> None:
            pages.forget()
            pages.ask(lambda own: own.plan_clean_up(size_bytes), answer)

        dialog = CleanUpDialog(self._controller.icons, plan, self._controller.window)
        is_wanted = dialog.exec()
        pages.close()
        size_bytes = dialog.size_bytes
        if is_wanted and size_bytes is not None:
            self._work.do(
                "Making room",
                lambda own, step: _clean_up(own, size_bytes, step),
                lambda freed: self._on_freed(dialog.words(freed)),
            )
        dialog.deleteLater()

    def _read(self, run_ids: Sequence[str]) -> Sequence[Run]:
        return named(self._controller.session.history(), run_ids)

    def _refuse(self, message: str) -> None:
        self._controller.tell(message, Severity.ERROR, _TOPIC)

    def _tell(self, message: str) -> None:
        self._controller.tell(message, topic=_TOPIC)

    def _mark(self, runs: Sequence[Run], marking: Marking) -> None:
        session = self._controller.session
        ids = [run.id for run in runs]
        if len(ids) <= _FEW:
            with contextlib.suppress(HistoryBusyError):
                mark_runs(session.history(), ids, marking)
                session.runs_changed.emit()
                return
        self._work.do(
            f"Marking {counted(len(ids))}",
            lambda own, step: mark_runs(own, ids, marking, step),
            lambda _: session.runs_changed.emit(),
        )

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

    def _delete(self, run_ids: Sequence[str]) -> None:
        self._work.do(
            f"Deleting {counted(len(run_ids))}",
            lambda own, step: delete_runs(own, run_ids, step),
            self._on_deleted,
            RunDeletionError,
        )

    def _on_deleted(self, deleted: Deleted) -> None:
        self._controller.session.runs_changed.emit()
        toasts = self._controller.window.toasts
        toast = toasts.show_toast(_deleted_words(deleted), action="Undo", topic=_TOPIC)
        toast.action_triggered.connect(lambda: self._restore(deleted))

    def _restore(self, deleted: Deleted) -> None:
        self._work.do(
            f"Bringing back {counted(len(deleted.runs))}",
            lambda own, step: restore_runs(own, deleted, step),
            self._on_restored,
        )

    def _on_restored(self, restored: Imported) -> None:
        self._controller.session.runs_changed.emit()
        if restored.was_ended:
            self._tell(f"Ended: {counted(len(restored.added))} came back.")
        for problem in restored.problems:
            self._controller.tell(problem, Severity.WARNING)

    def _ask_export(self, run_ids: Sequence[str]) -> None:
        """Ask for a file, and write the runs into an archive that another machine can import."""
        start = self._controller.session.workspace / f"runs{SUFFIX}"
        name, _ = QFileDialog.getSaveFileName(
            self._controller.window, "Export runs", str(start), f"Archive of runs (*{SUFFIX})"
        )
        if name:
            path = Path(name if name.lower().endswith(".zip") else f"{name}{SUFFIX}")
            self._work.do(
                f"Exporting {counted(len(run_ids))}",
                lambda own, step: export_runs(own, StoredRuns(own, run_ids), path, step),
                lambda written: self._on_exported(path, written),
            )

    def _on_exported(self, path: Path, written: Written) -> None:
        lost = f" {written.lost} texts or artifacts are stored no more." if written.lost else ""
        self._tell(f"{counted(written.runs)} in {path}.{lost}")

    def _on_freed(self, size: str) -> None:
        self._tell(f"{size} were freed.")
        self._controller.session.runs_changed.emit()

    def _repeat(self, run: Run) -> None:
        """Open the text as it was run, ask for it as then, and do it."""
        from workbench.session.repeating import ask_as_run  # what a window starts without

        document = self._controller.runs.open_text(run.id)
        if document is not None:
            ask_as_run(self._controller.session, document, run)
            self._controller.actions[_AGAIN[run.kind]].trigger()


def _clean_up(own: History, size_bytes: int, step: Step) -> int:
    """Free what is to go until `step` ends it; return the bytes that were freed."""
    freed = 0
    for freed, total in own.clean_up(size_bytes):
        try:
            step(freed >> 20, total >> 20, "MiB")
        except TaskCancelledError:
            break
    return freed


def _deleted_words(deleted: Deleted) -> str:
    gone = len(deleted.runs)
    words = f"{counted(gone)} {'was' if gone == 1 else 'were'} deleted."
    if gone < deleted.asked:
        words = f"Ended: {gone:,} of {counted(deleted.asked)} were deleted."
    if deleted.unreadable:
        words += f" {counted(deleted.unreadable)} cannot be read and stayed."
    return words
