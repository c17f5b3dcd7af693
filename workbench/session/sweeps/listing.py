"""The sweeps of a workspace as a window lists them, each read again only where it has grown."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workbench.core.sweeps import findings, journal
from workbench.core.sweeps.journal import JournalError
from workbench.core.sweeps.space import SpaceError
from workbench.session.sweeps import store
from workbench.session.sweeps.states import SweepState, state_of


@dataclass(frozen=True)
class Listed:
    """One sweep of the workspace in a list."""

    id: str
    title: str
    state: SweepState
    note: str


class SweepList:
    """Lists the sweeps of one workspace, the newest first."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._entries: dict[Path, tuple[int, str, str, str | None]] = {}

    def newest(self, most: int) -> tuple[Listed, ...]:
        """So many of them; raises WorkspaceError. One that cannot be read is left out."""
        root = store.sweeps_folder(self._workspace)
        found = (self._entry(root / each) for each in journal.sweep_ids(root)[:most])
        return tuple(each for each in found if each is not None)

    def _entry(self, folder: Path) -> Listed | None:
        try:
            size = (folder / journal.JOURNAL).stat().st_size
            known = self._entries.get(folder)
            if known is None or known[0] != size:
                known = self._entries[folder] = (size, *_told(folder))
        except (JournalError, SpaceError, OSError):
            return None  # the command line says what is wrong with it
        _, title, note, ended = known
        return Listed(folder.name, title, state_of(folder, ended, False), note)


def _told(folder: Path) -> tuple[str, str, str | None]:
    """What a list says of a sweep, and why it ended."""
    sweep = journal.read(folder)
    plan = sweep.plan
    date = plan.created.replace("T", " ")[:16]
    return f"{plan.kernel}, {date}", findings.tally(sweep.records).text, sweep.ended
