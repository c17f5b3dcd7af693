"""Opens the history of a workspace, or a copy of it."""

from __future__ import annotations

from pathlib import Path

from workbench.core.history import History
from workbench.core.history.copying import copy_rows
from workbench.core.workspace import DATA_FOLDER, fallback_data, workspace_data

HISTORY_FILE = "history.sqlite3"


def open_history(workspace: Path, quota_bytes: int | None = None) -> History:
    """The workspace's history; raises HistoryError and WorkspaceError."""
    path = workspace_data(workspace) / HISTORY_FILE
    return History(path) if quota_bytes is None else History(path, quota_bytes=quota_bytes)


def open_copy(workspace: Path, folder: Path) -> History:
    """A history in `folder` that begins with the workspace's runs, less what they stored.

    Nothing is made in the workspace. Raises HistoryError.
    """
    for data in (fallback_data(workspace), workspace / DATA_FOLDER):
        copy_rows(data / HISTORY_FILE, folder / HISTORY_FILE)
    return History(folder / HISTORY_FILE)
