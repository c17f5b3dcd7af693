"""What to list of the history, and the SQL for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workbench.core.runs import RunKind, RunStatus, microseconds


@dataclass(frozen=True)
class RunFilter:
    """Which runs: those that agree with every field that is not None.

    `since` is inclusive, `until` is not. `search` are words, each of which must be somewhere in
    what a run is called, was asked for, or ran on, in its tags or its note; case does not count.
    """

    kernel: str | None = None
    document: str | None = None
    target: str | None = None
    kind: RunKind | None = None
    status: RunStatus | None = None
    since: datetime | None = None
    tag: str | None = None
    until: datetime | None = None
    host: str | None = None
    pinned: bool | None = None
    search: str | None = None

    def where(self) -> tuple[str, list[Any]]:
        """Return the SQL condition over `runs`, and its values."""
        values: dict[str, Any] = {
            "kernel = ?": indexed(self.kernel),
            "document = ?": indexed(self.document),
            "target = ?": indexed(self.target),
            "kind = ?": self.kind and self.kind.value,
            "status = ?": self.status and self.status.value,
            "created_us >= ?": self.since and microseconds(self.since),
            "created_us < ?": self.until and microseconds(self.until),
            "id IN (SELECT run_id FROM run_tags WHERE tag = ?)": indexed(self.tag),
            _fact("host = ?"): indexed(self.host),
            _fact("pinned = ?"): self.pinned,
        }
        asked = [(condition, value) for condition, value in values.items() if value is not None]
        asked += [(_fact("instr(words, ?)"), word) for word in search_words(self.search)]
        return " AND ".join(c for c, _ in asked) or "TRUE", [value for _, value in asked]


def _fact(condition: str) -> str:
    return f"EXISTS (SELECT 1 FROM run_facts WHERE run_id = runs.id AND {condition})"


def search_words(text: str | None) -> tuple[str, ...]:
    """The words of a search as they are looked for, each once."""
    return tuple(dict.fromkeys((indexed(text) or "").lower().split()))


def indexed(text: str | None) -> str | None:
    """Return `text` as a filter column holds it.

    A file name that is no UTF-8 has lone surrogates in Python, which SQLite's texts cannot hold.
    """
    return text and text.encode("utf-8", "backslashreplace").decode("utf-8")
