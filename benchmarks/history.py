"""Measures the list of runs in the window with a history of 100,000 runs.

    python benchmarks/history.py [--runs 100000] [--frames 400] [--keep FOLDER]

How long it takes from asking for runs to their painted rows, for all runs and for several filters
(goal 300 ms, the best of three), and how long each frame takes while the list is scrolled through
further pages (goal 16 ms for the 95th percentile of the time that the window's thread itself
computes). With --keep the history is made once in that folder, which takes a minute. Without a
screen set QT_QPA_PLATFORM=offscreen.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QApplication

from workbench.app import Application
from workbench.core.history import History
from workbench.core.history.schema import writing
from workbench.core.runs import Metric, MetricSource, Run, RunKind, RunStatus, new_run_id
from workbench.core.workspace import workspace_data
from workbench.session.recording.histories import open_history
from workbench.ui.panes.runs import RunsPane

FIRST_ROWS_MS, FRAME_MS = 300.0, 16.0
_METRICS = ("time_us", "time_us.p10", "time_us.p90", "tflops", "gb_s", "registers", "occupancy")
_HOSTS, _KERNELS, _TARGETS = 5, 40, ("h200", "a100", "mi300x")
_SCROLLED = 3  # rows a frame
_WINDOW, _HEIGHT = (1440, 900), 480
_ROUNDS, _REST_S = 3, 0.4


def a_run(number: int) -> Run:
    """A profile as the workbench files them, one a minute."""
    created = datetime(2026, 1, 1, tzinfo=timezone.utc) + timedelta(minutes=number)
    values = random.Random(number)
    metrics = {
        name: Metric(values.uniform(1, 100), "us", MetricSource.MEASURED, "cuda events")
        for name in _METRICS
    }
    return Run(
        new_run_id(created),
        created,
        RunKind.PROFILE,
        RunStatus.DONE if number % 17 else RunStatus.FAILED,
        document=f"kernels/k{number % _KERNELS}.py",
        kernel=f"k{number % _KERNELS}",
        case="square",
        args={"block_M": (64, 128)[number % 2], "N": number % 7},
        target=_TARGETS[number % len(_TARGETS)],
        host=f"gpu{number % _HOSTS}",
        device="NVIDIA H200",
        metrics=metrics,
        note="rare words" if number == _HOSTS else None,
    )


def fill(history: History, count: int) -> None:
    """Add runs until there are so many, in one transaction: only here is it done so."""
    there = history.count()
    with writing(history._database):
        for number in range(there, count):
            history._rows.insert(a_run(number))


def until(application: QApplication, done: Callable[[], bool]) -> None:
    """Let the window live until something is so."""
    while not done():
        application.processEvents()


class Painted(QObject):
    """Hears when the rows of the pane, or why there are none, were painted."""

    def __init__(self, pane: RunsPane) -> None:
        super().__init__(pane)
        self.count = 0
        for widget in (pane._table.viewport(), pane._empty):
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        self.count += event.type() == QEvent.Type.Paint
        return False


@dataclass(frozen=True)
class Taken:
    """Milliseconds on the clock, and of all threads of the program: on a busy machine the rest of
    the clock's went to other programs."""

    clock: float
    own: float


def first_rows(
    application: QApplication, pane: RunsPane, painted: Painted, ask: Callable[[], None]
) -> Taken:
    """What it takes from asking to the painted rows."""
    told: list[int] = []
    connection = pane._table.model().modelReset.connect(lambda: told.append(painted.count))
    start, used = time.perf_counter(), time.process_time()
    ask()
    until(application, lambda: bool(told) and painted.count > told[0])
    took = Taken((time.perf_counter() - start) * 1e3, (time.process_time() - used) * 1e3)
    pane._table.model().disconnect(connection)
    rest(application)
    return took


def rest(application: QApplication) -> None:
    """Let what goes on beside the rows, as counting them, come to its end."""
    end = time.perf_counter() + _REST_S
    until(application, lambda: time.perf_counter() > end)


def frames(application: QApplication, pane: RunsPane, count: int) -> Iterator[Taken]:
    """Each step of scrolling, with whatever arrives meanwhile."""
    bar = pane._table.verticalScrollBar()
    for _ in range(count):
        start, used = time.perf_counter(), time.thread_time()
        bar.setValue(bar.value() + _SCROLLED)
        application.processEvents()  # the paint of this step, or of the last, is among them
        took = (time.perf_counter() - start) * 1e3
        yield Taken(took, (time.thread_time() - used) * 1e3)
        time.sleep(max(0.0, (FRAME_MS - took) / 1e3))


def questions(pane: RunsPane) -> dict[str, Callable[[], None]]:
    """What a person asks for, one after another; the last leads back to the first."""

    def choose(field: str, value: object) -> Callable[[], None]:
        return lambda: pane._filter.choose(field, value, str(value))

    def search(words: str) -> Callable[[], None]:
        return lambda: pane._search.setText(words)

    return {
        "kernel": choose("kernel", "k7"),
        "and host": choose("host", "gpu2"),
        "any": pane._filter.clear,
        "pinned": choose("pinned", True),
        "any again": pane._filter.clear,
        "common words": search("h200 k7"),
        "rare words": search("rare words"),
        "no run": search("nothing like it"),
        "all again": search(""),
    }


def measure(application: QApplication, workspace: Path, count: int) -> bool:
    """Print what was measured; whether the goals are met."""
    made = Application(application, workspace)
    # No worker, which loads compilers, takes the processor from what is measured.
    made.session.jobs.warm = lambda *_: None  # type: ignore[method-assign]
    begun: list[bool] = []  # what a start puts off is none of what is measured
    made.controller.starting.loaded.connect(lambda: begun.append(True))
    made.show(())
    made.window.resize(*_WINDOW)
    until(application, lambda: bool(begun))
    rest(application)
    docks = made.window.docks
    start, used = time.perf_counter(), time.process_time()
    docks.show("runs")
    pane = made.controller.panels.runs
    painted = Painted(pane)
    until(application, lambda: bool(pane.runs) and painted.count > 0)
    opened = Taken((time.perf_counter() - start) * 1e3, (time.process_time() - used) * 1e3)
    made.window.resizeDocks([docks["runs"]], [_HEIGHT], Qt.Orientation.Vertical)
    rest(application)
    asked = {"open the list": [opened]}
    for _ in range(_ROUNDS):
        for name, ask in questions(pane).items():
            asked.setdefault(name, []).append(first_rows(application, pane, painted, ask))
    for name, taken in asked.items():
        clock, own = min(each.clock for each in taken), min(each.own for each in taken)
        middle = statistics.median(each.clock for each in taken)
        print(
            f"{name:14} {clock:5.0f} ms to first rows, {own:4.0f} of its own; median {middle:.0f}"
        )
    found = list(frames(application, pane, count))
    for name in ("clock", "own"):
        each = sorted(getattr(taken, name) for taken in found)
        middle, high = statistics.median(each), each[int(len(each) * 0.95)]
        print(f"{'a frame':14} {middle:5.1f} ms, 95 % below {high:.1f} ms ({name})")
    print(f"{len(pane.runs):,} rows loaded; goals {FIRST_ROWS_MS:.0f} and {FRAME_MS:.0f} ms")
    made.close()
    slowest = max(min(each.clock for each in taken) for taken in asked.values())
    return slowest <= FIRST_ROWS_MS and high <= FRAME_MS


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 where the goals are met."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--frames", type=int, default=400)
    parser.add_argument("--keep", type=Path, metavar="FOLDER")
    options = parser.parse_args(arguments)
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    with tempfile.TemporaryDirectory() as folder:
        workspace = options.keep or Path(folder)
        (workspace / ".git").mkdir(parents=True, exist_ok=True)
        with open_history(workspace) as history:
            fill(history, options.runs)
            print(f"{history.count():,} runs in {workspace_data(workspace)}")
        return 0 if measure(application, workspace, options.frames) else 1


if __name__ == "__main__":
    sys.exit(main())
