"""Writes cells as text for other programs: tab-separated values and Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workbench.ui.widgets.data_table.cells import Cell, Column


def as_tsv(columns: Sequence[Column[Any]], rows: Sequence[Sequence[Cell]]) -> str:
    """A line of titles and a line a row; a unit that a column shares stands in its title."""
    lines = _texts(columns, rows)
    return "".join("\t".join(_one_line(text) for text in line) + "\n" for line in lines)


def as_markdown(columns: Sequence[Column[Any]], rows: Sequence[Sequence[Cell]]) -> str:
    """A table in Markdown, numeric columns to the right."""
    titles, *lines = [[_escape(text) for text in line] for line in _texts(columns, rows)]
    rule = ["---:" if column.numeric else "---" for column in columns]
    return "".join(f"| {' | '.join(line)} |\n" for line in (titles, rule, *lines))


def _texts(columns: Sequence[Column[Any]], rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    shared = [_shared_unit([row[at] for row in rows]) for at in range(len(columns))]
    titles = [
        f"{column.title} ({unit})" if unit else column.title
        for column, unit in zip(columns, shared, strict=True)
    ]
    lines = [
        [cell.text if unit else cell.full_text for cell, unit in zip(row, shared, strict=True)]
        for row in rows
    ]
    return [titles, *lines]


def _shared_unit(cells: Sequence[Cell]) -> str:
    """The one unit of all cells that have a value, "" where there are several or none."""
    units = {cell.unit for cell in cells if cell.sort_key is not None}
    return units.pop() if len(units) == 1 else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _escape(text: str) -> str:
    return _one_line(text).replace("\\", "\\\\").replace("|", "\\|")
