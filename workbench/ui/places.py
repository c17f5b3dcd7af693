"""Folders as people write them."""

from __future__ import annotations

from pathlib import Path


def short_folder(folder: Path) -> str:
    """A folder in full, the home folder as ~."""
    try:
        below = folder.relative_to(Path.home())
    except (ValueError, RuntimeError):  # elsewhere, or nobody's home
        return str(folder)
    return str(Path("~") / below)


def place_in(root: Path, path: Path) -> str:
    """The folder of a file of a workspace: from its root on, "" for the root itself."""
    try:
        folder = path.parent.relative_to(root)
    except ValueError:
        return short_folder(path.parent)
    return str(folder) if folder.parts else ""
