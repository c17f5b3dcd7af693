"""The form of every finding about a kernel: what, where, why, and the edits that mend it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any


class Severity(enum.Enum):
    """How much a diagnostic matters; an `ERROR` makes a command end with status 1."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True)
class TextRange:
    """A half-open range in a document: lines from 1, columns from 1 in characters."""

    line: int
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None


@dataclass(frozen=True)
class Edit:
    """Replace the text in `range` by `text`."""

    range: TextRange
    text: str


@dataclass(frozen=True)
class Fix:
    """A titled set of edits that are applied together.

    `safe` says that what the kernel is for stays the same, so that nobody has to look at it first.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False


@dataclass(frozen=True)
class Related:
    """Another place that has to do with a diagnostic, and what."""

    range: TextRange
    text: str


@dataclass(frozen=True)
class Diagnostic:
    """One finding; `code` is stable kebab-case, `stage` the earliest step that can show it."""

    code: str
    severity: Severity
    message: str
    range: TextRange | None = None
    related: tuple[Related, ...] = ()
    targets: tuple[str, ...] = ()
    stage: str = "lint"
    evidence: dict[str, Any] = field(default_factory=dict)
    help: str | None = None
    fixes: tuple[Fix, ...] = ()
