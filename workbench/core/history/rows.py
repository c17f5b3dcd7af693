"""The rows of the history file: how a run is written into its tables and read back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.core.history.errors import AmbiguousRunError, CorruptRunError, RunNotFoundError
from workbench.core.history.query import FilterChoices, RunFilter, RunSource, indexed
from workbench.core.runs import Run, microseconds

_NEWEST = 5000  # runs whose facts are looked at one by one


class RunRows:
    """The rows behind `database`, for a caller who holds its lock and transaction."""

    def __init__(self, database: sqlite3.Connection, path: Path) -> None:
        self._database = database
        self._path = path

    def names(self, where: RunFilter, limit: int | None, offset: int) -> tuple[str, ...]:
        """Return the ids that agree with `where`, the newest first."""
        # Only ids, which an index gives: a damaged body then costs its own row alone.
        if not where.is_of_facts or limit is None:
            return self._in_order(*where.where(), limit, offset)
        # What many runs have is found among the newest; the rest by reading all facts once.
        newest = self._newest_with(where, limit + offset)
        if len(newest) == limit + offset:
            return newest[offset:]
        condition, values = where.where_joined()
        rows = self._database.execute(
            "SELECT id FROM run_facts CROSS JOIN runs ON id = run_id "
            f"WHERE {condition} ORDER BY created_us DESC, id DESC LIMIT ? OFFSET ?",
            [*values, limit, offset],
        )
        return tuple(name for (name,) in rows)

    def _newest_with(self, where: RunFilter, limit: int) -> tuple[str, ...]:
        """The first of the newest runs that agree with a filter."""
        condition, values = where.where()
        since = self._database.execute(
            f"SELECT created_us FROM runs ORDER BY created_us DESC LIMIT 1 OFFSET {_NEWEST}"
        ).fetchone()
        if since is None:
            return ()
        return self._in_order(f"{condition} AND created_us > ?", [*values, since[0]], limit, 0)

    def _in_order(
        self, condition: str, values: Sequence[Any], limit: int | None, offset: int
    ) -> tuple[str, ...]:
        rows = self._database.execute(
            f"SELECT id FROM runs WHERE {condition} "
            "ORDER BY created_us DESC, id DESC LIMIT ? OFFSET ?",
            [*values, -1 if limit is None else limit, offset],
        )
        return tuple(name for (name,) in rows)

    def count(self, where: RunFilter) -> int:
        """Return how many runs agree with `where`."""
        table, (condition, values) = "runs", where.where()
        if where.is_of_facts:
            table = "run_facts CROSS JOIN runs ON id = run_id"
            condition, values = where.where_joined()
        query = f"SELECT count(*) FROM {table} WHERE {condition}"
        return int(self._database.execute(query, values).fetchone()[0])

    def sources(self, where: RunFilter, text: str) -> tuple[RunSource, ...]:
        """Return where the runs that agree with `where` come from, most runs first."""
        condition, values = where.where()
        of_text = "EXISTS (SELECT 1 FROM run_blobs WHERE run_id = runs.id AND hash = ?)"
        rows = self._database.execute(
            f"SELECT document, host, {of_text} AS of_text, count(*) AS total "
            f"FROM runs JOIN run_facts ON run_id = id WHERE {condition} "
            "GROUP BY document, host, of_text ORDER BY total DESC, document, host",
            [text, *values],
        )
        return tuple(RunSource(d, host, bool(same), total) for d, host, same, total in rows)

    def choices(self) -> FilterChoices:
        """Return the values that filters can ask for, each sorted."""
        return FilterChoices(
            self._values("kernel", "runs"),
            self._values("target", "runs"),
            self._values("host", "run_facts"),
            self._values("tag", "run_tags"),
        )

    def _values(self, column: str, table: str) -> tuple[str, ...]:
        query = f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL"
        return tuple(sorted(value for (value,) in self._database.execute(query)))

    def holds(self, name: str) -> bool:
        """Say whether there is a run with exactly this id."""
        query = "SELECT 1 FROM runs WHERE id = ?"
        return self._database.execute(query, (name,)).fetchone() is not None

    def delete(self, name: str) -> None:
        """Remove the row with exactly this id; its tags and references go with it."""
        self._database.execute("DELETE FROM runs WHERE id = ?", (name,))

    def resolve(self, run_id: str) -> str:
        """Return the only id that is, or begins with, `run_id`."""
        prefix = indexed(run_id.strip().lower()) or ""
        rows = self._database.execute(
            "SELECT id FROM runs WHERE id >= ? AND id < ? ORDER BY id LIMIT 4",
            (prefix, prefix + "~"),  # "~" follows every character of an id
        )
        names = [name for (name,) in rows]
        if not prefix or not names:
            raise RunNotFoundError(
                f"No run {run_id!r} in {self._path}. List the runs for their ids."
            )
        if len(names) > 1 and names[0] != prefix:
            raise AmbiguousRunError(
                f"Several runs begin with {run_id!r}: {', '.join(names[:3])}"
                f"{', ...' if len(names) > 3 else ''}. Give more of the id."
            )
        return str(names[0])

    def read(self, name: str) -> Run:
        """Return the run with exactly this id; raises `CorruptRunError`."""
        try:
            row = self._database.execute(
                "SELECT CAST(body AS BLOB) FROM runs WHERE id = ?", (name,)
            ).fetchone()
            run = Run.from_json(json.loads(row[0]))
        except (ValueError, RecursionError) as error:
            raise self._corrupt(name, error) from error
        except sqlite3.DatabaseError as error:
            if type(error) is not sqlite3.DatabaseError:
                raise  # its subclasses are about the file as a whole: locked, no room, ...
            raise self._corrupt(name, error) from error
        if run.id != name:
            raise self._corrupt(name, f"it holds the run {run.id}")
        return run

    def _corrupt(self, name: str, reason: object) -> CorruptRunError:
        return CorruptRunError(
            f"The run {name} in {self._path} cannot be read: {reason}. "
            "A newer workbench may have written it; else delete it."
        )

    def insert(self, run: Run) -> None:
        """Add the row of `run`, its tags and its references."""
        columns = {
            "id": run.id,
            "created_us": microseconds(run.created),
            "kind": run.kind.value,
            "status": run.status.value,
            "kernel": indexed(run.kernel),
            "document": indexed(run.document),
            "target": indexed(run.target),
            "protected": run.protected,
            "body": json.dumps(run.to_json(), separators=(",", ":")),
        }
        marks = ", ".join("?" * len(columns))
        execute, execute_many = self._database.execute, self._database.executemany
        execute(f"INSERT INTO runs ({', '.join(columns)}) VALUES ({marks})", [*columns.values()])
        execute("INSERT INTO run_facts VALUES (?, ?, ?, ?)", _facts(run))
        tags = {indexed(tag) for tag in run.tags}
        execute_many("INSERT INTO run_tags VALUES (?, ?)", [(tag, run.id) for tag in tags])
        documents = {indexed(each) for each in run.documents}
        execute_many("INSERT INTO run_documents VALUES (?, ?)", [(d, run.id) for d in documents])
        execute_many("INSERT INTO run_blobs VALUES (?, ?)", [(name, run.id) for name in run.blobs])

    def insert_blobs(self, run: Run, packed: Mapping[str, bytes]) -> None:
        """Add rows for what is stored with `run`, and mark all that it refers to as used then."""
        used = microseconds(run.created)
        self._database.executemany(
            "INSERT INTO blobs VALUES (?, ?, ?) ON CONFLICT (hash) DO UPDATE "
            "SET stored_bytes = excluded.stored_bytes",
            [(name, len(content), used) for name, content in packed.items()],
        )
        self._database.executemany(
            "UPDATE blobs SET used_us = max(used_us, ?) WHERE hash = ?",
            [(used, name) for name in run.blobs],
        )


def _facts(run: Run) -> tuple[str, str | None, bool, str]:
    return run.id, indexed(run.host), run.pinned, indexed(search_text(run)) or ""


def search_text(run: Run) -> str:
    """What a run is found by, in lower case, words parted by blanks."""
    documents = run.documents or (None,)
    named = (run.kind.value, run.status.value, run.kernel, *documents, run.target, *run.tags)
    asked = (f"{name}={value}" for name, value in run.args.items())
    words = (run.id, *named, run.case, run.host, run.device, run.note, *asked)
    return " ".join(word for word in words if word).lower()
