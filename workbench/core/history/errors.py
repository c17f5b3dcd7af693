"""The errors of the history, and how those of SQLite and of the file system are told as such."""

from __future__ import annotations

import contextlib
import errno
import sqlite3
from collections.abc import Iterator
from pathlib import Path


class HistoryError(Exception):
    """The history cannot do what was asked; the message says what, where and what next."""


class RunNotFoundError(HistoryError):
    """No run has the id, or an id that begins so."""


class AmbiguousRunError(HistoryError):
    """The ids of several runs begin so."""


class CorruptRunError(HistoryError):
    """The row of one run cannot be read; the others are not touched by that."""


class HistoryBusyError(HistoryError):
    """Another process is writing to the file, and went on longer than one waited."""


class BlobMissingError(HistoryError):
    """A text or artifact is not stored (any more), or its file is damaged."""


_FULL = "the disk is full", "free some space, or lower the history quota in the settings"
_LOCKED = (
    "another process is writing to it",
    "wait for that to end, or close the other workbench, and try again",
)
_READ_ONLY = (
    "it may not be written",
    "make the folder and the files in it writable for you, or set TILELANG_WORKBENCH_DATA",
)
_DAMAGED = (
    "the file is damaged or no history",
    "move it aside (a new one is made), or put a copy in its place",
)
_TOO_LARGE = (
    "a file may not grow further",
    "raise the limit on the size of files (ulimit -f), or move the workspace to another disk",
)
_DISK = "the disk reports an error", "check the disk and its connection, then try again"
_CANNOT_OPEN = (
    "the file cannot be opened or made",
    "check that its folder exists and that you may read and write there",
)

SQLITE_BUSY = 5

#: Primary result codes of SQLite (https://www.sqlite.org/rescode.html): what happened, what next.
_SQLITE: dict[int, tuple[str, str]] = {
    SQLITE_BUSY: _LOCKED,
    6: _LOCKED,  # SQLITE_LOCKED
    8: _READ_ONLY,  # SQLITE_READONLY
    10: _DISK,  # SQLITE_IOERR
    11: _DAMAGED,  # SQLITE_CORRUPT
    13: _FULL,  # SQLITE_FULL
    14: _CANNOT_OPEN,  # SQLITE_CANTOPEN
    26: _DAMAGED,  # SQLITE_NOTADB
}

_OS: dict[int | None, tuple[str, str]] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _TOO_LARGE,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.EROFS: _READ_ONLY,
    errno.EIO: _DISK,
}


@contextlib.contextmanager
def explained(action: str, path: Path) -> Iterator[None]:
    """Turn an error of SQLite or the file system met inside into a `HistoryError`."""
    try:
        yield
    except sqlite3.Error as error:
        known = _SQLITE.get(primary_code(error))
        kind = HistoryBusyError if known is _LOCKED else HistoryError
        raise kind(_message(action, path, known, error)) from error
    except OSError as error:
        place = Path(error.filename) if isinstance(error.filename, str) else path
        raise HistoryError(_message(action, place, _OS.get(error.errno), error)) from error


def primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code of `error`, 0 where Python gives none."""
    code: int = getattr(error, "sqlite_errorcode", 0)  # not before Python 3.11
    return code & 0xFF


def _message(action: str, path: Path, known: tuple[str, str] | None, error: Exception) -> str:
    if known is None:
        return f"The history could not {action}: {error} ({path}). Check the file and try again."
    happened, cure = known
    return f"The history could not {action}: {happened} ({path}; {error}). What to do: {cure}."
