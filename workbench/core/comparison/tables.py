"""A comparison as a table of texts, and that as Markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from workbench.core.comparison.comparing import RunComparison
from workbench.core.comparison.rows import Cell, Mark, Row
from workbench.core.comparison.titles import column_titles
from workbench.core.comparison.values import value_figure
from workbench.core.runs import Run

_WORDS = {
    Mark.BASE: "",
    Mark.SAME: "same",
    Mark.NOISE: "within noise",
    Mark.UNKNOWN: "",
    Mark.DIFFERS: "",
    Mark.BETTER: "better",
    Mark.WORSE: "worse",
}
Table = list[tuple[str, ...]]


def letter(position: int) -> str:
    """The name of a column: A, B, C, ..."""
    return chr(ord("A") + position)


def column_heads(runs: Sequence[Run]) -> tuple[str, ...]:
    """The heads of columns: a letter each, with what tells its run from the others."""
    titles = column_titles(runs, lambda run: run.device or run.target or "no target")
    return tuple(
        " · ".join(part for part in (f"{letter(at)} {each.title}", each.subtitle) if part)
        for at, each in enumerate(titles)
    )


def comparison_table(found: RunComparison) -> Table:
    """Rows of texts: a header, the runs, the settings that differ, each metric with its change."""
    header = ("", "", *column_heads(found.runs))
    ids = ("asked for", "run", *(run.id for run in found.runs))
    settings = [("asked for", s.name, *(v or "-" for v in s.values)) for s in found.differing]
    return [header, ids, *settings, *_metric_rows(found)]


def _metric_rows(found: RunComparison) -> Iterator[tuple[str, ...]]:
    for group in found.groups:
        for row in group.rows:
            title = f"{row.title} ({row.source.value})"
            yield (group.title, title, *(cell_text(row, cell) for cell in row.cells))


def cell_text(row: Row, cell: Cell) -> str:
    """A value with its unit, its change against the base, and what that means."""
    if cell.value is None:
        return "unknown"
    value = str(value_figure(row.name, cell.value, row.unit))
    change = "" if cell.change is None or cell.mark is Mark.SAME else f"{cell.change:+.1%}"
    return "  ".join(part for part in (value, change, _WORDS[cell.mark]) if part)


def markdown(table: Sequence[Sequence[str]]) -> str:
    """A table as Markdown; its first row is the header."""
    rows = [[cell.replace("|", "\\|") for cell in row] for row in table]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    rule = "|" + " --- |" * len(rows[0])
    return "\n".join([lines[0], rule, *lines[1:]]) + "\n"


def comparison_csv(found: RunComparison) -> str:
    """Every metric, a line each: numbers as they are, in the unit of the row."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    columns = [f"{letter(i)} {run.id}" for i, run in enumerate(found.runs)]
    writer.writerow(["metric", "source", "unit", *columns, *(f"{c} mark" for c in columns)])
    for group in found.groups:
        for row in group.rows:
            values = ["" if cell.value is None else cell.value for cell in row.cells]
            marks = [cell.mark.value for cell in row.cells]
            writer.writerow([row.name, row.source.value, row.unit, *values, *marks])
    return out.getvalue()
