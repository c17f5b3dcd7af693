"""The history itself: adding, finding, changing and deleting runs, and reading what they stored."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.core.history import collection
from workbench.core.history.blobs import BlobFiles, pack
from workbench.core.history.errors import (
    CorruptRunError,
    HistoryError,
    explained,
)
from workbench.core.history.query import FilterChoices, RunFilter, RunSource
from workbench.core.history.rows import RunRows
from workbench.core.history.schema import open_database, writing
from workbench.core.runs import Run, blob_hash, is_blob_hash

DEFAULT_QUOTA_BYTES = 2 * 1024**3
_EVERY_RUN = RunFilter()
_AT_ONCE = 50  # blobs that are removed before other writers have their turn


@dataclass(frozen=True)
class RowProblem:
    """A row that cannot be read: the run's id and why."""

    run_id: str
    message: str


@dataclass(frozen=True)
class Listing:
    """The runs asked for, the newest first, and the rows among them that cannot be read."""

    runs: tuple[Run, ...]
    problems: tuple[RowProblem, ...] = ()


class History:
    """The runs of one workspace, in the SQLite file `path` and the folder `blobs` beside it.

    Several processes and threads may use the same history at once; a writer waits up to
    `busy_timeout_s` for another. Blobs are collected when they exceed `quota_bytes`, those of no
    run first, then those of the oldest runs without pin or tag. Every method raises `HistoryError`
    where the file, the folder or the disk does not allow it. Close it, or use it in `with`.
    """

    def __init__(
        self,
        path: Path,
        *,
        quota_bytes: int = DEFAULT_QUOTA_BYTES,
        busy_timeout_s: float = 10.0,
    ) -> None:
        self.path = path
        self.quota_bytes = quota_bytes
        self._files = BlobFiles(path.parent / "blobs")
        self._lock = threading.RLock()
        self._database = open_database(path, busy_timeout_s)
        self._rows = RunRows(self._database, path)

    def __enter__(self) -> History:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def set_patience(self, seconds: float) -> None:
        """Wait no longer than that for another writer from now on."""
        with self._lock:
            self._database.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    def close(self) -> None:
        """Close the file; a closed history answers nothing more."""
        with self._lock:
            self._database.close()

    def add(self, run: Run, blobs: Iterable[bytes] = ()) -> None:
        """Store a new run with the contents it refers to, all or nothing.

        A content that the history holds already, or that is lost, need not be given. Raises
        `ValueError` for a content that the run does not refer to.
        """
        packed = _packed(run, blobs)
        with self._writing("add a run") as undo:
            if self._rows.holds(run.id):
                raise HistoryError(f"The history {self.path} holds the run {run.id} already.")
            for name, content in packed.items():
                if self._files.write(name, content):
                    undo.callback(self._files.remove, self._files.path(name))
            self._rows.insert(run)
            self._rows.insert_blobs(run, packed)
            collection.collect(self._database, self._files, self.quota_bytes, run.blobs)

    def update(self, run_id: str, change: Callable[[Run], Run]) -> Run:
        """Replace the run by `change(run)`, which no other writer can come between; return it."""
        with self._writing("change a run"):
            name = self._rows.resolve(run_id)
            changed = change(self._rows.read(name))
            if changed.id != name:
                raise ValueError(f"a change may not rename {name} to {changed.id}")
            self._rows.delete(name)
            self._rows.insert(changed)
        return changed

    def delete(self, run_id: str) -> None:
        """Remove the run; what only it had stored goes when the quota needs the room."""
        with self._writing("delete a run"):
            self._rows.delete(self._rows.resolve(run_id))

    def delete_all(self, run_ids: Iterable[str]) -> None:
        """Remove the runs with exactly these ids, all or none; those that are gone do not count."""
        with self._writing("delete runs"):
            for name in run_ids:
                self._rows.delete(name)

    def interrupt(self) -> None:
        """End what another thread is asking this history: it raises `HistoryError`."""
        with contextlib.suppress(sqlite3.ProgrammingError):  # it is closed, and asks nothing
            self._database.interrupt()

    def find(self, run_id: str) -> str:
        """Return the id that is, or begins so; raises `RunNotFoundError`, `AmbiguousRunError`."""
        with self._reading("look for a run"):
            return self._rows.resolve(run_id)

    def get(self, run_id: str) -> Run:
        """Return the run with this id, or the only one whose id begins so.

        Raises `RunNotFoundError`, `AmbiguousRunError` or `CorruptRunError`.
        """
        with self._reading("read a run"):
            return self._rows.read(self._rows.resolve(run_id))

    def list(
        self, where: RunFilter = _EVERY_RUN, *, limit: int | None = 100, offset: int = 0
    ) -> Listing:
        """Return `limit` runs (None: all) from the `offset`-th on that agree with `where`."""
        with self._reading("list the runs"):
            return self._listing(self._rows.names(where, limit, offset))

    def ids(
        self, where: RunFilter = _EVERY_RUN, *, limit: int | None = None, offset: int = 0
    ) -> tuple[str, ...]:
        """Return the ids of what `list` would: `listed` reads them, a few at a time."""
        with self._reading("list the runs"):
            return self._rows.names(where, limit, offset)

    def listed(self, run_ids: Iterable[str]) -> Listing:
        """Return the runs with exactly these ids, in their order, those left out that are gone."""
        with self._reading("list the runs"):
            return self._listing(name for name in run_ids if self._rows.holds(name))

    def count(self, where: RunFilter = _EVERY_RUN) -> int:
        """Return how many runs agree with `where`, unreadable ones too."""
        with self._reading("count the runs"):
            return self._rows.count(where)

    def sources(self, where: RunFilter, text: str) -> tuple[RunSource, ...]:
        """Return where the runs that agree with `where` come from, by the hash of a text."""
        with self._reading("look where runs come from"):
            return self._rows.sources(where, text)

    def holds(self, run_id: str) -> bool:
        """Say whether there is a run with exactly this id."""
        with self._reading("look for a run"):
            return self._rows.holds(run_id)

    def blob(self, name: str) -> bytes:
        """Return the content with the sha256 `name`; raises `BlobMissingError` where it is lost."""
        if not is_blob_hash(name):
            raise ValueError(f"{name[:80]!r} is no sha256")
        with explained("read a stored file", self._files.path(name)):
            return self._files.read(name)

    def stored_bytes(self) -> int:
        """Return the bytes on the disk that texts and artifacts take."""
        with self._reading("add up the stored files"):
            return collection.stored_bytes(self._database)

    def choices(self) -> FilterChoices:
        """Return the values that runs can be filtered by."""
        with self._reading("look for what runs can be filtered by"):
            return self._rows.choices()

    def plan_clean_up(self, size_bytes: int) -> collection.CleanUp:
        """Tell what `clean_up` would free, and what it would leave."""
        with self._reading("add up the stored files"):
            return collection.plan(self._database, size_bytes)

    def clean_up(self, size_bytes: int) -> Iterator[tuple[int, int]]:
        """Remove stored texts and artifacts down to a size; tell the bytes freed and to be freed.

        The order is that of a collection, and those of pinned or tagged runs stay. A few are
        removed at each step, and other writers have their turn between; whoever takes no further
        step leaves the rest.
        """
        with self._reading("add up the stored files"):
            chosen = collection.candidates(self._database, size_bytes)
        names, total, freed = [name for name, _ in chosen], sum(size for _, size in chosen), 0
        for start in range(0, len(names), _AT_ONCE):
            with self._writing("clean up"):
                part = names[start : start + _AT_ONCE]
                freed += collection.remove_some(self._database, self._files, part)
            yield freed, total
        if freed:
            with self._writing("clean up"):
                collection.remove_strays(self._database, self._files)

    def _listing(self, names: Iterable[str]) -> Listing:
        runs: dict[str, Run] = {}
        problems = []
        for name in names:
            try:
                runs[name] = self._rows.read(name)
            except CorruptRunError as error:
                problems.append(RowProblem(name, str(error)))
        return Listing(tuple(runs.values()), tuple(problems))

    @contextlib.contextmanager
    def _writing(self, action: str) -> Iterator[contextlib.ExitStack]:
        with self._lock, explained(action, self.path), writing(self._database) as undo:
            yield undo

    @contextlib.contextmanager
    def _reading(self, action: str) -> Iterator[None]:
        """Show one state of the file throughout, whatever other processes write meanwhile."""
        with self._lock, explained(action, self.path):
            self._database.execute("BEGIN")
            try:
                yield
            finally:
                if self._database.in_transaction:  # an error of the disk has ended it already
                    self._database.execute("ROLLBACK")


def _packed(run: Run, blobs: Iterable[bytes]) -> dict[str, bytes]:
    """Return the contents packed, by their hash; done before the write lock, as it takes long."""
    packed = {blob_hash(content): pack(content) for content in blobs}
    strangers = packed.keys() - set(run.blobs)
    if strangers:
        raise ValueError(f"the run {run.id} does not refer to {', '.join(sorted(strangers))}")
    return packed
