"""The matrix as text to paste: a Markdown table, or columns with tabs between them."""

from __future__ import annotations

from collections.abc import Callable

from workbench.core.portability.model import Cell, CellState, Column, PortabilityMatrix

#: A state in a text without colours or shapes.
WORDS = {
    CellState.GOOD: "ok",
    CellState.CAUTION: "caution",
    CellState.BAD: "no",
    CellState.UNKNOWN: "?",
    CellState.NONE: "-",
}


def cell_text(cell: Cell) -> str:
    """A cell as text: what it says, with the state's word where the text does not tell."""
    word = WORDS[cell.state]
    if not cell.text:
        return word
    plain = cell.state is CellState.GOOD or cell.text in ("no", "unknown", "not checked")
    return cell.text if plain else f"{cell.text} ({word})"


def as_markdown(matrix: PortabilityMatrix) -> str:
    """The conclusion, and the matrix as a table of Markdown."""
    header, rows = _table(matrix, lambda text: text.replace("|", "\\|"))
    lines = [header, ["---"] * len(header), *rows]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{matrix.conclusion}\n\n{table}\n"


def as_tsv(matrix: PortabilityMatrix) -> str:
    """The matrix with tabs between the columns, for a spreadsheet."""
    header, rows = _table(matrix, lambda text: text.replace("\t", " "))
    return "\n".join("\t".join(line) for line in [header, *rows]) + "\n"


def _table(
    matrix: PortabilityMatrix, clean: Callable[[str], str]
) -> tuple[list[str], list[list[str]]]:
    header = ["Target", "Products", *(column.title for column in Column)]
    rows = [
        [clean(text) for text in (row.target, row.detail, *map(cell_text, row.cells))]
        for row in matrix.rows
    ]
    return header, rows
