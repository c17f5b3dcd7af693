"""Attaches runs of other paths to the file in front, and detaches them, each with a way back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from workbench.core.history import FileIdentity, History, RunFilter
from workbench.core.runs import Run
from workbench.session.document_runs import counted
from workbench.session.history_work import HistoryWork
from workbench.session.run_marking import Marking, mark_runs, named
from workbench.session.tasks import Step

if TYPE_CHECKING:
    from workbench.ui.controller import Controller

_TOPIC = "runs"


class RunAttaching(QObject):
    """Changes nothing but which files runs are of: what was run, and from where, stays in them."""

    def __init__(self, controller: Controller, work: HistoryWork) -> None:
        super().__init__(controller)
        self._controller, self._work = controller, work

    def attach(self, run_ids: Sequence[str]) -> None:
        """Say that runs are of the file in front, too."""
        file = self._controller.runs.file_in_front()
        if file is not None:
            self._mark(file.name, lambda _: run_ids, Marking(attach=(file.path,)))

    def detach(self, run_ids: Sequence[str]) -> None:
        """Say that runs which were attached to the file in front are not of it."""
        file = self._controller.runs.file_in_front()
        if file is not None:
            self._mark(file.name, lambda _: run_ids, Marking(detach=(file.path,)))

    def attach_offered(self, file: FileIdentity) -> None:
        """Attach all runs that are offered to a file."""
        where, marking = RunFilter(offered=file), Marking(attach=(file.path,))
        self._mark(file.name, lambda own: own.ids(where), marking)

    def _mark(self, name: str, ids: Callable[[History], Sequence[str]], marking: Marking) -> None:
        """Mark those of the runs that it changes."""

        def work(own: History, step: Step) -> tuple[Run, ...]:
            changing = [run.id for run in named(own, ids(own)) if marking.of(run) != run]
            return mark_runs(own, changing, marking, step)

        doing = "Attaching runs to" if marking.attach else "Detaching runs from"
        self._work.do(f"{doing} {name}", work, lambda runs: self._on_marked(name, runs, marking))

    def _on_marked(self, name: str, runs: Sequence[Run], marking: Marking) -> None:
        if not runs:
            return
        self._controller.session.runs_changed.emit()
        done = "attached to" if marking.attach else "detached from"
        words = f"{counted(len(runs))} {'was' if len(runs) == 1 else 'were'} {done} {name}."
        toast = self._controller.window.toasts.show_toast(words, action="Undo", topic=_TOPIC)
        ids = tuple(run.id for run in runs)
        back = Marking(attach=marking.detach, detach=marking.attach)
        toast.action_triggered.connect(lambda: self._mark(name, lambda _: ids, back))
