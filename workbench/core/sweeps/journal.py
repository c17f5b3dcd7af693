"""A sweep's folder: its plan, and a journal to which each change of a point is appended.

A process that dies loses at most the line it was writing; the next one goes on from the rest. A
point's last line counts, so that no point is counted twice whatever was written about it.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import IO, Any

from workbench.core.atomic_files import write_atomically
from workbench.core.file_locks import lock_file
from workbench.core.plain import PlainError, from_plain, to_plain
from workbench.core.sweeps.model import PointRecord, Sweep, SweepPlan

PLAN, JOURNAL, LOCK, LOG = "plan.json", "journal.jsonl", "running", "log.txt"
SCHEMA = 1
_ID = re.compile(r"[0-9A-Za-z-]+\Z")


class JournalError(Exception):
    """A sweep's folder cannot be read or written; the message says what, where, what next."""


def create(root: Path, plan: SweepPlan) -> Path:
    """Make the folder of a new sweep below `root` and return it; raises JournalError."""
    folder = root / plan.id
    try:
        folder.mkdir(parents=True)
        content = json.dumps({"schema": SCHEMA, **to_plain(plan)}, indent=1).encode()
        write_atomically(folder / PLAN, content)
        (folder / JOURNAL).touch()
    except OSError as error:
        raise JournalError(f"the sweep's folder {folder} cannot be made: {error}") from error
    return folder


def sweep_ids(root: Path) -> tuple[str, ...]:
    """The sweeps below a folder, the newest first."""
    with contextlib.suppress(OSError):
        return tuple(sorted((f.parent.name for f in root.glob(f"*/{PLAN}")), reverse=True))
    return ()


def folder_of(root: Path, sweep_id: str) -> Path:
    """The folder of a sweep; a beginning of its id that no other has will do.

    Raises JournalError.
    """
    known = sweep_ids(root)
    found = [each for each in known if each.lower().startswith(sweep_id.lower())]
    if not _ID.match(sweep_id) or not found:
        listed = f"; the newest are {', '.join(known[:3])}" if known else ""
        raise JournalError(f"there is no sweep {sweep_id} in {root}{listed}")
    if len(found) > 1 and sweep_id not in found:
        raise JournalError(f"{len(found)} sweeps begin with {sweep_id}: {', '.join(found[:4])}")
    return root / (sweep_id if sweep_id in found else found[0])


def read_plan(folder: Path) -> SweepPlan:
    """The plan of a sweep's folder; raises JournalError."""
    path = folder / PLAN
    try:
        data = json.loads(path.read_bytes())
        if not isinstance(data, dict) or data.get("schema", 0) > SCHEMA:
            raise JournalError(f"{path} was written by a newer workbench: install that one")
        return from_plain(SweepPlan, data)
    except (OSError, ValueError, PlainError, RecursionError) as error:
        raise JournalError(f"{path} cannot be read: {error}") from error


class Reading:
    """What the lines of a journal say, taken one after another; a point's last one counts.

    `order` has the numbers of the points in the order in which they were measured first,
    `predicted` in that of their estimates.
    """

    def __init__(self, plan: SweepPlan) -> None:
        self._plan = plan
        self._records = [PointRecord(number) for number in range(plan.space.size)]
        self._ended: str | None = None
        self._seconds = 0.0
        self.order: list[int] = []
        self.predicted: list[int] = []

    @property
    def sweep(self) -> Sweep:
        """The sweep as far as its lines were taken."""
        return Sweep(self._plan, tuple(self._records), self._ended, self._seconds)

    @property
    def ended(self) -> str | None:
        """Why the sweep is over; None while it is not."""
        return self._ended

    def take(self, line: bytes) -> bool:
        """Take a line, and say whether it tells anything."""
        try:
            entry = json.loads(line)
        except ValueError:
            return False  # the line that a process was writing when it died
        if not isinstance(entry, dict):
            return False
        if "point" in entry:
            self._take_point(entry["point"])
        else:
            self._ended = entry.get("ended", self._ended)
        self._seconds = max(self._seconds, float(entry.get("seconds", 0.0)))
        return True

    def _take_point(self, plain: Any) -> None:
        try:
            record = from_plain(PointRecord, plain)
        except PlainError:
            return  # a newer writer's; the point is done again
        if not 0 <= record.number < len(self._records):
            return
        before = self._records[record.number]
        self._records[record.number] = record
        if before.best is None and record.best is not None:
            self.order.append(record.number)
        if before.facts.predicted_us is None and record.facts.predicted_us is not None:
            self.predicted.append(record.number)


def read(folder: Path) -> Sweep:
    """The sweep of a folder as far as its journal goes; raises JournalError."""
    reading = Reading(read_plan(folder))
    path = folder / JOURNAL
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise JournalError(f"{path} cannot be read: {error}") from error
    for line in lines:
        reading.take(line)
    return reading.sweep


class Journal:
    """Appends to a sweep's journal, by the one process that has its lock; a context manager.

    Raises JournalError where another process has it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = _locked(folder)
        try:
            self._file: IO[bytes] = (folder / JOURNAL).open("ab")
            self._end_torn_line()
        except OSError as error:
            os.close(self._lock)
            raise JournalError(f"{folder / JOURNAL} cannot be written: {error}") from error

    def _end_torn_line(self) -> None:
        content = (self.folder / JOURNAL).read_bytes()
        if content and not content.endswith(b"\n"):
            self._file.write(b"\n")

    def note(self, record: PointRecord, seconds: float) -> None:
        """Keep what has become of a point; `seconds` is what the sweep has taken so far."""
        self._append({"point": to_plain(record), "seconds": round(seconds, 3)})

    def note_end(self, why: str | None, seconds: float) -> None:
        """Keep that the sweep is over and why; None: it goes on."""
        self._append({"ended": why, "seconds": round(seconds, 3)})

    def _append(self, entry: dict[str, Any]) -> None:
        try:
            self._file.write(json.dumps(entry, separators=(",", ":")).encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise JournalError(f"{self.folder / JOURNAL} cannot be written: {error}") from error

    def close(self) -> None:
        """Give the lock back."""
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            os.truncate(self._lock, 0)
        os.close(self._lock)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _locked(folder: Path) -> int:
    path = folder / LOCK
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise JournalError(f"{path} cannot be opened: {error}") from error
    try:
        lock_file(file)
    except OSError:
        os.close(file)
        running = runner_of(folder)
        by = f" by process {running}" if running else ""
        raise JournalError(f"the sweep {folder.name} is already running{by}") from None
    os.truncate(file, 0)
    os.pwrite(file, str(os.getpid()).encode(), 0)
    return file


def runner_of(folder: Path) -> int | None:
    """The process that runs a sweep now; None where none does."""
    path = folder / LOCK
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return None
    try:
        lock_file(file)
    except OSError:
        with contextlib.suppress(OSError, ValueError):
            return int(path.read_bytes())
        return None
    finally:
        os.close(file)
    return None


def remove(folder: Path) -> None:
    """Delete a sweep that no process runs; raises JournalError."""
    if runner_of(folder) is not None:
        raise JournalError(f"the sweep {folder.name} is running: cancel it first")
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise JournalError(f"{folder} cannot be deleted: {error}") from error
