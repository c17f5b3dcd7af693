"""Measures the list of runs in the window with a history of 100,000 runs.

    python benchmarks/history.py [--runs 100000] [--frames 400] [--keep FOLDER]

How long it takes from asking for runs to their painted rows, for all runs and for several filters
(goal 300 ms), and how long each frame takes while the list is scrolled through further pages (goal
16 ms for the 95th percentile). With --keep the history is made once in that folder, which takes a
minute. Without a screen set QT_QPA_PLATFORM=offscreen.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

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


def first_rows(application: QApplication, pane: RunsPane, ask: Callable[[], None]) -> float:
    """Milliseconds from asking to the painted rows."""
    heard: list[bool] = []
    connection = pane._table.model().modelReset.connect(lambda: heard.append(True))
    start = time.perf_counter()
    ask()
    until(application, lambda: bool(heard))
    pane._table.viewport().repaint()
    took = (time.perf_counter() - start) * 1e3
    pane._table.model().disconnect(connection)
    return took


def frames(application: QApplication, pane: RunsPane, count: int) -> Iterator[tuple[float, float]]:
    """Milliseconds of each step of scrolling, with whatever arrives meanwhile.

    Those on the clock, and those that the window's thread itself computed: on a busy machine the
    rest went to other programs.
    """
    bar = pane._table.verticalScrollBar()
    for _ in range(count):
        start, used = time.perf_counter(), time.thread_time()
        bar.setValue(bar.value() + _SCROLLED)
        application.processEvents()  # the paint is among them
        took = (time.perf_counter() - start) * 1e3
        yield took, (time.thread_time() - used) * 1e3
        time.sleep(max(0.0, (FRAME_MS - took) / 1e3))


def measure(application: QApplication, workspace: Path, count: int) -> bool:
    """Print what was measured; whether the goals are met."""
    made = Application(application, workspace)
    made.show(())
    docks = made.window.docks
    start = time.perf_counter()
    docks.show("runs")
    pane = made.controller.panels.runs
    until(application, lambda: bool(pane.runs))
    pane._table.viewport().repaint()
    asked = {"open the list": (time.perf_counter() - start) * 1e3}

    def choose(field: str, value: object) -> Callable[[], None]:
        return lambda: pane._filter.choose(field, value, str(value))

    filters: dict[str, Callable[[], None]] = {
        "kernel": choose("kernel", "k7"),
        "and host": choose("host", "gpu2"),
        "any": pane._filter.clear,
        "common words": lambda: pane._search.setText("h200 k7"),
        "rare words": lambda: pane._search.setText("rare words"),
        "no run": lambda: pane._search.setText("nothing like it"),
        "all again": lambda: pane._search.setText(""),
    }
    for name, ask in filters.items():
        asked[name] = first_rows(application, pane, ask)
    for name, took in asked.items():
        print(f"{name:14} {took:6.0f} ms to first rows (goal {FIRST_ROWS_MS:.0f})")
    clock, own = zip(*frames(application, pane, count), strict=True)
    for name, taken in (("on the clock", sorted(clock)), ("of its own", sorted(own))):
        high = taken[int(len(taken) * 0.95)]
        middle = statistics.median(taken)
        print(f"scrolling      {middle:6.1f} ms a frame {name}, 95 % below {high:.1f} ms")
    print(f"               {len(pane.runs):,} rows loaded (goal {FRAME_MS:.0f} ms)")
    made.close()
    return max(asked.values()) <= FIRST_ROWS_MS and high <= FRAME_MS


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
