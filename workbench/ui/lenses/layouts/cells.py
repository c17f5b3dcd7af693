"""What stands in a grid of cells, and where the grid and its cells lie in the view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRectF
from PySide6.QtGui import QPixmap

from workbench.ui.lenses.canvas import Hit

Ints = npt.NDArray[np.int64]
Mask = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
LEFT, TOP = 30.0, 18.0  # px for the numbers of rows and of columns


@dataclass
class KeptBoxes:
    """The boxes of all cells as they were last painted, without those that are lifted.

    `key` says of what; `pixels` is the size of their texts, None where they have none.
    """

    key: object = None
    image: QPixmap | None = None
    pixels: int | None = None


@dataclass(frozen=True, eq=False)
class Cells:
    """What stands in the cells. `numbers` choose the hue, negative ones are no cell.

    `texts` gives a cell's two lines. `lifted` cells are accent; `seconds` splits the cells that are
    not `agreeing`, which are pale. `outlined` are the first row and column and the sizes of a
    group. Heavier lines stand every `group` cells; 0: nowhere. What is the same in each painting
    may lie in `kept`.
    """

    numbers: Ints
    texts: Callable[[int, int], tuple[str, str]]
    hit: Callable[[int, int], Hit]
    row_label: Callable[[int], str] = str
    column_label: Callable[[int], str] = str
    lifted: Mask | None = None
    seconds: Ints | None = None
    agreeing: Mask | None = None
    outlined: tuple[int, int, int, int] | None = None
    group: int = 8
    kept: KeptBoxes | None = None

    @property
    def rows(self) -> int:
        """Rows of cells."""
        return int(self.numbers.shape[0])

    @property
    def columns(self) -> int:
        """Columns of cells."""
        return int(self.numbers.shape[1])


@dataclass(frozen=True)
class Frame:
    """Where a grid lies in the view, in px; `rows` and `columns` are those in sight."""

    grid: QRectF
    view: QRectF
    rows: range
    columns: range
    width: float
    height: float

    def box(self, row: int, column: int) -> QRectF:
        """The place of a cell."""
        left = self.grid.left() + column * self.width
        return QRectF(left, self.grid.top() + row * self.height, self.width, self.height)

    @property
    def in_sight(self) -> QRectF:
        """The place of all cells in sight."""
        last = self.box(self.rows.stop - 1, self.columns.stop - 1)
        return self.box(self.rows.start, self.columns.start).united(last)


def frame_of(grid: QRectF, view: QRectF, cells: Cells) -> Frame:
    """The frame of a grid of which the view shows a part."""
    width, height = grid.width() / cells.columns, grid.height() / cells.rows
    seen = grid.intersected(view)
    if seen.isEmpty():
        return Frame(grid, view, range(0), range(0), width, height)
    rows = _touched(seen.top() - grid.top(), seen.height(), height, cells.rows)
    columns = _touched(seen.left() - grid.left(), seen.width(), width, cells.columns)
    return Frame(grid, view, rows, columns, width, height)


def _touched(start: float, length: float, step: float, most: int) -> range:
    return range(max(0, int(start / step)), min(most, int((start + length) / step) + 1))
