from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import DARK, LIGHT, METRICS
from workbench.ui.widgets.data_table import Cell, Column, DataTable


def kernels(table: DataTable[Any]) -> list[str]:
    return [run.kernel for run in table.rows()]


def ground(table: DataTable[Any], row: int, x: int = 200) -> str:
    """The colour of a row's ground, at the upper edge of its cells."""
    y = row * METRICS.row_height + 3
    return table.viewport().grab().toImage().pixelColor(x, y).name().upper()


def test_a_click_on_a_title_sorts(table: DataTable[Any], qtbot: QtBot) -> None:
    table.show()
    qtbot.waitExposed(table)
    header = table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(0) + 20, 10)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert kernels(table) == ["Attention", "gemm", "layernorm", "softmax"]


def test_the_order_at_first_is_that_of_the_records(table: DataTable[Any]) -> None:
    assert kernels(table) == ["gemm", "softmax", "Attention", "layernorm"]


def test_a_filter_leaves_what_has_its_words(table: DataTable[Any]) -> None:
    table.set_filter("h100")
    assert kernels(table) == ["gemm", "Attention"]


def test_the_record_under_the_cursor_is_told(table: DataTable[Any], qtbot: QtBot) -> None:
    table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
    with qtbot.waitSignal(table.current_changed, timeout=1000) as changed:
        table.selectRow(1)
    assert changed.args[0].kernel == "gemm"


def test_an_activated_record_is_told(table: DataTable[Any], qtbot: QtBot) -> None:
    table.show()
    qtbot.waitExposed(table)
    table.selectRow(2)
    with qtbot.waitSignal(table.row_activated, timeout=1000) as activated:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert activated.args[0].kernel == "Attention"


def test_the_selection_stays_with_its_record(table: DataTable[Any], runs: tuple[Any, ...]) -> None:
    table.selectRow(2)
    table.set_rows(runs[::-1])
    assert [run.kernel for run in table.selected_rows()] == ["Attention"]


def test_the_selection_outlives_sorting_and_filtering(table: DataTable[Any]) -> None:
    table.selectRow(2)
    table.sortByColumn(2, Qt.SortOrder.AscendingOrder)
    table.set_filter("h100")
    assert [run.kernel for run in table.selected_rows()] == ["Attention"]


def test_a_record_that_is_gone_leaves_no_selection(
    table: DataTable[Any], runs: tuple[Any, ...]
) -> None:
    table.selectRow(2)
    table.set_rows(runs[:1])
    assert table.current_row() is None


def test_copy_takes_the_selected_rows(table: DataTable[Any], qtbot: QtBot) -> None:
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    table.copy_tsv()
    assert QGuiApplication.clipboard().text() == "Kernel\tTarget\tTime (µs)\nsoftmax\tA100\t11.0\n"


def test_copy_takes_every_row_where_none_is_selected(table: DataTable[Any]) -> None:
    table.copy_markdown()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 6


def test_copy_takes_the_columns_as_they_stand(table: DataTable[Any]) -> None:
    header = table.horizontalHeader()
    header.moveSection(2, 0)
    header.setSectionHidden(1, True)
    table.copy_tsv()
    assert QGuiApplication.clipboard().text().splitlines()[1] == "358.7\tgemm"


def test_a_saved_state_comes_back(
    table: DataTable[Any],
    icons: Icons,
    columns: tuple[Column[Any], ...],
    runs: tuple[Any, ...],
    qtbot: QtBot,
) -> None:
    header = table.horizontalHeader()
    header.moveSection(2, 0)
    header.resizeSection(2, 177)
    header.setSectionHidden(1, True)
    table.sortByColumn(2, Qt.SortOrder.DescendingOrder)
    other: DataTable[Any] = DataTable(icons, "Runs", columns)
    qtbot.addWidget(other)
    other.set_rows(runs)
    other.restore_state(table.save_state())
    assert kernels(other) == ["layernorm", "gemm", "softmax", "Attention"]
    assert other.horizontalHeader().visualIndex(2) == 0
    assert other.horizontalHeader().sectionSize(2) == 177
    assert other.isColumnHidden(1)


def test_a_state_of_other_columns_is_borne(table: DataTable[Any]) -> None:
    hidden = [{"key": key, "visible": False} for key in ("gone", "kernel", "target", "time")]
    table.restore_state({"version": 1, "columns": hidden, "sort": "gone"})
    assert not table.isColumnHidden(0)
    assert kernels(table)[0] == "gemm"


def test_a_menu_shows_and_hides_columns(table: DataTable[Any]) -> None:
    menu = table.column_menu()
    menu.actions()[1].setChecked(False)
    assert table.isColumnHidden(1)


def test_the_last_column_cannot_be_hidden(table: DataTable[Any]) -> None:
    table.setColumnHidden(0, True)
    table.setColumnHidden(1, True)
    enabled = [action.isEnabled() for action in table.column_menu().actions()]
    assert enabled == [True, True, False]


def test_a_selected_row_has_the_selections_ground(table: DataTable[Any], theme: Theme) -> None:
    table.selectRow(1)
    assert (ground(table, 1), ground(table, 2)) == (DARK.bg3, DARK.bg1)
    theme.set_choice("light")
    assert (ground(table, 1), ground(table, 2)) == (LIGHT.bg3, LIGHT.bg1)


def test_the_ends_of_a_selected_row_are_round(table: DataTable[Any]) -> None:
    table.selectRow(1)
    corner = table.viewport().grab().toImage().pixelColor(0, METRICS.row_height)
    assert corner.name().upper() == DARK.bg1


def test_stale_cells_are_grey(table: DataTable[Any]) -> None:
    fresh = table.viewport().grab().toImage()
    table.set_stale(True)
    assert table.viewport().grab().toImage() != fresh
    table.set_stale(False)
    assert table.viewport().grab().toImage() == fresh


def test_the_row_under_the_pointer_is_raised(table: DataTable[Any], qtbot: QtBot) -> None:
    table.show()
    qtbot.waitExposed(table)
    qtbot.mouseMove(table.viewport(), QPoint(200, METRICS.row_height * 2 + 10))
    qtbot.waitUntil(lambda: ground(table, 2) == DARK.bg2, timeout=2000)


@pytest.mark.parametrize("column", [0, 2])
def test_a_fitted_column_has_room_for_its_cells(table: DataTable[Any], column: int) -> None:
    table.resizeColumnToContents(column)
    hints = [table.sizeHintForIndex(table.model().index(row, column)).width() for row in range(4)]
    assert table.columnWidth(column) >= max(hints)


def test_a_share_is_a_bar_as_long_as_it_is(icons: Icons, theme: Theme, qtbot: QtBot) -> None:
    column = Column[float](
        "share", "Share", lambda share: Cell(f"{share:.0%}", bar=share), numeric=True
    )
    table = DataTable(icons, "shares", [column])
    qtbot.addWidget(table)
    table.resize(300, 200)
    table.set_rows([0.0, 0.5, 1.0])
    picture = table.viewport().grab().toImage()
    track = theme.colour("bg4").name()

    def filled(row: int) -> int:
        y = row * METRICS.row_height + METRICS.row_height // 2
        line = [picture.pixelColor(x, y).name() for x in range(12, 202)]
        return len(line) - line.count(track)

    assert filled(0) == 0
    assert 60 < filled(1) < 140
    assert filled(2) == 190
