"""One run of the kernels' benchmark: which profiles are made in which order, and what is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import kernel_results as results
from kernel_profiles import Clock, Profiled, Task, run_tasks
from kernel_results import Plain
from kernel_rows import Further, Row

Keep = Callable[[], object]


@dataclass(frozen=True)
class Way:
    """How profiles are made: where, how many are in work at a time, on how many GPUs, until when.

    Rows are timed on the first GPU. With a second one, further baselines and counters are measured
    there meanwhile.
    """

    place: str
    jobs: int
    clock: Clock
    devices: int = 1
    counters: bool = False


@dataclass
class Run:
    """Makes the profiles of rows; everything is handed to `keep` as soon as it is known."""

    rows: Sequence[Row]
    way: Way
    keep: Keep
    problems: list[str] = field(default_factory=list)
    _plain: Mapping[str, Any] | None = None
    _known: dict[str, Plain] = field(default_factory=dict)
    _others: dict[tuple[str, str], Plain] = field(default_factory=dict)
    _bounds: dict[str, str] = field(default_factory=dict)
    _failed: dict[str, str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _timed: threading.Event = field(default_factory=threading.Event)

    def measure(self) -> None:
        """Time all rows; those with a goal come first, then what tells more of them."""
        beside = (
            threading.Thread(target=self._beside, daemon=True) if self.way.devices > 1 else None
        )
        if beside is not None:
            beside.start()
        ordered = sorted(self.rows, key=lambda row: row.goal is None)
        first, *others = [Task(row, ceilings=at == 0) for at, row in enumerate(ordered)]
        self._phase([first])
        self._phase([task for task in others if task.row.goal is not None])
        self._timed.set()
        if beside is None:
            self._tell_more(0)
            self._phase([task for task in others if task.row.goal is None])
        else:
            self._phase([task for task in others if task.row.goal is None])
            beside.join()
            self._tell_more(0)  # what did not come about on the second GPU
        self.problems += [f"{label}: {why}" for label, why in self._failed.items()]

    def count(self, known: Iterable[Plain]) -> None:
        """Read the counters of rows that were timed before."""
        self._known = {f"{row['name']}, {row['shape']}": row for row in known}
        self._count(0)
        self.problems += [f"{label}: {why}" for label, why in self._failed.items()]

    def assembled(self) -> list[Plain]:
        """The rows as far as they are known, in their order."""
        found = [self._known[row.title] for row in self.rows if row.title in self._known]
        return [self._whole(plain) for plain in found]

    @property
    def last(self) -> Mapping[str, Any] | None:
        """One of the profiles, for what they have in common."""
        return self._plain

    def _beside(self) -> None:
        """What the second GPU does while rows are timed on the first."""
        tasks = self._further(1, lambda further: True)
        self._phase(tasks[:1])  # which measures that GPU's ceilings
        self._phase(tasks[1:])
        self._timed.wait()
        self._count(1)

    def _tell_more(self, device: int) -> None:
        """What a row has to be above always, what bounds it, and further baselines."""
        self._phase(self._further(device, lambda further: not further.is_compiled))
        self._count(device)
        self._phase(self._further(device, lambda further: further.is_compiled))
        self._count(device)

    def _further(self, device: int, wanted: Callable[[Further], bool]) -> list[Task]:
        return [
            Task(row, further=each, device=device)
            for row in self.rows
            for each in row.further
            if wanted(each) and (row.title, each.name) not in self._others
        ]

    def _count(self, device: int) -> None:
        if self.way.counters:
            titles = {
                f"{plain['name']}, {plain['shape']}"
                for plain in self.assembled()
                if results.is_under(plain, "goal") and not plain["bound"]
            }
            rows = [row for row in self.rows if row.title in titles]
            self._phase([Task(row, counters=True, device=device) for row in rows])

    def _phase(self, tasks: Sequence[Task]) -> None:
        way = self.way
        for found in run_tasks(tasks, way.place, way.jobs, way.clock):
            with self._lock:
                self._take(found)

    def _take(self, found: Profiled) -> None:
        task, title = found.task, found.task.row.title
        self._failed.pop(task.label, None)
        if found.problem is not None:
            self._failed[task.label] = found.problem
        elif task.further is not None:
            self._others[title, task.further.name] = results.other_of(found)
        elif task.counters:
            self._take_bound(found)
        else:
            self._plain = found.plain
            self._known[title] = results.row_of(task.row, found)
        print(f"{_state(found):>18}  {task.label}  [{self.way.clock.spent():.0f} s]", flush=True)
        self.keep()

    def _take_bound(self, found: Profiled) -> None:
        bound = results.bound_of(found)
        if bound is not None:
            self._bounds[found.task.row.title] = bound
        else:
            why = found.plain["missing"].get("counters", "nothing was counted")
            self._failed[found.task.label] = why

    def _whole(self, plain: Plain) -> Plain:
        """A row with what was measured of it besides."""
        title = f"{plain['name']}, {plain['shape']}"
        mine = {name: each for (row, name), each in self._others.items() if row == title}
        kept = [each for each in plain["others"] if each["name"] not in mine]
        bound = self._bounds.get(title, plain["bound"])
        return {**plain, "others": [*kept, *mine.values()], "bound": bound}


def _state(found: Profiled) -> str:
    if found.problem is not None:
        return f"failed ({found.problem[:80]})"
    if found.task.counters:
        return results.bound_of(found) or "not counted"
    baseline = found.plain["baseline"]
    time_us = f"{found.plain['latency']['median_us']:,.1f} µs"
    if found.plain["verified"] is False:
        return f"{time_us} WRONG"
    return time_us if baseline is None else f"{time_us}  {baseline['ratio']:.3f}"
