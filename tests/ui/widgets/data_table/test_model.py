from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPersistentModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from workbench.ui.widgets.data_table.cells import Cell, Column
from workbench.ui.widgets.data_table.model import CellModel

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


@pytest.fixture
def model(columns: tuple[Column[Any], ...], runs: tuple[Any, ...]) -> CellModel[Any]:
    model: CellModel[Any] = CellModel(columns)
    model.set_rows(runs)
    return model


def shown(model: CellModel[Any], column: int = 0) -> list[str]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_the_model_keeps_qts_rules(model: CellModel[Any], runs: tuple[Any, ...]) -> None:
    tester = QAbstractItemModelTester(model, FATAL)
    model.sort(2, Qt.SortOrder.DescendingOrder)
    model.set_filter("h100")
    model.set_rows(runs[:2])
    model.set_filter("")
    model.sort(-1)
    model.set_rows(())
    assert tester.model() is model


def test_what_qt_keeps_of_a_row_goes_with_its_record(model: CellModel[Any]) -> None:
    softmax = QPersistentModelIndex(model.index(1, 2))
    model.sort(2, Qt.SortOrder.AscendingOrder)
    assert softmax.row() == 0
    assert softmax.data() == "11.0 µs"


def test_the_order_of_the_records_comes_back(model: CellModel[Any], runs: tuple[Any, ...]) -> None:
    model.sort(0)
    model.sort(-1)
    assert [model.record(row) for row in range(4)] == list(runs)


def test_a_cell_says_its_text_with_unit(model: CellModel[Any]) -> None:
    assert model.index(0, 2).data() == "358.7 µs"


def test_numbers_stand_at_the_right(model: CellModel[Any]) -> None:
    alignment = Qt.AlignmentFlag(model.index(0, 2).data(Qt.ItemDataRole.TextAlignmentRole))
    assert alignment & Qt.AlignmentFlag.AlignRight


def test_titles_have_tips(model: CellModel[Any]) -> None:
    tip = model.headerData(2, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip == "The median of the samples"


def test_numbers_are_ordered_as_numbers_and_the_unknown_is_last(model: CellModel[Any]) -> None:
    model.sort(2, Qt.SortOrder.AscendingOrder)
    assert shown(model, 2) == ["11.0 µs", "358.7 µs", "1,500.0 µs", "unknown"]
    model.sort(2, Qt.SortOrder.DescendingOrder)
    assert shown(model, 2) == ["1,500.0 µs", "358.7 µs", "11.0 µs", "unknown"]


def test_text_is_ordered_in_any_case(model: CellModel[Any]) -> None:
    model.sort(0, Qt.SortOrder.AscendingOrder)
    assert shown(model) == ["Attention", "gemm", "layernorm", "softmax"]


@pytest.mark.parametrize(
    ("text", "kernels"),
    [
        ("h100", ["gemm", "Attention"]),
        ("H100 att", ["Attention"]),
        ("gemm a100", []),
        ("  ", ["gemm", "softmax", "Attention", "layernorm"]),
    ],
)
def test_a_row_stays_where_every_word_occurs(
    model: CellModel[Any], text: str, kernels: list[str]
) -> None:
    model.set_filter(text)
    assert shown(model) == kernels


def test_a_cell_is_made_once() -> None:
    made: list[int] = []

    def cell(row: int) -> Cell:
        made.append(row)
        return Cell(str(row))

    model: CellModel[int] = CellModel([Column("n", "N", cell)])
    model.set_rows(range(3))
    assert made == []
    assert [model.index(1, 0).data(), model.index(1, 0).data()] == ["1", "1"]
    assert made == [1]


def test_rows_that_follow_leave_the_cells_of_those_before(
    model: CellModel[Any], runs: tuple[Any, ...]
) -> None:
    first = model.cell(0, 0)
    model.append_rows(runs[:2])
    assert model.rowCount() == len(runs) + 2
    assert model.cell(0, 0) is first
    assert shown(model)[-2:] == shown(model)[:2]


def test_rows_that_follow_take_their_place_in_the_order(
    model: CellModel[Any], runs: tuple[Any, ...]
) -> None:
    model.sort(2)
    model.append_rows(runs)
    assert [model.record(row) for row in range(2)] == [model.record(0)] * 2


def test_only_the_first_rows_make_their_cells_at_once(qtbot: QtBot) -> None:
    made: list[int] = []

    def cell(row: int) -> Cell:
        made.append(row)
        return Cell(str(row), "ms" if row == 900 else "\u00b5s", float(row))

    model = CellModel([Column("n", "n", cell, numeric=True)])
    model.set_rows(range(1000))
    assert model.units(0) == {"\u00b5s"}
    assert len(made) < 100
    with qtbot.waitSignal(model.units_grew, timeout=1000):
        model.cell(900, 0)
    assert model.units(0) == {"\u00b5s", "ms"}
