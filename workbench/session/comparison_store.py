"""Comparisons that a person named, as a JSON file in the data of the workspace.

Versions: 1. `comparisons`: a list of `name`, `runs` (ids in the order of the columns), `base` (the
id that the others are held against) and `follows` (whether columns move on to newer runs).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.history import History, HistoryError, RunFilter
from workbench.core.json_files import JsonFile
from workbench.core.runs import Run, RunStatus

FILE_NAME = "comparisons.json"
_LOOKED_AT = 200  # of the newest runs of a kernel
_MOST = 8


@dataclass(frozen=True)
class SavedComparison:
    """A comparison by name. One that `follows` shows the newest run like that of each column."""

    name: str
    runs: tuple[str, ...]
    base: str
    follows: bool = True


class ComparisonStore:
    """The saved comparisons of a workspace; a file of a newer version is read and never written.

    Without a folder they last as long as the store.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = JsonFile(folder / FILE_NAME) if folder is not None else None
        self._kept: dict[str, SavedComparison] = {}
        content = self._file.read() if self._file is not None else None
        #: Sentences on what could not be read.
        self.problems = content.problems if content is not None else ()
        entries = content.values.get("comparisons") if content is not None else None
        for found in _read(entries if isinstance(entries, list) else []):
            self._kept[found.name] = found

    @property
    def all(self) -> tuple[SavedComparison, ...]:
        """All of them by name."""
        return tuple(sorted(self._kept.values(), key=lambda each: each.name.casefold()))

    def get(self, name: str) -> SavedComparison | None:
        """The one of that name."""
        return self._kept.get(name)

    def put(self, saved: SavedComparison) -> None:
        """Keep one, in place of an earlier one of its name. Raises JsonFileError."""
        self._write({**self._kept, saved.name: saved})

    def remove(self, name: str) -> None:
        """Forget one. Raises JsonFileError."""
        self._write({key: each for key, each in self._kept.items() if key != name})

    def _write(self, kept: dict[str, SavedComparison]) -> None:
        if self._file is not None:
            entries = [
                {"name": c.name, "runs": list(c.runs), "base": c.base, "follows": c.follows}
                for c in kept.values()
            ]
            self._file.write({"comparisons": entries})
        self._kept = kept


def _read(entries: Iterable[Any]) -> Iterable[SavedComparison]:
    """The entries that have their form; one at fault costs that one."""
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        name, runs, base = (entry.get(key) for key in ("name", "runs", "base"))
        is_list = isinstance(runs, list) and all(isinstance(run, str) for run in runs)
        if isinstance(name, str) and name and is_list and isinstance(runs, list) and runs[:_MOST]:
            first = base if isinstance(base, str) and base in runs else runs[0]
            yield SavedComparison(name, tuple(runs[:_MOST]), first, entry.get("follows") is True)


def followed(history: History, runs: Sequence[Run], base: str) -> tuple[Run, ...]:
    """The runs with each but the base in place of the newest one that was asked for alike.

    Raises HistoryError.
    """
    taken = {run.id for run in runs}
    found = list(runs)
    for at in sorted(range(len(runs)), key=lambda n: runs[n].created, reverse=True):
        run = runs[at]
        newer = _newest_like(history, run, taken) if run.id != base else None
        if newer is not None:
            taken.add(newer.id)
            found[at] = newer
    return tuple(found)


def _newest_like(history: History, run: Run, taken: set[str]) -> Run | None:
    where = RunFilter(kernel=run.kernel, kind=run.kind, target=run.target, since=run.created)
    return next(
        (
            other
            for other in history.list(where, limit=_LOOKED_AT).runs
            if other.id not in taken and other.status is RunStatus.DONE and _is_like(run, other)
        ),
        None,
    )


def _is_like(one: Run, other: Run) -> bool:
    asked = (one.kernel, one.document, one.args, one.target, one.host, one.device)
    return asked == (
        other.kernel,
        other.document,
        other.args,
        other.target,
        other.host,
        other.device,
    )


def still_there(history: History, saved: SavedComparison) -> tuple[tuple[Run, ...], int]:
    """The runs of a saved comparison that the history still has, and how many it lost."""
    runs = []
    for run_id in saved.runs:
        try:
            runs.append(history.get(run_id))
        except HistoryError:
            continue
    return tuple(runs), len(saved.runs) - len(runs)
