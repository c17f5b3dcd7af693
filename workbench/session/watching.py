"""Tells whether a document's file was changed or deleted by somebody else."""

from __future__ import annotations

import enum
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from workbench.session.recovery import digest

# A file written twice within one tick of the file system's clock keeps its time. FAT has the
# coarsest clock that is met, of two seconds.
TICK_NANOSECONDS = 2_000_000_000


class ChangeKind(enum.Enum):
    """What happened to a file."""

    CHANGED = "changed"
    DELETED = "deleted"


@dataclass(frozen=True)
class FileChange:
    """A file that is not as it was known; `content` is what is in it now."""

    kind: ChangeKind
    content: bytes | None = None


@dataclass(frozen=True)
class _Known:
    """A file as it was read; `is_sure`: a later write would have another time."""

    mtime_ns: int
    size: int
    digest: str
    is_sure: bool


class FileWatch:
    """Compares one file with the content that was last read from it or written to it."""

    def __init__(
        self, path: Path, content: bytes, now_ns: Callable[[], int] = time.time_ns
    ) -> None:
        self.path = path
        self._now_ns = now_ns
        self._known: _Known | None = None
        self._digest = ""
        self.accept(content)

    def accept(self, content: bytes) -> None:
        """Take this content for the known one, after reading, saving, or a person's decision."""
        self._digest = digest(content)
        self._known = None

    def check(self) -> FileChange | None:
        """Compare the file; None where it holds what is known.

        Reads the file only where its time or size has changed, or its time is too new to tell.
        A change is told until `accept`. Raises OSError where the file cannot be read.
        """
        try:
            status = self.path.stat()
            if self._is_known(status):
                return None
            content = self.path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return FileChange(ChangeKind.DELETED)
        found = digest(content)
        if found != self._digest:
            return FileChange(ChangeKind.CHANGED, content)
        self._remember(status, found)
        return None

    def _is_known(self, status: os.stat_result) -> bool:
        known = self._known
        return (
            known is not None
            and known.is_sure
            and known.digest == self._digest
            and (known.mtime_ns, known.size) == (status.st_mtime_ns, status.st_size)
            and stat.S_ISREG(status.st_mode)
        )

    def _remember(self, status: os.stat_result, found: str) -> None:
        is_sure = self._now_ns() - status.st_mtime_ns > TICK_NANOSECONDS
        self._known = _Known(status.st_mtime_ns, status.st_size, found, is_sure)
