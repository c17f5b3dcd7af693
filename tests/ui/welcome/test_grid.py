from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from workbench.ui.welcome.grid import EvenGrid, columns_for


@pytest.mark.parametrize(
    ("width", "columns"), [(1158, 5), (944, 5), (943, 3), (600, 3), (500, 2), (300, 1), (10, 1)]
)
def test_five_cards_break_into_even_rows(width: int, columns: int) -> None:
    assert columns_for(width, 5, 176, 16) == columns


class Box(QWidget):
    def __init__(self, height: int) -> None:
        super().__init__()
        self._height = height

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(10, self._height)


@pytest.fixture
def grid(qtbot: QtBot) -> EvenGrid:
    grid = EvenGrid(100, 10)
    qtbot.addWidget(grid)
    grid.resize(320, 500)
    grid.set_items([Box(height) for height in (30, 50, 20, 40)])
    grid.show()
    return grid


def rects(grid: EvenGrid) -> list[tuple[int, int, int, int]]:
    return [
        (g.left(), g.top(), g.width(), g.height()) for g in (item.geometry() for item in grid.items)
    ]


def test_a_row_is_as_high_as_its_highest(grid: EvenGrid) -> None:
    assert rects(grid) == [(0, 0, 155, 50), (165, 0, 155, 50), (0, 60, 155, 40), (165, 60, 155, 40)]


def test_the_height_follows_from_the_width(grid: EvenGrid) -> None:
    assert grid.heightForWidth(320) == 100
    assert grid.heightForWidth(100) == 30 + 50 + 20 + 40 + 3 * 10


def test_it_is_laid_out_anew_when_it_is_resized(grid: EvenGrid) -> None:
    grid.resize(100, 500)
    assert [rect[1] for rect in rects(grid)] == [0, 40, 100, 130]


def test_without_widgets_it_has_no_height(grid: EvenGrid) -> None:
    grid.set_items([])
    assert grid.heightForWidth(320) == 0
