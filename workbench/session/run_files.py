"""Moves runs between a history and files: archives of runs, and reports of other profilers."""

from __future__ import annotations

import dataclasses
import platform
import zipfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workbench.core.counters.raw_csv import CounterFileError
from workbench.core.history import History, RowProblem
from workbench.core.run_archive import (
    ArchiveError,
    EntryProblem,
    Manifest,
    RunArchive,
    Written,
    write_archive,
)
from workbench.core.runs import LOCAL_HOST, Run
from workbench.session.machine_identity import machine_id
from workbench.session.tasks import Step, TaskCancelledError, unheard
from workbench.session.told_cases import with_told_cases

_ELSEWHERE = "another machine"
_READ_AT_ONCE = 100


@dataclass(frozen=True)
class Imported:
    """What a file brought: the ids of runs that are new, and of those already there; what is lost.

    `absent` counts the contents that its runs refer to and that it does not hold. One that
    `was_ended` has more to bring.
    """

    added: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    absent: int = 0
    was_ended: bool = False


class RunFileError(Exception):
    """A file brings no runs; the message says why and what next."""


@dataclass
class StoredRuns(Collection[Run]):
    """The runs of these ids, read from a history while one goes through them.

    `found` are those that could be; `problems` tells those that cannot, and are left out.
    """

    history: History
    ids: Sequence[str]
    found: list[str] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.ids)

    def __contains__(self, run: object) -> bool:
        return isinstance(run, Run) and run.id in self.ids

    def __iter__(self) -> Iterator[Run]:
        for start in range(0, len(self.ids), _READ_AT_ONCE):
            found = self.history.listed(self.ids[start : start + _READ_AT_ONCE])
            self.problems += found.problems
            self.found += [run.id for run in found.runs]
            yield from found.runs


def export_runs(
    history: History, runs: Collection[Run], path: Path, step: Step = unheard
) -> Written:
    """Write runs of a history with their contents to an archive; raises ArchiveError."""
    return write_archive(path, runs, history.blob, step=step, machine_id=machine_id())


def import_file(history: History, path: Path, step: Step = unheard) -> Imported:
    """Add the runs of an archive, or of a file that a profiler wrote, by what it is.

    Raises RunFileError, and HistoryError.
    """
    try:
        if is_archive(path):
            return import_archive(history, path, step=step)
        return _import_counters(history, path, step)
    except ArchiveError as error:
        raise RunFileError(str(error)) from error
    except CounterFileError as error:
        raise RunFileError(f"{path}: {error}") from error
    except OSError as error:
        raise RunFileError(f"{path} cannot be read: {error.strerror or error}.") from error


def is_archive(path: Path) -> bool:
    """Whether a file is taken for an archive of runs, by its name or its content."""
    return path.name.lower().endswith(".zip") or zipfile.is_zipfile(path)


def _import_counters(history: History, path: Path, step: Step) -> Imported:
    """Add a run for each launch that a profiler counted."""
    from workbench.session.counter_files import runs_of_file  # loads what reads counters

    added: list[str] = []
    present: list[str] = []
    for run, contents in runs_of_file(path):
        try:
            step(len(added) + len(present), 0, "launches")
        except TaskCancelledError:
            return Imported(tuple(added), tuple(present), was_ended=True)
        if history.holds(run.id):
            present.append(run.id)
        else:
            history.add(run, contents)
            added.append(run.id)
    return Imported(tuple(added), tuple(present))


def import_archive(
    history: History, path: Path, as_they_were: bool = False, step: Step = unheard
) -> Imported:
    """Add the runs of an archive that the history does not hold yet; an entry at fault costs that.

    Runs `as_they_were` come from this history: their origin and their host stay. Where `step`
    ends it, what came before stays too.

    Raises ArchiveError where the file as a whole cannot be read, and HistoryError.
    """
    with RunArchive(path) as archive:
        importing = _Importing(history, archive, as_they_were)
        try:
            for at, found in enumerate(archive.runs()):
                step(at, max(at + 1, archive.manifest.runs or 0), "runs")
                importing.take(found)
        except ArchiveError as error:  # beyond the bounds: what came before it stays
            importing.problems.append(str(error))
        except TaskCancelledError:
            return dataclasses.replace(importing.result(), was_ended=True)
        return importing.result()


class _Importing:
    """One archive on its way into a history."""

    def __init__(self, history: History, archive: RunArchive, as_they_were: bool) -> None:
        self._history = history
        self._as_they_were = as_they_were
        self._archive = archive
        self._added: list[str] = []
        self._present: list[str] = []
        self._looked_at: set[str] = set()
        self._absent = 0
        self.problems: list[str] = []

    def take(self, found: Run | EntryProblem) -> None:
        """Add a run with its contents, or note what is wrong."""
        if isinstance(found, EntryProblem):
            self.problems.append(str(found))
        elif self._history.holds(found.id):
            self._present.append(found.id)
        else:
            own = self._as_they_were
            archive = self._archive
            run = found if own else imported(found, archive.path, archive.manifest)
            (run,) = (run,) if own else with_told_cases([run], self._stored)
            self._history.add(run, self._contents(run))
            self._added.append(run.id)

    def result(self) -> Imported:
        """What there is to tell."""
        problems = tuple(self.problems)
        return Imported(tuple(self._added), tuple(self._present), problems, self._absent)

    def _stored(self, name: str) -> bytes | None:
        content = self._archive.blob(name)
        return content if isinstance(content, bytes) else None

    def _contents(self, run: Run) -> list[bytes]:
        """What the run refers to, as far as no run before it did."""
        contents = []
        for name in run.blobs:
            if name in self._looked_at:
                continue
            self._looked_at.add(name)
            content = self._archive.blob(name)
            if isinstance(content, EntryProblem):
                self.problems.append(str(content))
            elif content is None:
                self._absent += 1
            else:
                contents.append(content)
        return contents


def imported(run: Run, path: Path, manifest: Manifest) -> Run:
    """The run as this machine's history holds it: with its origin, and the name of its host.

    Whoever wrote it called its own machine this one. Another may have this one's name.
    """
    origin = run.origin or (
        f"{path.name}, from {manifest.machine}" if manifest.machine else path.name
    )
    host = run.host
    if host == LOCAL_HOST and not _is_own(manifest):
        host = manifest.machine or _ELSEWHERE
    return dataclasses.replace(run, origin=origin, host=host)


def _is_own(manifest: Manifest) -> bool:
    """Whether this machine wrote an archive; a home folder may be that of several machines."""
    if manifest.machine_id is None or manifest.machine != platform.node():
        return False
    return manifest.machine_id == machine_id()
