from __future__ import annotations

from typing import Any

from workbench.ui.widgets.data_table.cells import UNKNOWN, Cell, Column
from workbench.ui.widgets.data_table.copying import as_markdown, as_tsv


def column(title: str, numeric: bool = False) -> Column[Any]:
    return Column(title.lower(), title, lambda row: Cell(str(row)), numeric)


COLUMNS = [column("Kernel"), column("Time", numeric=True)]


def test_a_shared_unit_stands_in_the_title() -> None:
    rows = [[Cell("gemm"), Cell("358.7", "µs", 358.7)], [Cell("softmax"), UNKNOWN]]
    assert as_tsv(COLUMNS, rows) == "Kernel\tTime (µs)\ngemm\t358.7\nsoftmax\tunknown\n"


def test_different_units_stand_with_their_values() -> None:
    rows = [[Cell("gemm"), Cell("358.7", "µs")], [Cell("softmax"), Cell("1.50", "ms")]]
    assert as_tsv(COLUMNS, rows) == "Kernel\tTime\ngemm\t358.7 µs\nsoftmax\t1.50 ms\n"


def test_a_cell_cannot_break_the_table() -> None:
    assert as_tsv([COLUMNS[0]], [[Cell("a\tb\nc")]]) == "Kernel\na b c\n"


def test_markdown_has_numbers_at_the_right() -> None:
    rows = [[Cell("gemm"), Cell("358.7", "µs", 358.7)]]
    assert as_markdown(COLUMNS, rows) == (
        "| Kernel | Time (µs) |\n| --- | ---: |\n| gemm | 358.7 |\n"
    )


def test_markdown_keeps_bars_and_backslashes() -> None:
    assert "| a \\| b \\\\ c |" in as_markdown([COLUMNS[0]], [[Cell("a | b \\ c")]])


def test_a_table_without_rows_has_its_titles() -> None:
    assert as_tsv(COLUMNS, []) == "Kernel\tTime\n"
