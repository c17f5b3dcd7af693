"""Reads pages of a history off the caller's thread, on a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from workbench.core.history import History, HistoryError, Listing, RunFilter
from workbench.session.jobs import Post

PAGE = 100
Answer = TypeVar("Answer")


class HistoryPages:
    """Answers in the caller's thread, in the order of the questions.

    What was asked before `forget` is not answered any more; a failure is told by `failed`.
    """

    def __init__(
        self, history: Callable[[], History], post: Post, failed: Callable[[str], object]
    ) -> None:
        self._history, self._post, self._failed = history, post, failed
        self._number = 0
        self._thread: threading.Thread | None = None

    def forget(self) -> None:
        """Leave what is being read without an answer."""
        self._number += 1

    def read(self, where: RunFilter, offset: int, answer: Callable[[Listing], object]) -> None:
        """Read the page of the runs of a filter that begins at a place."""
        self._start(lambda own: own.list(where, limit=PAGE, offset=offset), answer)

    def count(self, where: RunFilter, answer: Callable[[int], object]) -> None:
        """Count the runs of a filter."""
        self._start(lambda own: own.count(where), answer)

    def close(self) -> None:
        """Wait for what is being read, and answer nothing more."""
        self.forget()
        if self._thread is not None:
            self._thread.join()

    def _start(self, ask: Callable[[History], Answer], answer: Callable[[Answer], object]) -> None:
        number, before = self._number, self._thread
        try:
            path = self._history().path
        except HistoryError as error:
            self._failed(str(error))
            return

        def work() -> None:
            if before is not None:
                before.join()
            if number != self._number:
                return
            try:
                with History(path) as own:
                    found = ask(own)
            except HistoryError as error:
                message = str(error)
                self._post(lambda: self._tell(number, lambda: self._failed(message)))
            else:
                self._post(lambda: self._tell(number, lambda: answer(found)))

        self._thread = threading.Thread(target=work, name="history-pages", daemon=True)
        self._thread.start()

    def _tell(self, number: int, answer: Callable[[], object]) -> None:
        if number == self._number:
            answer()
