"""The schema of the history file: its versions, and the migration from each to the next."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from workbench.core.history.errors import SQLITE_BUSY, HistoryError, explained, primary_code

# Bodies stand last, so that reading the columns before them touches no overflow page.
_VERSION_1 = """
CREATE TABLE runs (
    id TEXT NOT NULL PRIMARY KEY,
    created_us INTEGER NOT NULL,
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    kernel TEXT,
    document TEXT,
    target TEXT,
    protected INTEGER NOT NULL,
    body TEXT NOT NULL
);
CREATE INDEX runs_by_time ON runs (created_us, id);
CREATE INDEX runs_by_kind ON runs (kind, created_us, id);
CREATE INDEX runs_by_status ON runs (status, created_us, id);
CREATE INDEX runs_by_kernel ON runs (kernel, created_us, id);
CREATE INDEX runs_by_document ON runs (document, created_us, id);
CREATE INDEX runs_by_target ON runs (target, created_us, id);
CREATE TABLE run_tags (
    tag TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    PRIMARY KEY (tag, run_id)
) WITHOUT ROWID;
CREATE INDEX run_tags_by_run ON run_tags (run_id);
CREATE TABLE run_blobs (
    hash TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    PRIMARY KEY (hash, run_id)
) WITHOUT ROWID;
CREATE INDEX run_blobs_by_run ON run_blobs (run_id);
CREATE TABLE blobs (
    hash TEXT NOT NULL PRIMARY KEY,
    stored_bytes INTEGER NOT NULL,
    used_us INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE totals (stored_bytes INTEGER NOT NULL);
INSERT INTO totals VALUES (0);
CREATE TRIGGER blob_added AFTER INSERT ON blobs BEGIN
    UPDATE totals SET stored_bytes = stored_bytes + new.stored_bytes; END;
CREATE TRIGGER blob_changed AFTER UPDATE OF stored_bytes ON blobs BEGIN
    UPDATE totals SET stored_bytes = stored_bytes + new.stored_bytes - old.stored_bytes; END;
CREATE TRIGGER blob_removed AFTER DELETE ON blobs BEGIN
    UPDATE totals SET stored_bytes = stored_bytes - old.stored_bytes; END;
"""

# What runs are searched by: a row a run, so that a search reads no bodies. A body that is no JSON
# keeps what its columns say. The words are those that `search_text` in rows.py writes.
_VERSION_2 = """
CREATE TABLE run_facts (
    run_id TEXT NOT NULL PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    host TEXT,
    pinned INTEGER NOT NULL,
    words TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO run_facts
    SELECT
        id,
        CASE WHEN json_valid(body) THEN json_extract(body, '$.host') END,
        CASE WHEN json_valid(body) THEN coalesce(json_extract(body, '$.pinned'), 0) ELSE 0 END,
        lower(all_words)
    FROM (
        SELECT id, body,
            id || ' ' || kind || ' ' || status || ' ' || coalesce(kernel, '') || ' '
            || coalesce(document, '') || ' ' || coalesce(target, '') || ' '
            || coalesce((SELECT group_concat(tag, ' ') FROM run_tags WHERE run_id = id), '') || ' '
            || CASE WHEN json_valid(body) THEN
                coalesce(json_extract(body, '$.case'), '') || ' '
                || coalesce(json_extract(body, '$.host'), '') || ' '
                || coalesce(json_extract(body, '$.device'), '') || ' '
                || coalesce((SELECT group_concat(key || '=' || coalesce(value, 'null'), ' ')
                    FROM json_each(body, '$.args')), '')
            ELSE '' END AS all_words
        FROM runs
    );
"""

# The files that a run is of: the one that it was made from, and those that it was attached to.
_VERSION_3 = """
CREATE TABLE run_documents (
    document TEXT NOT NULL,
    run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    PRIMARY KEY (document, run_id)
) WITHOUT ROWID;
CREATE INDEX run_documents_by_run ON run_documents (run_id);
INSERT INTO run_documents SELECT document, id FROM runs WHERE document IS NOT NULL;
"""

#: Step n leads from version n to n + 1; a published step is never changed, only followed.
STEPS: tuple[str, ...] = (_VERSION_1, _VERSION_2, _VERSION_3)


def open_database(
    path: Path, busy_timeout_s: float, steps: Sequence[str] = STEPS
) -> sqlite3.Connection:
    """Return a connection to the history file at `path`, made or brought up to date.

    It is in autocommit mode and may be used from several threads under a lock of the caller.
    An older file is migrated in one transaction, after a copy of it as `<name>.v<version>.bak`.
    Raises `HistoryError`, also for a file of a newer version than `len(steps)`.

    Versions (`PRAGMA user_version`):

    1. runs with their filter columns and JSON body, tags, blobs and their total size;
    2. the host, the pin and the words of each run, to search by;
    3. the files that each run is of, as it can be attached to others than its own.
    """
    with explained("be opened", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(
            path, timeout=busy_timeout_s, isolation_level=None, check_same_thread=False
        )
        try:
            _configure(database, busy_timeout_s)
            _bring_up_to_date(database, path, steps)
        except BaseException:
            database.close()
            raise
    return database


@contextlib.contextmanager
def writing(database: sqlite3.Connection) -> Iterator[contextlib.ExitStack]:
    """Hold the write lock: what happens inside is kept together or, on an exception, not at all.

    The stack given takes callbacks that undo, on an exception, what is not in the database; they
    run while the lock is still held.
    """
    database.execute("BEGIN IMMEDIATE")
    undo = contextlib.ExitStack()
    try:
        yield undo
        database.execute("COMMIT")
    except BaseException:
        undo.close()
        if database.in_transaction:  # a full disk may have rolled back already
            database.execute("ROLLBACK")
        raise
    undo.pop_all()


def _configure(database: sqlite3.Connection, busy_timeout_s: float) -> None:
    database.execute("PRAGMA foreign_keys = ON")
    _use_write_ahead_log(database, busy_timeout_s)
    database.execute("PRAGMA synchronous = NORMAL")


def _use_write_ahead_log(database: sqlite3.Connection, busy_timeout_s: float) -> None:
    """Switch the file to WAL, once; a file system without shared memory keeps its journal.

    SQLite does not wait for a lock here as it does elsewhere, hence the waiting of our own.
    """
    deadline = time.monotonic() + busy_timeout_s
    while True:
        try:
            if database.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if primary_code(error) != SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _bring_up_to_date(database: sqlite3.Connection, path: Path, steps: Sequence[str]) -> None:
    if _version(database) == len(steps):
        return
    with writing(database):  # another process may do the same: look again under the lock
        found = _version(database)
        _refuse_others(database, path, found, len(steps))
        if 0 < found < len(steps):
            _copy(path, path.with_name(f"{path.name}.v{found}.bak"))
        for statements in steps[found:]:
            _execute_all(database, statements)
        database.execute(f"PRAGMA user_version = {len(steps)}")


def _refuse_others(database: sqlite3.Connection, path: Path, found: int, known: int) -> None:
    if found > known:
        raise HistoryError(
            f"The history {path} has version {found}; this workbench reads up to version {known}. "
            "Update the workbench, or move the file aside to begin a new history."
        )
    if found == 0 and database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise HistoryError(
            f"{path} is an SQLite file of something else, no history. Move it aside."
        )


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _execute_all(database: sqlite3.Connection, statements: str) -> None:
    """Run a script inside the open transaction, which `executescript` would commit."""
    statement = ""
    for line in statements.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            database.execute(statement)
            statement = ""
    if statement.strip():
        raise ValueError(f"unfinished statement: {statement.strip()[:80]}")


def _copy(path: Path, copy: Path) -> None:
    """Copy the committed state; a second connection reads it while the first holds the lock."""
    part = copy.with_name(copy.name + ".part")
    part.unlink(missing_ok=True)
    with (
        contextlib.closing(sqlite3.connect(path)) as source,
        contextlib.closing(sqlite3.connect(part)) as sink,
    ):
        source.backup(sink)
    os.replace(part, copy)
