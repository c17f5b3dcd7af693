"""Long work on a history beside the window: on a connection of its own, as a task."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from workbench.core.history import History, HistoryError
from workbench.core.run_archive import ArchiveError
from workbench.session.tasks import Step, Tasks

Answer = TypeVar("Answer")


class HistoryWork:
    """What is refused, or goes wrong on the disk, is told by `failed` in the owner's thread."""

    def __init__(
        self, history: Callable[[], History], tasks: Tasks, failed: Callable[[str], object]
    ) -> None:
        self._history, self._tasks, self._failed = history, tasks, failed

    def do(
        self,
        label: str,
        work: Callable[[History, Step], Answer],
        done: Callable[[Answer], object],
        *also_expected: type[Exception],
    ) -> None:
        """Do `work` with a history that has the same file and quota; `done` hears what it came to.

        Other errors that it may raise are named beside those of histories and archives.
        """
        try:
            history = self._history()
        except HistoryError as error:
            self._failed(str(error))
            return
        path, quota_bytes = history.path, history.quota_bytes

        def run(step: Step) -> Answer:
            with History(path, quota_bytes=quota_bytes) as own:
                return work(own, step)

        expected: tuple[type[Exception], ...] = (HistoryError, ArchiveError, *also_expected)
        self._tasks.start(label, run, done, lambda error: self._failed(str(error)), expected)
