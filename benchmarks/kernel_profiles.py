"""Runs the product's `profile` for rows: several at a time, of which one has the GPU.

A profile loads its packages and compiles before it takes the GPU, which one of them holds at a time
(`workbench/engine/device/holding.py`): started together they cost the time on the GPU alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernel_rows import Further, Row

from workbench.core.documents.reading import read_document

ROOT = Path(__file__).resolve().parents[1]
JOB_SECONDS = 170  # waiting for the GPU included
_MEMORY_GIB = 48  # of a job: inputs are made in float32 before they are rounded
_LEAST_SECONDS = 15  # with less left a profile is not begun
_END_SECONDS = 5


@dataclass(frozen=True)
class Task:
    """One profile: a row beside the case's baseline, or beside one more; or its counters alone."""

    row: Row
    further: Further | None = None
    counters: bool = False
    ceilings: bool = False
    device: int = 0

    @property
    def label(self) -> str:
        """What a line of progress calls it."""
        beside = f" beside {self.further.name}" if self.further else ""
        return f"{self.row.title}{beside}{' (counters)' if self.counters else ''}"


@dataclass(frozen=True)
class Profiled:
    """A task and its profile as `profile --json` tells it; `problem` says why there is none."""

    task: Task
    plain: Mapping[str, Any]
    problem: str | None = None


class Clock:
    """What is left of the seconds that a run may take; None is no end."""

    def __init__(self, budget: float | None) -> None:
        self._begun = time.monotonic()
        self._end = None if budget is None else self._begun + budget

    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._begun

    def left(self) -> float:
        """Seconds until the end."""
        return float("inf") if self._end is None else self._end - time.monotonic()


def run_tasks(
    tasks: Sequence[Task], place: str, jobs: int, clock: Clock, extra: Sequence[str] = ()
) -> Iterator[Profiled]:
    """Every task's profile as they come; `jobs` are in work at a time."""
    with ThreadPoolExecutor(max_workers=jobs) as pool:
        futures = [pool.submit(run_task, task, place, clock, extra) for task in tasks]
        for future in as_completed(futures):
            yield future.result()


def run_task(task: Task, place: str, clock: Clock, extra: Sequence[str] = ()) -> Profiled:
    """One profile in a process of its own."""
    if clock.left() < _LEAST_SECONDS:
        return Profiled(task, {}, "no time was left for it")
    with tempfile.TemporaryDirectory(prefix="kernels-") as folder:
        path = _document(task, Path(folder))
        seconds = min(JOB_SECONDS, clock.left())
        command = [*_command(task, path, place, seconds), *extra]
        with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
            ended = _run(command, out, errors, seconds + _END_SECONDS)
            texts = _text(out), _text(errors)
    return _read(task, *texts) if ended else Profiled(task, {}, f"it took over {seconds:.0f} s")


def _document(task: Task, folder: Path) -> Path:
    """The row's document, or a copy that one more baseline was put behind."""
    path = ROOT / task.row.file
    if task.further is None:
        return path
    document = read_document(path)
    case = next(case for case in document.metadata.cases if case.name == task.row.case)
    code = task.further.code.replace("{baseline}", case.baseline or "ref_program")
    copy = folder / path.name
    copy.write_text(f"{document.text.rstrip()}\n\n\n{code}", encoding="utf-8")
    return copy


def _command(task: Task, path: Path, place: str, seconds: float) -> list[str]:
    command = [sys.executable, "-m", "workbench", "profile", str(path), "--json", "--no-prediction"]
    command += ["--case", task.row.case, "--on", place, "--timeout", f"{max(1, int(seconds))}"]
    command += ["--memory", f"{_MEMORY_GIB}", "--device", f"{task.device}"]
    for name, value in task.row.args.items():
        command += ["--set", f"{name}={value}"]
    if task.further is not None:
        command += ["--baseline", task.further.function, "--no-check"]
    if task.counters:  # the time was taken before
        command += ["--full", "--no-check", "--baseline", "none"]
    return [*command, *(["--measure-ceilings"] if task.ceilings else [])]


def _run(command: Sequence[str], out: Any, errors: Any, seconds: float) -> bool:
    """Whether a process ended by itself in time; it is interrupted else, which ends its worker."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    with subprocess.Popen(command, stdout=out, stderr=errors, env=environment) as process:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
            return True
        process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_SECONDS)
            return False
        process.kill()
        return False


def _text(stream: Any) -> str:
    stream.seek(0)
    text: str = stream.read()
    return text


def _read(task: Task, out: str, errors: str) -> Profiled:
    try:
        told = json.loads(out)
        plain = next(iter(told["results"]), None)
    except (ValueError, KeyError):
        last = next((line for line in reversed(errors.splitlines()) if line.strip()), "no output")
        return Profiled(task, {}, last)
    if plain is None:
        return Profiled(task, {}, str(told["error"]["message"]))
    return Profiled(task, plain, _problem(task, plain))


def _problem(task: Task, plain: Mapping[str, Any]) -> str | None:
    if plain.get("error"):
        return str(plain["error"]["message"])
    if not task.counters and plain.get("latency") is None:
        return "no time was measured"
    return None
