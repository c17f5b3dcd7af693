"""A lock on a folder that the system releases when its process ends, on every platform."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.core.file_locks import lock_file

LOCK_NAME = "lock"


class FolderLock:
    """The lock of one folder, in its file `lock`; one process at a time holds it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._file: int | None = None

    def acquire(self) -> bool:
        """Take the lock; False where another holds it, or the folder cannot be written."""
        try:
            file = os.open(self.folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError:
            return False
        try:
            lock_file(file)
        except OSError:
            os.close(file)
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Let go of the lock, where it is held."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)  # which releases it
