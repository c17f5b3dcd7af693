"""Where a workspace keeps its sweeps, and how what they measured gets into its history."""

from __future__ import annotations

import dataclasses
from datetime import datetime, timezone
from pathlib import Path

from workbench.core.history import HistoryError
from workbench.core.runs import RunKind, new_run_id
from workbench.core.sweeps import journal
from workbench.core.sweeps.model import Sweep, SweepPlan
from workbench.core.workspace import WorkspaceError, workspace_data
from workbench.session.recording import open_history, record_profile
from workbench.session.requests import Item
from workbench.session.sweeps.tasks import Finished

FOLDER = "sweeps"


def sweeps_folder(workspace: Path) -> Path:
    """The folder of a workspace's sweeps; raises WorkspaceError."""
    return workspace_data(workspace) / FOLDER


def new_sweep_id() -> tuple[str, str]:
    """An id that sorts by time, and the time as ISO 8601."""
    now = datetime.now(timezone.utc)
    return new_run_id(now), now.isoformat(timespec="seconds")


def create(plan: SweepPlan) -> Path:
    """Make the folder of a new sweep; raises journal.JournalError and WorkspaceError."""
    return journal.create(sweeps_folder(Path(plan.workspace)), plan)


def listed(workspace: Path) -> tuple[tuple[Path, Sweep], ...]:
    """The sweeps of a workspace that can be read, the newest first; raises WorkspaceError."""
    root = sweeps_folder(workspace)
    found: list[tuple[Path, Sweep]] = []
    for each in journal.sweep_ids(root):
        try:
            found.append((root / each, journal.read(root / each)))
        except journal.JournalError:
            continue  # its own command says what is wrong with it
    return tuple(found)


class Recorder:
    """Files measurements of one sweep as runs of its group; `problems` are those of writing."""

    def __init__(self, plan: SweepPlan) -> None:
        self._plan = plan
        self.problems: list[str] = []

    def __call__(self, item: Item, finished: Finished) -> str | None:
        """The id of the run; None where the history could not be written."""
        workspace = Path(self._plan.workspace)
        run, contents = record_profile(
            item, finished.ended, workspace, finished.host, None, self._plan.id
        )
        run = dataclasses.replace(run, kind=RunKind.SWEEP_POINT)
        try:
            with open_history(workspace) as history:
                history.add(run, contents)
        except (HistoryError, WorkspaceError) as error:
            self.problems.append(str(error))
            return None
        return run.id
