"""What a generated document says of its making: pattern, values, targets, hash of its text."""

from __future__ import annotations

import enum
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.documents.block import comment
from workbench.core.documents.model import Document
from workbench.core.documents.toml_text import value_text
from workbench.core.patterns.model import Goal, Pattern, Step, Values
from workbench.core.patterns.rendering import LINE_LENGTH

_HASH_LINE = re.compile(r'^# text = "([0-9a-f]*)"\r?\n', re.MULTILINE)
_HASH_DIGITS = 16


class OriginState(enum.Enum):
    """What became of a document since it was generated."""

    UNCHANGED = "unchanged"
    EDITED = "edited"


@dataclass(frozen=True)
class Origin:
    """How a document was generated; `values` are as the block holds them, not yet checked."""

    pattern: str
    version: int
    targets: tuple[str, ...]
    goal: Goal
    values: Mapping[str, Any]
    state: OriginState

    @property
    def is_edited(self) -> bool:
        """Whether the text is another one than was generated."""
        return self.state is OriginState.EDITED


def origin_of(document: Document) -> Origin | None:
    """How a document was generated; None where its block does not tell."""
    record = document.metadata.pattern if document.metadata is not None else {}
    if not isinstance(record.get("id"), str) or not isinstance(record.get("version"), int):
        return None
    values: dict[str, Any] = {}
    for step in Step:
        group = record.get(step.value, {})
        values.update(group if isinstance(group, Mapping) else {})
    targets = record.get("targets", [])
    return Origin(
        record["id"],
        record["version"],
        tuple(str(name) for name in targets) if isinstance(targets, Sequence) else (),
        _goal(record.get("goal")),
        values,
        OriginState.UNCHANGED if is_as_generated(document.text) else OriginState.EDITED,
    )


def _goal(value: Any) -> Goal:
    known = {goal.value: goal for goal in Goal}
    return known.get(value, Goal.THROUGHPUT)


def origin_lines(pattern: Pattern, values: Values, targets: Sequence[str], goal: Goal) -> list[str]:
    """The `[pattern]` table as lines of TOML, without the hash: a line a step of the wizard."""
    lines = [
        "[pattern]",
        f"id = {value_text(pattern.id)}",
        f"version = {pattern.version}",
        f"targets = {value_text(list(targets))}",
        f"goal = {value_text(goal.value)}",
    ]
    tables: list[str] = []
    for step in Step:
        chosen = {f.name: values[f.name] for f in pattern.of_step(step)}
        chosen = {name: value for name, value in chosen.items() if value is not None}
        line = f"{step.value} = {value_text(chosen)}"
        if chosen and len(comment(line)) <= LINE_LENGTH:
            lines.append(line)
        elif chosen:
            # TOML has no line break in an inline table.
            tables += ["", f"[pattern.{step.value}]"]
            tables += [f"{name} = {value_text(value)}" for name, value in chosen.items()]
    return [*lines, HASH_PLACE, *tables]


HASH_PLACE = 'text = ""'
"""The line that `sealed` fills."""


def sealed(text: str) -> str:
    """The text with the hash of itself in its place."""
    return _HASH_LINE.sub(f'# text = "{_hash(text)}"\n', text, count=1)


def is_as_generated(text: str) -> bool:
    """Whether a text still has the hash that it was generated with, whatever its line ends."""
    found = _HASH_LINE.search(text)
    return found is not None and found[1] == _hash(text)


def _hash(text: str) -> str:
    plain = _HASH_LINE.sub("", text.replace("\r\n", "\n"), count=1)
    return hashlib.sha256(plain.encode()).hexdigest()[:_HASH_DIGITS]
