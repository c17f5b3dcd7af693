"""The table of what older TileLang had and the present one lacks: `resources/removed_api.toml`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import tomllib

from workbench.core.data_files import find_data


@dataclass(frozen=True)
class Removed:
    """One record; `last` is the last release that had it, None where that is not known.

    `rename` is what the name or keyword is called now; `drop` says that a keyword is taken out;
    `new` is the text of a value's replacement; `imports` maps names of a module to where they are.
    """

    path: str = ""
    call: str = ""
    keyword: str = ""
    value: str = ""
    last: str | None = None
    instead: str | None = None
    rename: str | None = None
    drop: bool = False
    new: str | None = None
    language: str | None = None
    imports: dict[str, str] = field(default_factory=dict, hash=False)

    def sentence(self, what: str, version: str) -> str:
        """What has become of it and what to use."""
        since = f" (the last with it was {self.last})" if self.last else ""
        use = f" Use {self.instead}." if self.instead else " There is no replacement."
        return f"TileLang {version} has no {what}{since}.{use}"


@dataclass(frozen=True)
class RemovedTable:
    """All records by what they are recognised by."""

    version: str
    modules: dict[str, Removed]
    names: dict[str, Removed]
    keywords: dict[tuple[str, str], Removed]
    values: dict[tuple[str, str], Removed]
    ends: frozenset[str]
    """The last parts of the paths of modules and names."""


@lru_cache(maxsize=2)
def load_removed(path: Path | None = None) -> RemovedTable:
    """The table of a file, by default the shipped one."""
    file = path or find_data("resources") / "removed_api.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    modules = {r.path: r for r in _records(data, "module")}
    names = {r.path: r for r in _records(data, "name")}
    return RemovedTable(
        data["version"],
        modules,
        names,
        {(r.call, r.keyword): r for r in _records(data, "keyword")},
        {(r.keyword, r.value): r for r in _records(data, "value")},
        frozenset(path.rpartition(".")[2] for path in (*modules, *names)),
    )


def _records(data: dict[str, Any], kind: str) -> list[Removed]:
    return [Removed(**record) for record in data.get(kind, [])]
