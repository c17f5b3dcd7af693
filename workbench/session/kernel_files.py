"""Finds the kernel files of a workspace by looking at their text; nothing of them is executed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

MOST_FILES = 2_000
_MOST_SEEN = 50_000
_HEAD_BYTES = 64 * 1024
_MARK = b"tilelang"
_SKIPPED = frozenset({"__pycache__", "node_modules", "site-packages", "build", "dist", "venv"})


def find_kernel_files(root: Path) -> Iterator[Path | None]:
    """Each Python file below `root` that names tilelang, in the order of its path.

    None comes between, so that a caller can pause: after each file that was looked at and is
    none. Hidden folders, those of other programs and links to folders are left out, as is what
    cannot be read. Ends after `MOST_FILES` kernel files, or after 50,000 files of any kind.
    """
    found = 0
    for seen, path in enumerate(_python_files(root), start=1):
        if path is not None and _names_tilelang(path):
            found += 1
            yield path
        else:
            yield None
        if found == MOST_FILES or seen == _MOST_SEEN:
            return


def _python_files(root: Path) -> Iterator[Path | None]:
    """Python files with files before folders, each sorted; None for each other file."""
    folders: list[str] = []
    for entry in _entries(root):
        if _is_folder(entry):
            folders.append(entry.path)
        elif entry.name.endswith(".py"):
            yield Path(entry.path)
        else:
            yield None
    for folder in folders:
        yield from _python_files(Path(folder))


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name.casefold())
    except OSError:
        return []  # a folder that may not be read holds nothing that could be opened


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether to look inside; a link could lead around in circles."""
    if entry.name.startswith(".") or entry.name in _SKIPPED:
        return False
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _names_tilelang(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _MARK in file.read(_HEAD_BYTES)
    except OSError:
        return False
