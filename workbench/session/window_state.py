"""What the window remembers of a workspace from one start to the next, as a JSON file.

Versions: 1. `layout` (geometry, panels, perspective), `files` (path, line, column), `current` (the
path in view), `panes` (each pane's own state).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.core.json_files import JsonFile, JsonFileError

FILE_NAME = "window.json"


@dataclass(frozen=True)
class OpenFile:
    """A file that was open, and where its cursor was, from 1."""

    path: str
    line: int = 1
    column: int = 1


@dataclass(frozen=True)
class WindowState:
    """Everything that comes back."""

    layout: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[OpenFile, ...] = ()
    current: str | None = None
    panes: Mapping[str, Any] = field(default_factory=dict)


def load_window_state(folder: Path) -> WindowState:
    """The state in a workspace's data folder; what cannot be read is left at its default."""
    values = JsonFile(folder / FILE_NAME).read().values
    layout, panes, current = (values.get(name) for name in ("layout", "panes", "current"))
    files = values.get("files")
    return WindowState(
        layout if isinstance(layout, dict) else {},
        tuple(f for entry in files if (f := _open_file(entry))) if isinstance(files, list) else (),
        current if isinstance(current, str) else None,
        panes if isinstance(panes, dict) else {},
    )


def save_window_state(folder: Path, state: WindowState) -> None:
    """Write the state; where the folder cannot be written the window just opens as usual."""
    files = [{"path": f.path, "line": f.line, "column": f.column} for f in state.files]
    values = {
        "layout": dict(state.layout),
        "files": files,
        "current": state.current,
        "panes": dict(state.panes),
    }
    try:
        JsonFile(folder / FILE_NAME).write(values)
    except JsonFileError:
        return


def _open_file(entry: Any) -> OpenFile | None:
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        return None
    line, column = entry.get("line"), entry.get("column")
    place = [n if isinstance(n, int) and n > 0 else 1 for n in (line, column)]
    return OpenFile(entry["path"], *place)
