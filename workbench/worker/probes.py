"""Looks at the worker's machine in a process of its own, as drivers and torch can hang or die."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.core.jobs import Failure
from workbench.worker import processes

PROBE_SECONDS = 150.0  # the first import of torch from a cold network disk takes a minute


@dataclass(frozen=True)
class Probed:
    """The end of a probe: `found` is what probing.py printed, or `failure` says why not."""

    job: str
    found: Any = None
    failure: Failure | None = None


class Prober:
    """The probes that run; each puts one `Probed` into the inbox, unless it was stopped."""

    def __init__(self, inbox: Callable[[Probed], None]) -> None:
        self._inbox = inbox
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, job: str) -> None:
        """Begin one."""
        process = processes.start_module("workbench.worker.probing", processes.environment())
        self._running[job] = process
        threading.Thread(target=self._wait, args=(job, process), daemon=True).start()

    def stop(self, job: str) -> bool:
        """End one unheard; False where there is none of that job."""
        process = self._running.pop(job, None)
        if process is not None:
            processes.kill_tree(process)
        return process is not None

    def finish(self, probed: Probed) -> bool:
        """Note an end; False where the probe was stopped meanwhile."""
        return self._running.pop(probed.job, None) is not None

    def stop_all(self) -> None:
        """End all of them."""
        for job in list(self._running):
            self.stop(job)

    def _wait(self, job: str, process: subprocess.Popen[bytes]) -> None:
        try:
            out, err = process.communicate(timeout=PROBE_SECONDS)
            probed = _read(job, process.returncode, out, err)
        except subprocess.TimeoutExpired:
            processes.kill_tree(process)
            process.communicate()
            message = f"looking at the machine took longer than {PROBE_SECONDS:g} s"
            probed = Probed(job, failure=Failure("environment", message))
        self._inbox(probed)


def _read(job: str, status: int, out: bytes, err: bytes) -> Probed:
    try:
        return Probed(job, json.loads(out))
    except ValueError:
        raw = err.decode("utf-8", "replace")
        message = f"{sys.executable} could not look at the machine: it ended with status {status}"
        return Probed(job, failure=Failure("environment", message, raw))
