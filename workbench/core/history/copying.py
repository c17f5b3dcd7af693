"""Copies a history's rows for somebody who may not write to it."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from workbench.core.history.errors import explained


def copy_rows(source: Path, target: Path) -> None:
    """Copy the rows of the history `source` to `target`, as they are now, without blobs.

    A missing source leaves no target. Raises HistoryError.
    """
    if not source.is_file():
        return
    with (
        explained("copy the history", source),
        contextlib.closing(sqlite3.connect(f"file:{source}?mode=ro", uri=True)) as theirs,
        contextlib.closing(sqlite3.connect(target)) as ours,
    ):
        theirs.backup(ours)
