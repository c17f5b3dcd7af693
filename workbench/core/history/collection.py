"""What is removed when the stored texts and artifacts outgrow the quota, and in which order."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workbench.core.history.blobs import BlobFiles

#: A collection goes down to this part of the quota, so that not every run has to collect.
_TARGET_FRACTION = 0.9

_UNMARKED = """
SELECT hash, stored_bytes FROM blobs
WHERE NOT EXISTS (
    SELECT 1 FROM run_blobs JOIN runs ON runs.id = run_blobs.run_id
    WHERE run_blobs.hash = blobs.hash AND runs.protected)
"""
# Those of no run go first, then those of the runs that nobody marked, the oldest first in both.
_CANDIDATES = f"""{_UNMARKED}
ORDER BY EXISTS (SELECT 1 FROM run_blobs WHERE run_blobs.hash = blobs.hash), used_us, hash
"""


_KEPT = """
SELECT count(*), coalesce(sum(stored_bytes), 0) FROM blobs
WHERE EXISTS (
    SELECT 1 FROM run_blobs JOIN runs ON runs.id = run_blobs.run_id
    WHERE run_blobs.hash = blobs.hash AND runs.protected)
"""


@dataclass(frozen=True)
class CleanUp:
    """What going down to a size would free, in bytes on the disk, and what stays whatever is done.

    `runs` lose a text or an artifact and stay in the list. What is kept is that of `kept_runs`,
    which are pinned or tagged.
    """

    stored_bytes: int
    blobs: int
    freed_bytes: int
    runs: int
    kept_runs: int
    kept_bytes: int


def plan(database: sqlite3.Connection, size_bytes: int) -> CleanUp:
    """Tell what `collect` would do to go down to a size, without doing it."""
    stored = stored_bytes(database)
    chosen = candidates(database, size_bytes)
    names, freed = json.dumps([name for name, _ in chosen]), sum(size for _, size in chosen)
    losing = database.execute(
        "SELECT count(DISTINCT run_id) FROM run_blobs "
        "WHERE hash IN (SELECT value FROM json_each(?))",
        (names,),
    ).fetchone()[0]
    kept_runs = database.execute("SELECT count(*) FROM runs WHERE protected").fetchone()[0]
    kept_bytes = database.execute(_KEPT).fetchone()[1]
    return CleanUp(stored, len(chosen), freed, int(losing), int(kept_runs), int(kept_bytes))


def candidates(database: sqlite3.Connection, size_bytes: int) -> list[tuple[str, int]]:
    """Return what goes to come down to a size, in its order: hashes and bytes on the disk."""
    excess = stored_bytes(database) - size_bytes
    chosen: list[tuple[str, int]] = []
    for name, size in database.execute(_CANDIDATES):
        if excess <= 0:
            break
        chosen.append((name, size))
        excess -= size
    return chosen


def remove_some(database: sqlite3.Connection, files: BlobFiles, names: Sequence[str]) -> int:
    """Remove those of a few candidates that nobody has marked since; return the bytes freed."""
    freed = 0
    for wanted in names:
        for name, size in database.execute(f"{_UNMARKED} AND hash = ?", (wanted,)).fetchall():
            freed += size if _remove(database, files, name) else 0
    return freed


def stored_bytes(database: sqlite3.Connection) -> int:
    """Return the bytes on the disk that the blobs take, packed."""
    return int(database.execute("SELECT stored_bytes FROM totals").fetchone()[0])


def collect(
    database: sqlite3.Connection,
    files: BlobFiles,
    quota_bytes: int,
    keep: Collection[str] = (),
) -> int:
    """Remove blobs, where they exceed the quota, down to a fraction of it; return the bytes freed.

    Those of pinned or tagged runs and those in `keep` stay, be the quota exceeded or not. Runs
    at the write lock's holder: the files go before the rows, so that a crash leaves a row without
    its file (told when it is read, healed when it is stored anew), never the reverse.
    """
    excess = stored_bytes(database) - quota_bytes
    if excess <= 0:
        return 0
    wanted = stored_bytes(database) - int(quota_bytes * _TARGET_FRACTION)
    freed = 0
    for name, size in database.execute(_CANDIDATES).fetchall():
        if freed >= wanted:
            break
        if name not in keep and _remove(database, files, name):
            freed += size
    if freed:
        remove_strays(database, files)
    return freed


def _remove(database: sqlite3.Connection, files: BlobFiles, name: str) -> bool:
    is_gone = files.remove(files.path(name))
    if is_gone:
        database.execute("DELETE FROM blobs WHERE hash = ?", (name,))
    return is_gone


def remove_strays(database: sqlite3.Connection, files: BlobFiles) -> None:
    """Remove the files without a row, which a crash between file and row leaves behind."""
    known = {name for (name,) in database.execute("SELECT hash FROM blobs")}
    for path in files.files():
        if path.name not in known:
            files.remove(path)
