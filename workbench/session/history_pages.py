"""Reads pages of a history off the caller's thread, on a connection of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from workbench.core.history import History, HistoryError, Listing, RunFilter
from workbench.session.jobs import Post
from workbench.session.told_cases import with_told_cases

#: The rows that are shown before the others are read, and those of each page that follows.
FIRST, PAGE = 40, 100
# So many runs are taken apart at once, then the window's thread has its turn: Python runs one.
_SLICE, _TURN_S = 5, 0.001
Answer = TypeVar("Answer")


class HistoryPages:
    """Answers in the caller's thread, in the order of the questions.

    What was asked before `forget` is not answered any more, and what of it is being read ends at
    once; a failure is told by `failed`.
    """

    def __init__(
        self, history: Callable[[], History], post: Post, failed: Callable[[str], object]
    ) -> None:
        self._history, self._post, self._failed = history, post, failed
        self._number = 0
        self._thread: threading.Thread | None = None
        self._own: History | None = None

    def forget(self) -> None:
        """Leave what is being read without an answer."""
        self._number += 1
        own = self._own
        if own is not None:
            own.interrupt()

    def read(
        self,
        where: RunFilter,
        offset: int,
        answer: Callable[[Listing], object],
        limit: int = PAGE,
    ) -> None:
        """Read the runs of a filter that begin at a place."""

        def ask(own: History, is_wanted: Callable[[], bool]) -> Listing:
            return _in_slices(own, own.ids(where, limit=limit, offset=offset), is_wanted)

        self._start(ask, answer)

    def count(self, where: RunFilter, answer: Callable[[int], object]) -> None:
        """Count the runs of a filter."""
        self._start(lambda own, _: own.count(where), answer)

    def ask(
        self, question: Callable[[History], Answer], answer: Callable[[Answer], object]
    ) -> None:
        """Answer another question that a history is asked."""
        self._start(lambda own, _: question(own), answer)

    def close(self) -> None:
        """Wait for what is being read, and answer nothing more."""
        self.forget()
        if self._thread is not None:
            self._thread.join()
        self._let_go()

    def _start(
        self,
        ask: Callable[[History, Callable[[], bool]], Answer],
        answer: Callable[[Answer], object],
    ) -> None:
        number, before = self._number, self._thread
        try:
            path = self._history().path
        except HistoryError as error:
            self._failed(str(error))
            return

        def is_wanted() -> bool:
            return number == self._number

        def work() -> None:
            if before is not None:
                before.join()
            if not is_wanted():
                return
            try:
                found = ask(self._opened(path), is_wanted)
            except HistoryError as error:
                message = str(error)
                self._let_go()
                self._post(lambda: self._tell(number, lambda: self._failed(message)))
            else:
                self._post(lambda: self._tell(number, lambda: answer(found)))

        self._thread = threading.Thread(target=work, name="history-pages", daemon=True)
        self._thread.start()

    def _opened(self, path: Path) -> History:
        """The connection, which one question hands to the next: it knows pages of the file."""
        if self._own is None:
            self._own = History(path)
        return self._own

    def _let_go(self) -> None:
        own, self._own = self._own, None
        if own is not None:
            own.close()

    def _tell(self, number: int, answer: Callable[[], object]) -> None:
        if number == self._number:
            answer()


def _in_slices(own: History, names: Sequence[str], is_wanted: Callable[[], bool]) -> Listing:
    """The runs of these ids; what is not wanted any more is not read to its end."""
    found = Listing(())
    for start in range(0, len(names), _SLICE):
        if not is_wanted():
            break
        part = own.listed(names[start : start + _SLICE])
        runs = with_told_cases(part.runs, own.blob)
        found = Listing(found.runs + runs, found.problems + part.problems)
        time.sleep(_TURN_S)
    return found
