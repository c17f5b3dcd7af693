"""A sweep of the command line as a process of a test, and what the machine runs meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import psutil

ROOT = Path(__file__).parents[2]
VARIED = ("block_M=4,8,16,32",)
POINTS = 4
_PATIENCE_SECONDS = 300.0

T = TypeVar("T")


class SweepProcess:
    """A sweep of the shipped addition over `POINTS` points, which needs no GPU."""

    def __init__(
        self, folder: Path, scheduler: str, environment: Mapping[str, str] | None = None
    ) -> None:
        document = folder / "add.py"
        shutil.copy(ROOT / "kernels" / "elementwise_add.py", document)
        words = [word for axis in VARIED for word in ("--vary", axis)]
        self.log = folder / "log"
        where = ["--on", "none", "--scheduler", scheduler, "--workspace", str(folder), "--json"]
        command = [sys.executable, "-m", "workbench", "sweep", str(document), *words, *where]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [*command, "--target", "h200"],
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=ROOT,
                env={**os.environ, **(environment or {})},
            )

    def result(self) -> dict[str, Any]:
        """What it printed in the end."""
        out, _ = self.process.communicate()
        assert self.process.returncode == 0, out.decode() + self.log.read_text()
        told: dict[str, Any] = json.loads(out)
        return told

    def wait_for(self, look: Callable[[], T | None]) -> T:
        """What `look` finds while the sweep runs."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while time.monotonic() < end and self.process.poll() is None:
            if found := look():
                return found
            time.sleep(0.1)
        raise AssertionError(self.log.read_text())


def within(look: Callable[[], bool]) -> bool:
    """Whether something becomes true before patience ends."""
    end = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < end:
        if look():
            return True
        time.sleep(0.1)
    return False


def below(pid: int, word: str = "") -> list[psutil.Process]:
    """The processes that a process started, whose command has a word."""
    found = []
    try:
        for process in psutil.Process(pid).children(recursive=True):
            try:
                if process.status() != psutil.STATUS_ZOMBIE and word in " ".join(process.cmdline()):
                    found.append(process)
            except psutil.NoSuchProcess:
                continue
    except psutil.NoSuchProcess:
        return found
    return found


def listening(processes: list[psutil.Process]) -> set[str]:
    """The addresses on which processes listen for TCP."""
    return {
        connection.laddr.ip
        for process in processes
        for connection in process.net_connections("tcp")
        if connection.status == psutil.CONN_LISTEN
    }
