"""The comparison that is looked at: its runs, what is loaded of them, and the saved ones."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.core.comparison.comparing import (
    FEWEST,
    MOST,
    ComparisonError,
    RunComparison,
)
from workbench.core.history import History, HistoryError, RunFilter
from workbench.core.json_files import JsonFileError
from workbench.core.runs import Run
from workbench.core.targets.model import Target
from workbench.session.charts.catalog import all_charts
from workbench.session.charts.model import Chart
from workbench.session.charts.reading import chart_subject
from workbench.session.charts.subject import ChartSubject
from workbench.session.comparison_store import (
    ComparisonStore,
    SavedComparison,
    followed,
    still_there,
)
from workbench.session.comparison_view.model import ComparisonView
from workbench.session.comparison_view.view import comparison_view
from workbench.session.jobs import Post
from workbench.session.run_comparison import compare_ids
from workbench.session.signal import Signal

Resolve = Callable[[str], Target | None]
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Order:
    """Which runs are compared, in the order of their columns, and against which of them."""

    runs: tuple[str, ...] = ()
    base: str | None = None
    name: str = ""
    follows: bool = False


@dataclass(frozen=True)
class Loaded:
    """All that is known of an order: the short view, the complete one, and the charts.

    `texts` are what the runs ran, None where it is not kept any more. `moved` are the letters of
    columns that newer runs took.
    """

    order: Order
    found: RunComparison
    subject: ChartSubject
    texts: tuple[str | None, ...]
    short: ComparisonView
    complete: ComparisonView
    charts: tuple[Chart, ...]
    moved: tuple[str, ...] = ()

    @property
    def base(self) -> Run:
        """The run that the others are held against."""
        return self.found.runs[self.found.base]


class ComparisonDesk:
    """Loads what is asked for off the caller's thread; the newest order wins."""

    def __init__(
        self,
        history: Callable[[], History],
        resolve: Resolve,
        store: ComparisonStore,
        post: Post,
    ) -> None:
        #: What is shown has changed, or is being loaded, or cannot be.
        self.changed: Signal[[]] = Signal()
        #: Something that the person should read.
        self.told: Signal[[str]] = Signal()
        self._history, self._resolve, self._post = history, resolve, post
        self.store = store
        self.order = Order()
        self.loaded: Loaded | None = None
        self.failure = ""
        self._number = self._answered = 0
        self._worker: threading.Thread | None = None
        self._is_closed = False

    @property
    def is_loading(self) -> bool:
        """Whether what is shown is not yet what was asked for."""
        return self._answered != self._number

    def open(self, runs: Sequence[str], base: str | None = None) -> None:
        """Compare these runs, two to eight of them; a pinned one is the base unless one is named.

        What cannot be is told.
        """
        unique = tuple(dict.fromkeys(runs))
        if not FEWEST <= len(unique) <= MOST:
            count = len(unique)
            self.told.emit(f"{FEWEST} to {MOST} runs can be compared: {count} are chosen.")
            return
        self._take(Order(unique, base))

    def open_saved(self, name: str) -> None:
        """Show a saved comparison with the runs that are there."""
        saved = self.store.get(name)
        if saved is None:
            self.told.emit(f"There is no saved comparison {name!r}.")
            return
        try:
            runs, lost = still_there(self._history(), saved)
        except HistoryError as error:
            self.told.emit(str(error))
            return
        if len(runs) < FEWEST:
            self.told.emit(f"Of {name!r} fewer than two runs are left in the history.")
            return
        if lost:
            self.told.emit(f"{lost} of the runs of {name!r} were deleted.")
        ids = tuple(run.id for run in runs)
        base = saved.base if saved.base in ids else ids[0]
        self._take(Order(ids, base, name, saved.follows))

    def add(self, runs: Sequence[str]) -> None:
        """Put runs beside those that are shown."""
        self.open((*self.order.runs, *runs), self.order.base)

    def add_pinned(self) -> None:
        """Put the newest pinned run of the base's kernel beside the others, as their base."""
        loaded = self.loaded
        if loaded is None:
            return
        where = RunFilter(kernel=loaded.base.kernel, pinned=True)
        try:
            pinned = self._history().list(where, limit=MOST).runs
        except HistoryError as error:
            self.told.emit(str(error))
            return
        new = next((run for run in pinned if run.id not in self.order.runs), None)
        if new is None:
            self.told.emit(f"No other run of {loaded.base.kernel} is pinned as a baseline.")
        else:
            self.open((new.id, *self.order.runs), new.id)

    def remove(self, run_id: str) -> None:
        """Take a column away; two are the fewest."""
        rest = tuple(run for run in self.order.runs if run != run_id)
        if len(rest) < FEWEST:
            self.told.emit("A comparison has two columns at least.")
            return
        base = self.order.base if self.order.base != run_id else rest[0]
        self._take(Order(rest, base, self.order.name, self.order.follows))

    def move(self, run_id: str, by: int) -> None:
        """Move a column to the left or right."""
        runs = list(self.order.runs)
        at = runs.index(run_id)
        to = min(max(at + by, 0), len(runs) - 1)
        runs.insert(to, runs.pop(at))
        self._take(Order(tuple(runs), self.order.base, self.order.name, self.order.follows))

    def hold_against(self, run_id: str) -> None:
        """Make a column the one that the others are held against."""
        self._take(Order(self.order.runs, run_id, self.order.name, self.order.follows))

    def save(self, name: str, follows: bool = True) -> bool:
        """Keep what is shown under a name; False where it cannot be written, which is told."""
        order = self.order
        base = self.loaded.base.id if self.loaded is not None else order.base or order.runs[0]
        try:
            self.store.put(SavedComparison(name, order.runs, base, follows))
        except JsonFileError as error:
            self.told.emit(str(error))
            return False
        self.order = Order(order.runs, base, name, follows)
        self.changed.emit()
        return True

    def forget(self, name: str) -> None:
        """Remove a saved comparison; what it shows stays shown."""
        try:
            self.store.remove(name)
        except JsonFileError as error:
            self.told.emit(str(error))
            return
        if self.order.name == name:
            self.order = Order(self.order.runs, self.order.base)
        self.changed.emit()

    def refresh(self) -> None:
        """Load again, as runs came or were changed; one that follows takes newer runs."""
        if self.order.runs:
            self._take(self.order)

    def close(self) -> None:
        """Wait for what is being loaded, and load nothing more."""
        self._is_closed = True
        if self._worker is not None:
            self._worker.join()

    def _take(self, order: Order) -> None:
        self.order, self.failure = order, ""
        self._number += 1
        number = self._number
        before = self._worker

        def work() -> None:
            if before is not None:
                before.join()
            if number == self._number and not self._is_closed:
                answer = self._load(order)
                self._post(lambda: self._on_loaded(number, answer))

        self._worker = threading.Thread(target=work, name="comparison", daemon=True)
        self._worker.start()
        self.changed.emit()

    def _load(self, order: Order) -> Loaded | str:
        """What an order comes to; else why it cannot be shown: a thread that ends says nothing."""
        try:
            return load(self._history(), order, self._resolve)
        except (HistoryError, ComparisonError) as error:
            return str(error)
        except Exception as error:
            _log.exception("a comparison cannot be shown")
            return f"This comparison cannot be shown, {type(error).__name__}: {error}"

    def _on_loaded(self, number: int, answer: Loaded | str) -> None:
        if number != self._number:
            return
        self._answered = number
        if isinstance(answer, str):
            self.failure, self.loaded = answer, None
        else:
            self.loaded, self.order = answer, answer.order
        self.changed.emit()


def load(history: History, order: Order, resolve: Resolve) -> Loaded:
    """Read and compare the runs of an order, those that were deleted left out.

    Raises HistoryError and ComparisonError.
    """
    asked = tuple(history.get(run) for run in order.runs if history.holds(run))
    ids = [run.id for run in asked]
    base = order.base if order.base in ids else None
    if len(asked) < FEWEST:
        raise ComparisonError("Fewer than two of the runs are left in the history.")
    base = base or next((run.id for run in asked if run.pinned), asked[0].id)
    runs = followed(history, asked, base) if order.follows else asked
    shown = tuple(run.id for run in runs)
    found = compare_ids(history, shown, base)
    subject = chart_subject(history, found.runs, resolve, found.base)
    texts = tuple(_text(history, run) for run in found.runs)
    moved = tuple(
        column.letter
        for column, run in zip(subject.columns, asked, strict=True)
        if column.run.id != run.id
    )
    return Loaded(
        Order(shown, base, order.name, order.follows),
        found,
        subject,
        texts,
        comparison_view(found, subject, texts),
        comparison_view(found, subject, texts, is_complete=True),
        all_charts(subject),
        moved,
    )


def _text(history: History, run: Run) -> str | None:
    """The text that a run ran; None where it is not kept."""
    if run.text_blob is None:
        return None
    try:
        return history.blob(run.text_blob).decode("utf-8", "replace")
    except HistoryError:
        return None
