"""What to list of the history, and the SQL for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workbench.core.runs import RunKind, RunStatus, microseconds


@dataclass(frozen=True)
class RunFilter:
    """Which runs: those that agree with every field that is not None; `since` is inclusive."""

    kernel: str | None = None
    document: str | None = None
    target: str | None = None
    kind: RunKind | None = None
    status: RunStatus | None = None
    since: datetime | None = None
    tag: str | None = None

    def where(self) -> tuple[str, list[Any]]:
        """Return the SQL condition over `runs`, and its values."""
        values = {
            "kernel = ?": indexed(self.kernel),
            "document = ?": indexed(self.document),
            "target = ?": indexed(self.target),
            "kind = ?": self.kind and self.kind.value,
            "status = ?": self.status and self.status.value,
            "created_us >= ?": self.since and microseconds(self.since),
            "id IN (SELECT run_id FROM run_tags WHERE tag = ?)": indexed(self.tag),
        }
        asked = {condition: value for condition, value in values.items() if value is not None}
        return " AND ".join(asked) or "TRUE", list(asked.values())


def indexed(text: str | None) -> str | None:
    """Return `text` as a filter column holds it.

    A file name that is no UTF-8 has lone surrogates in Python, which SQLite's texts cannot hold.
    """
    return text and text.encode("utf-8", "backslashreplace").decode("utf-8")
