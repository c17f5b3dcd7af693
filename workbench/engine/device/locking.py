"""The lock that stands for a GPU, the same for every process and user of a machine.

It needs no torch: whoever measures on a GPU by other means can take it too.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from workbench.core.file_locks import lock_file
from workbench.core.profiles import DeviceInfo

_POLL_SECONDS = 0.2


class LockError(Exception):
    """The lock cannot be opened; the message says why and what to do."""


def lock_path(device: DeviceInfo) -> Path:
    """The file whose lock stands for a device."""
    name = device.uuid or f"device-{device.index}"
    return Path(tempfile.gettempdir(), f"tilelang-workbench-{name}.lock")


@contextlib.contextmanager
def locked(path: Path, device: str, report: Callable[[str], None]) -> Iterator[None]:
    """The lock of a file for the block; while another process holds it, that is reported.

    Raises LockError where the file cannot be opened.
    """
    file = _opened(path, device)
    try:
        _wait_for(file, device, report)
        yield
    finally:
        os.close(file)  # which releases it


def _opened(path: Path, device: str) -> int:
    """The file, which another user may have made: reading is enough for a lock."""
    try:
        with contextlib.suppress(FileNotFoundError):
            return os.open(path, os.O_RDONLY)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        why = error.strerror or str(error)
        message = f"the lock of {device} cannot be opened: {path}: {why}. Remove it, or set TMPDIR"
        raise LockError(message) from error


def _wait_for(file: int, device: str, report: Callable[[str], None]) -> None:
    is_told = False
    while True:
        try:
            lock_file(file)
            return
        except OSError:
            if not is_told:
                report(f"waiting for {device}, on which another job runs")
                is_told = True
            time.sleep(_POLL_SECONDS)
