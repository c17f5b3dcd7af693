from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from workbench.ui.widgets.data_table.cells import Cell, Column
from workbench.ui.widgets.data_table.model import CellModel, OrderedModel

FATAL = QAbstractItemModelTester.FailureReportingMode.Fatal


@pytest.fixture
def model(columns: tuple[Column[Any], ...], runs: tuple[Any, ...]) -> CellModel[Any]:
    model: CellModel[Any] = CellModel(columns)
    model.set_rows(runs)
    return model


@pytest.fixture
def order(model: CellModel[Any]) -> OrderedModel:
    return OrderedModel(model)


def shown(order: OrderedModel, column: int = 0) -> list[str]:
    return [order.index(row, column).data() for row in range(order.rowCount())]


def test_the_models_keep_qts_rules(
    model: CellModel[Any], order: OrderedModel, runs: tuple[Any, ...]
) -> None:
    testers = [QAbstractItemModelTester(each, FATAL) for each in (model, order)]
    order.sort(2, Qt.SortOrder.DescendingOrder)
    order.set_filter("h100")
    model.set_rows(runs[:2])
    order.set_filter("")
    model.set_rows(())
    assert len(testers) == 2
    assert order.rowCount() == 0


def test_a_cell_says_its_text_with_unit(model: CellModel[Any]) -> None:
    assert model.index(0, 2).data() == "358.7 µs"


def test_numbers_stand_at_the_right(model: CellModel[Any]) -> None:
    alignment = Qt.AlignmentFlag(model.index(0, 2).data(Qt.ItemDataRole.TextAlignmentRole))
    assert alignment & Qt.AlignmentFlag.AlignRight


def test_titles_have_tips(model: CellModel[Any]) -> None:
    tip = model.headerData(2, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)
    assert tip == "The median of the samples"


def test_numbers_are_ordered_as_numbers_and_the_unknown_is_last(order: OrderedModel) -> None:
    order.sort(2, Qt.SortOrder.AscendingOrder)
    assert shown(order, 2) == ["11.0 µs", "358.7 µs", "1,500.0 µs", "unknown"]
    order.sort(2, Qt.SortOrder.DescendingOrder)
    assert shown(order, 2) == ["1,500.0 µs", "358.7 µs", "11.0 µs", "unknown"]


def test_text_is_ordered_in_any_case(order: OrderedModel) -> None:
    order.sort(0, Qt.SortOrder.AscendingOrder)
    assert shown(order) == ["Attention", "gemm", "layernorm", "softmax"]


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
    order: OrderedModel, text: str, kernels: list[str]
) -> None:
    order.set_filter(text)
    assert shown(order) == kernels


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
