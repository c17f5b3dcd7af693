"""What a person says of runs, and taking runs out of a history with a way back."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from workbench.core.history import History
from workbench.core.run_archive import SUFFIX, ArchiveError
from workbench.core.runs import Run
from workbench.session.run_files import Imported, export_runs, import_archive

DELETED_FOLDER = "deleted"


class RunDeletionError(Exception):
    """Runs cannot be taken out with a way back, so they stay; the message says why."""


@dataclass(frozen=True)
class Marking:
    """A change of marks. `note` and `pinned` are left alone where None; an empty note goes."""

    add: tuple[str, ...] = ()
    remove: tuple[str, ...] = ()
    note: str | None = None
    pinned: bool | None = None

    def of(self, run: Run) -> Run:
        """The run with its marks changed."""
        tags = [tag for tag in (*run.tags, *self.add) if tag not in self.remove]
        return dataclasses.replace(
            run,
            tags=tuple(dict.fromkeys(tags)),
            note=run.note if self.note is None else self.note or None,
            pinned=run.pinned if self.pinned is None else self.pinned,
        )


@dataclass(frozen=True)
class Deleted:
    """Runs that were taken out, and the archive that has them."""

    runs: tuple[Run, ...]
    archive: Path


def mark_runs(history: History, run_ids: Sequence[str], marking: Marking) -> tuple[Run, ...]:
    """Change the marks of runs; all are found before any is changed. Raises HistoryError."""
    return tuple(history.update(run.id, marking.of) for run in named(history, run_ids))


def delete_runs(history: History, run_ids: Sequence[str]) -> Deleted:
    """Take runs out, having written them to an archive. Raises HistoryError, RunDeletionError."""
    runs = named(history, run_ids)
    now = datetime.now(timezone.utc).strftime("%Y%m%d-%H%M%S-%f")
    archive = history.path.parent / DELETED_FOLDER / f"{now}{SUFFIX}"
    try:
        archive.parent.mkdir(exist_ok=True)
        export_runs(history, runs, archive)
    except (ArchiveError, OSError) as error:
        raise RunDeletionError(
            f"nothing is deleted, as it could not be kept first: {error}"
        ) from error
    for run in runs:
        history.delete(run.id)
    return Deleted(runs, archive)


def restore_runs(history: History, deleted: Deleted) -> Imported:
    """Bring deleted runs back as they were. Raises ArchiveError, HistoryError."""
    return import_archive(history, deleted.archive, as_they_were=True)


def named(history: History, run_ids: Sequence[str]) -> tuple[Run, ...]:
    """The runs of these ids, or beginnings of ids, each once. Raises HistoryError."""
    return tuple({run.id: run for run in map(history.get, run_ids)}.values())
