"""Runs Nsight Compute within a time limit, and ends it with all that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_ENDING_SECONDS = 10


class RefusedError(Exception):
    """No counters can be read; the message is one sentence on why, and what to change."""


@dataclass(frozen=True)
class Finished:
    """How a program ended, and all that it printed; `status` is None where it was ended."""

    status: int | None
    output: str


def run_within(
    command: Sequence[str], seconds: float, environment: Mapping[str, str] | None = None
) -> Finished:
    """Run a program to its end or its limit; raises RefusedError where it cannot be started.

    It stays in this process's group, so that it is ended with it. What it prints goes to a file:
    a pipe would be kept open by what is left of it.
    """
    with tempfile.TemporaryFile() as printed:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.STDOUT,
                env=None if environment is None else dict(environment),
            )
        except OSError as error:
            raise RefusedError(f"{Path(command[0]).name} cannot be run: {error}") from error
        status: int | None
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if process.poll() is None:
                _end(process)
        printed.seek(0)
        return Finished(status, printed.read().decode("utf-8", "replace"))


def _end(process: subprocess.Popen[bytes]) -> None:
    if sys.platform == "win32":
        command = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
        subprocess.run(command, capture_output=True, check=False)
    else:
        for pid in [*_descendants(process.pid), process.pid]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    process.wait(_ENDING_SECONDS)


def _descendants(pid: int) -> Iterator[int]:
    """The processes that a process started and that still run, nearest first (Linux)."""
    todo = [pid]
    while todo:
        children: list[int] = []
        with contextlib.suppress(OSError):
            for task in Path("/proc", str(todo.pop()), "task").iterdir():
                children += map(int, (task / "children").read_text().split())
        yield from children
        todo += children
