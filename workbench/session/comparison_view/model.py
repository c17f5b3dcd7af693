"""What the view of a comparison shows, resolved: every text, tone and mark of it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.runs import MetricSource


@dataclass(frozen=True)
class ColumnHead:
    """The head of a run's column. `corner` is its time, or what it failed of, in `corner_tone`.

    `label` is the short name of its target.

    `mark` is the place of its target among those of the comparison, None where all are the same.
    """

    run_id: str
    letter: str
    title: str
    subtitle: str
    corner: str
    corner_tone: str
    is_base: bool
    is_pinned: bool
    mark: int | None
    tip: str
    label: str = ""


@dataclass(frozen=True)
class Span:
    """A part of a line; a changed one is another than the base's."""

    text: str
    is_changed: bool = False


@dataclass(frozen=True)
class CodeLine:
    """A line of code of one column, with its number in the run's text."""

    line: int
    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        """The line as it is read."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True)
class CodeBlock:
    """What differs in code and arguments: `sentences` at the left, lines of each column."""

    sentences: tuple[str, ...]
    columns: tuple[tuple[CodeLine, ...], ...]
    empty: str = ""


@dataclass(frozen=True)
class CellView:
    """One value: its figure, its unit, its difference from the base and the tone of that.

    `value_tone` greys what is as in the base, or within noise. `is_best` marks what no other beats.
    """

    text: str
    unit: str = ""
    delta: str = ""
    delta_tone: str = "fg3"
    value_tone: str = "fg"
    is_best: bool = False
    tip: str = ""


@dataclass(frozen=True)
class RowView:
    """A metric over all columns; `source` is None for what was asked for."""

    name: str
    title: str
    source: MetricSource | None
    cells: tuple[CellView, ...]
    tip: str = ""


@dataclass(frozen=True)
class GroupView:
    """Rows of one kind."""

    title: str
    rows: tuple[RowView, ...]


@dataclass(frozen=True)
class ComparisonView:
    """The whole view. `facts` stand at the left of the heads, `note` below the rows."""

    conclusion: str
    facts: tuple[str, ...]
    heads: tuple[ColumnHead, ...]
    code: CodeBlock
    groups: tuple[GroupView, ...]
    note: str
    hidden: int = 0

    @property
    def base(self) -> int:
        """The number of the column that the others are held against."""
        return next(at for at, head in enumerate(self.heads) if head.is_base)
