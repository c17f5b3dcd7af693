"""What a person says of runs, and taking runs out of a history with a way back."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from workbench.core.history import History
from workbench.core.run_archive import SUFFIX, ArchiveError
from workbench.core.runs import Run
from workbench.session.run_files import Imported, StoredRuns, export_runs, import_archive
from workbench.session.tasks import Step, TaskCancelledError, unheard

DELETED_FOLDER = "deleted"
_AT_ONCE, _TURN_S = 100, 0.01  # runs that go before other writers have their turn


class RunDeletionError(Exception):
    """Runs cannot be taken out with a way back, so they stay; the message says why."""


@dataclass(frozen=True)
class Marking:
    """A change of marks. `note` and `pinned` are left alone where None; an empty note goes.

    `attach` and `detach` are files, by their paths as runs write them, that runs are to be of, or
    to be of no more; what a run was made from stays its own.
    """

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    note: str | None = None
    pinned: bool | None = None
    attach: tuple[str, ...] = ()
    detach: tuple[str, ...] = ()

    def of(self, run: Run) -> Run:
        """The run with its marks changed."""
        tags = [tag for tag in (*run.tags, *self.add) if tag not in self.remove]
        return dataclasses.replace(
            run,
            tags=tuple(dict.fromkeys(tags)),
            note=run.note if self.note is None else self.note or None,
            pinned=run.pinned if self.pinned is None else self.pinned,
            attached_to=self._attached(run),
        )

    def _attached(self, run: Run) -> tuple[str, ...]:
        new = [each for each in self.attach if each not in run.documents]
        return tuple(each for each in (*run.attached_to, *new) if each not in self.detach)


@dataclass(frozen=True)
class Deleted:
    """The ids of runs that were taken out, and the archive that has them.

    Where it was ended they are fewer than `asked`; `unreadable` ones could not be kept, and stay.
    """

    runs: tuple[str, ...]
    archive: Path
    asked: int
    unreadable: int = 0


def mark_runs(
    history: History, run_ids: Sequence[str], marking: Marking, step: Step = unheard
) -> tuple[Run, ...]:
    """Change the marks of runs until `step` ends it; all are found before any is changed.

    Raises HistoryError.
    """
    changed: list[Run] = []
    runs = named(history, run_ids)
    for run in runs:
        try:
            step(len(changed), len(runs), "runs")
        except TaskCancelledError:
            break
        changed.append(history.update(run.id, marking.of))
    return tuple(changed)


def delete_runs(history: History, run_ids: Sequence[str], step: Step = unheard) -> Deleted:
    """Take the runs with exactly these ids out, having written them to an archive.

    Where `step` ends it, the others stay.

    Raises HistoryError, RunDeletionError.
    """
    runs = StoredRuns(history, tuple(dict.fromkeys(run_ids)))
    now = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S-%f")
    archive = history.path.parent / DELETED_FOLDER / f"{now}{SUFFIX}"
    try:
        archive.parent.mkdir(exist_ok=True)
        export_runs(history, runs, archive, step)
    except (ArchiveError, OSError) as error:
        raise RunDeletionError(
            f"nothing is deleted, as it could not be kept first: {error}"
        ) from error
    gone = _delete(history, runs.found, step)
    return Deleted(tuple(runs.found[:gone]), archive, len(runs.found), len(runs.problems))


def _delete(history: History, names: Sequence[str], step: Step) -> int:
    """Delete runs a few at a time, until `step` ends it; return how many went."""
    for start in range(0, len(names), _AT_ONCE):
        try:
            step(start, len(names), "runs")
        except TaskCancelledError:
            return start
        history.delete_all(names[start : start + _AT_ONCE])
        if len(names) > _AT_ONCE:
            time.sleep(_TURN_S)
    return len(names)


def restore_runs(history: History, deleted: Deleted, step: Step = unheard) -> Imported:
    """Bring deleted runs back as they were. Raises ArchiveError, HistoryError."""
    return import_archive(history, deleted.archive, as_they_were=True, step=step)


def named(history: History, run_ids: Sequence[str]) -> tuple[Run, ...]:
    """The runs of these ids, or beginnings of ids, each once. Raises HistoryError."""
    return tuple({run.id: run for run in map(history.get, run_ids)}.values())
