"""Long work in the window's own process: beside the window, told as jobs are, ended on a wish."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from workbench.session.jobs import JobInfo, Post
from workbench.session.signal import Signal

#: Told of work: how much is done, of how much (0: nobody knows), and what of. Work that is not
#: wanted any more ends there with `TaskCancelledError`.
Step = Callable[[int, int, str], object]
Answer = TypeVar("Answer")

_LANE = "window"
_TOLD_EVERY_S = 0.1


class TaskCancelledError(Exception):
    """The person does not want the work any more."""


def unheard(done: int, total: int, what: str) -> None:
    """The step of work that nobody watches."""


@dataclass
class Task:
    """One piece of work, as its thread and its owner see it."""

    info: JobInfo
    tell: Callable[[], None]
    thread: threading.Thread | None = None
    is_cancelled: bool = False
    told: float = 0.0

    def step(self, done: int, total: int, what: str) -> None:
        """Say how far it is: "12,000 of 50,000 runs". Raises TaskCancelledError."""
        if self.is_cancelled:
            raise TaskCancelledError
        now = time.monotonic()
        if now - self.told >= _TOLD_EVERY_S:
            self.told = now
            text = f"{done:,} of {total:,} {what}" if total else f"{done:,} {what}"
            self.info = replace(self.info, text=text, fraction=done / total if total else None)
            self.tell()


class Tasks:
    """Owned by one thread, to which `post` carries what the others say."""

    def __init__(self, post: Post) -> None:
        #: Work began, went on, or ended.
        self.changed: Signal[[]] = Signal()
        self._post = post
        self._number = 0
        self._tasks: list[Task] = []
        self._is_closed = False

    @property
    def jobs(self) -> tuple[JobInfo, ...]:
        """What is being done, the oldest first."""
        return tuple(task.info for task in self._tasks)

    def start(
        self,
        label: str,
        work: Callable[[Step], Answer],
        done: Callable[[Answer], object],
        failed: Callable[[Exception], object],
        expected: tuple[type[Exception], ...],
    ) -> Task:
        """Do `work` in a thread; `done` or `failed` is called in the owner's, neither on a cancel.

        An error that is not expected is raised in the owner's thread.
        """
        self._number += 1
        info = JobInfo(f"{_LANE}:{self._number}", label, _LANE, started=time.monotonic())
        task = Task(info, lambda: self._post(self._tell))

        def run() -> None:
            try:
                answer = work(task.step)
            except TaskCancelledError:
                self._post(lambda: self._end(task, lambda: None))
            except expected as error:
                told = error  # the name goes with the block
                self._post(lambda: self._end(task, lambda: failed(told)))
            except Exception as error:
                unknown = error
                self._post(lambda: self._end(task, lambda: _raise(unknown)))
            else:
                self._post(lambda: self._end(task, lambda: done(answer)))

        task.thread = threading.Thread(target=run, name=f"task {label}", daemon=True)
        self._tasks.append(task)
        task.thread.start()
        self.changed.emit()
        return task

    def cancel_all(self) -> None:
        """Have all of it end at its next step."""
        for task in self._tasks:
            task.is_cancelled = True

    def close(self) -> None:
        """End all of it, wait for that, and say nothing more."""
        self._is_closed = True
        self.cancel_all()
        for task in self._tasks:
            if task.thread is not None:
                task.thread.join()

    def _tell(self) -> None:
        if not self._is_closed:
            self.changed.emit()

    def _end(self, task: Task, say: Callable[[], object]) -> None:
        self._tasks.remove(task)
        if not self._is_closed:
            self.changed.emit()
            say()


def _raise(error: Exception) -> None:
    raise error
