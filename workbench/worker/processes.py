"""Starting, measuring and killing an executor together with the processes it started.

Standard library only: a supervisor runs where nothing of ours but this package is installed.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from workbench.core.python_path import python_path

_LINUX = sys.platform.startswith("linux")
_WINDOWS = sys.platform == "win32"
_PAGE_BYTES = 4096 if _WINDOWS else os.sysconf("SC_PAGE_SIZE")


def start_executor(environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """An executor process with pipes for input, output and errors, leading its own group."""
    return start_module("workbench.worker.executor", environment)


def start_module(module: str, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """A process of this Python that runs a module of ours, with pipes, leading its own group."""
    flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return subprocess.Popen(
        [sys.executable, "-u", "-m", module],
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        creationflags=flags,
        start_new_session=not _WINDOWS,
    )


def environment() -> dict[str, str]:
    """This process's environment, made so that Python finds our code and speaks UTF-8."""
    return {**os.environ, "PYTHONPATH": python_path(), "PYTHONIOENCODING": "utf-8"}


def executor_environment(scratch: Path) -> dict[str, str]:
    """This process's environment, made so that the executor finds our code and its own folders."""
    return {
        **environment(),
        "TILELANG_PRINT_ON_COMPILATION": "0",
        "TILELANG_CACHE_DIR": str(scratch / "tilelang"),
        "TILELANG_WORKBENCH_SCRATCH": str(scratch),
    }


def kill_tree(process: subprocess.Popen[bytes]) -> None:
    """End the executor and everything in its group at once; no error where it is gone already."""
    if _WINDOWS:
        command = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
        subprocess.run(command, capture_output=True, check=False)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def resident_bytes(pid: int) -> int | None:
    """Resident memory of a process and its descendants in bytes; None where it cannot be told."""
    if _LINUX:
        return _linux_resident(pid)
    return _ps_resident(pid) if not _WINDOWS else None


def _linux_resident(pid: int) -> int | None:
    total, found, todo = 0, False, [pid]
    while todo:
        process = Path("/proc", str(todo.pop()))
        with contextlib.suppress(OSError, ValueError, IndexError):
            total += int((process / "statm").read_text().split()[1]) * _PAGE_BYTES
            found = True
            for task in (process / "task").iterdir():
                todo.extend(int(child) for child in (task / "children").read_text().split())
    return total if found else None


def _ps_resident(pid: int) -> int | None:
    command = ["ps", "-o", "rss=", "-p", str(pid)]
    text = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return int(text) * 1024 if text.isdigit() else None


def signal_name(returncode: int | None) -> str | None:
    """The name of the signal that ended a process ("SIGSEGV"), or None where it exited."""
    if returncode is None or returncode >= 0:
        return None
    try:
        return signal.Signals(-returncode).name
    except ValueError:
        return f"signal {-returncode}"
