"""What a check says: a place, a message, edits that mend it, and the targets concerned."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from workbench.core.diagnostics import Edit, Fix, Severity
from workbench.core.targets.model import Target


@dataclass(frozen=True)
class Finding:
    """One thing found; `severity` is the rule's where None, no targets are all of them."""

    node: ast.AST
    message: str
    fixes: tuple[Fix, ...] = ()
    targets: tuple[str, ...] = ()
    severity: Severity | None = None
    evidence: dict[str, Any] = field(default_factory=dict)


def fix(title: str, *edits: Edit | None) -> tuple[Fix, ...]:
    """The fix of those edits, none where one of them cannot be made."""
    known = tuple(edit for edit in edits if edit is not None)
    return (Fix(title, known),) if known and len(known) == len(edits) else ()


def named(concerned: Iterable[Target], all_targets: Iterable[Target]) -> tuple[str, ...]:
    """The names of the targets concerned, none where they are all of them."""
    names = tuple(target.name for target in concerned)
    return () if len(names) == len(tuple(all_targets)) else names


def listed(names: Iterable[object], word: str = "and") -> str:
    """Things in a sentence: `a`, `a and b`, `a, b and c`."""
    *first, last = [str(name) for name in names] or [""]
    return f"{', '.join(first)} {word} {last}" if first else last
