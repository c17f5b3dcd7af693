"""Which folders the person trusts: only what lies in one, or is shipped, may be executed."""

from __future__ import annotations

import os
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from workbench.core.json_files import JsonFile, JsonFileError


class TrustStore:
    """The folders granted, in the JSON file `path`; `shipped` is the folder of shipped kernels.

    The file is read anew at each question, so that a grant or a revocation in one window counts
    in all. Where it cannot be read, or a newer workbench wrote it, nothing is trusted.

    Versions: 1. `folders`: a list of `{"path", "granted"}`, the path absolute with its links
    resolved, the time ISO 8601.
    """

    def __init__(self, path: Path, shipped: Path | None = None) -> None:
        self._file = JsonFile(path)
        self._shipped = shipped

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders granted, in the order of the grants."""
        return tuple(Path(entry["path"]) for entry in self._entries() if not _fault(entry))

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the file, in sentences; an entry at fault grants nothing."""
        content = self._file.read()
        if not isinstance(content.values.get("folders", []), list):
            return (*content.problems, f"{self._file.path}: folders must be a list.")
        faults = (_fault(entry) for entry in self._entries())
        return content.problems + tuple(
            f"{self._file.path}: an entry is left out, {fault}." for fault in faults if fault
        )

    def is_trusted(self, path: Path) -> bool:
        """Say whether `path`, links resolved, is shipped or lies in a folder granted."""
        return self.trusted_by(path) is not None

    def trusted_by(self, path: Path) -> Path | None:
        """Return the folder because of which `path` is trusted, None where it is not."""
        real = _resolved(path)
        if real is None:
            return None
        shipped = None if self._shipped is None else _resolved(self._shipped)
        candidates = self.folders if shipped is None else (shipped, *self.folders)
        return next((folder for folder in candidates if _lies_in(real, folder)), None)

    def grant(self, folder: Path) -> None:
        """Trust everything in `folder` from now on.

        Raises `NotADirectoryError` where it is none and `JsonFileError` where the grant cannot be
        written, also in a file of a newer version.
        """
        real = _resolved(folder)
        if real is None or not real.is_dir():
            raise NotADirectoryError(f"{folder} is no folder; trust is given to folders.")
        if any(_same(real, granted) for granted in self.folders):
            return
        granted = datetime.now(timezone.utc).isoformat(timespec="seconds")
        self._write([*self._entries(), {"path": str(real), "granted": granted}])

    def revoke(self, folder: Path) -> None:
        """Take back the grant of just this folder, which may be gone by now.

        What another granted folder holds stays trusted. Raises `JsonFileError`, also where the
        file cannot be read.
        """
        content = self._file.read()
        if content.problems:  # a grant that cannot be seen cannot be said to be taken back
            raise JsonFileError(content.problems[0])
        names = {os.path.normcase(p) for p in (folder.absolute(), _resolved(folder)) if p}
        entries = self._entries()
        kept = [e for e in entries if _fault(e) or os.path.normcase(e["path"]) not in names]
        if len(kept) < len(entries):
            self._write(kept)

    def _entries(self) -> list[Any]:
        content = self._file.read()
        folders = content.values.get("folders", [])
        is_known = content.found_version == self._file.version
        return folders if is_known and isinstance(folders, list) else []

    def _write(self, entries: list[Any]) -> None:
        self._file.write({**self._file.read().values, "folders": entries})


def _fault(entry: Any) -> str | None:
    """Return what is wrong with an entry of the file, None where it grants a folder."""
    if not isinstance(entry, dict) or not isinstance(entry.get("path"), str):
        return f"it names no path: {entry!r:.80}"
    # A relative path would mean another folder wherever the workbench is started.
    if not os.path.isabs(entry["path"]) or "\0" in entry["path"]:
        return f"its path is not absolute: {entry['path']!r:.80}"
    return None


def _resolved(path: Path) -> Path | None:
    """Return `path` with its links resolved, None where that cannot be (a loop, a null byte)."""
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return None


def _lies_in(path: Path, folder: Path) -> bool:
    return any(_same(candidate, folder) for candidate in (path, *path.parents))


def _same(a: Path, b: Path) -> bool:
    return os.path.normcase(a) == os.path.normcase(b)
