"""The recorded compiler passes of one target as rows of a list and texts to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.core.jobs import PassesResult, PassRecord
from workbench.session.text_differences import line_counts


@dataclass(frozen=True)
class PassRow:
    """One pass of the list: `number` counts from 1, `scope` is "tl", "tirx" or another namespace.

    `added` and `removed` count lines, moved and indented ones not. A row with a `failure` has no
    text.
    """

    index: int
    number: int
    scope: str
    name: str
    changed: bool
    added: int
    removed: int
    seconds: float
    side: str
    depth: int
    failure: str | None = None


@dataclass(frozen=True)
class PassTrace:
    """What a passes job returned; `stale` says that the document has changed since."""

    result: PassesResult
    blobs: tuple[bytes, ...]
    stale: bool = False

    @cached_property
    def rows(self) -> tuple[PassRow, ...]:
        """All passes, in the order in which they ended."""
        return tuple(self._row(record) for record in self.result.passes)

    def shown(self, only_changes: bool) -> tuple[PassRow, ...]:
        """The rows of the list: all, or those that changed something or failed."""
        return tuple(r for r in self.rows if not only_changes or r.changed or r.failure)

    @property
    def changed(self) -> int:
        """How many passes changed the text."""
        return sum(row.changed for row in self.rows)

    @property
    def seconds(self) -> float | None:
        """What the passes took, without what recording them took; None where unknown."""
        if not self.result.passes:
            return None
        return sum(record.seconds for record in self.result.passes if record.depth == 0)

    def text(self, index: int, before: bool = False) -> str | None:
        """The text after a pass, or before it; None for what a failed pass would have made."""
        record = self.result.passes[index]
        number = record.before_blob if before else record.text_blob
        return None if number is None else self.blobs[number].decode()

    def position(self, name: str, occurrence: int) -> int | None:
        """The index of the pass that is the n-th of its name, from 0; None where there is none."""
        found = [record.index for record in self.result.passes if record.name == name]
        return found[occurrence] if occurrence < len(found) else None

    def occurrence(self, index: int) -> int:
        """How many passes of the same name come before one."""
        name = self.result.passes[index].name
        return sum(record.name == name for record in self.result.passes[:index])

    def _row(self, record: PassRecord) -> PassRow:
        scope, _, name = record.name.rpartition(".")
        added, removed = self._counts(record)
        return PassRow(
            record.index,
            record.index + 1,
            scope,
            name,
            record.changed,
            added,
            removed,
            record.seconds,
            record.side,
            record.depth,
            self._failure(record),
        )

    def _counts(self, record: PassRecord) -> tuple[int, int]:
        if not record.changed or record.text_blob is None:
            return 0, 0
        return line_counts(self._lines(record.before_blob), self._lines(record.text_blob))

    def _lines(self, blob: int) -> Sequence[bytes]:
        return [line.strip() for line in self.blobs[blob].split(b"\n")]

    def _failure(self, record: PassRecord) -> str | None:
        if record.text_blob is not None:
            return None
        return self.result.failure.message if self.result.failure else "it did not end"


def step(rows: Sequence[PassRow], index: int | None, by: int) -> int | None:
    """The index of the pass that is `by` rows on in a list, also from a row not in it."""
    if not rows:
        return None
    if index is None:
        return rows[0 if by > 0 else -1].index
    if by > 0:
        return next((row.index for row in rows if row.index > index), rows[-1].index)
    return next((row.index for row in reversed(rows) if row.index < index), rows[0].index)
