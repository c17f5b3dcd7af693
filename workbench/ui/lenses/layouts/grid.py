"""Paints a grid of cells: boxes with two lines of text where there is room, else a raster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen, QPolygonF, QTransform

from workbench.ui.lenses.canvas import Canvas, Hit
from workbench.ui.lenses.layouts.hues import colours_of, hue_colour
from workbench.ui.theme.fonts import TextRole

Ints = npt.NDArray[np.int64]
Mask = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]

LEFT, TOP = 30.0, 18.0  # px for the numbers of rows and of columns
_MOST_BOXES = 1200
_LEAST_BOX = 9.0
_LEAST_LINES = 5.0
_TEXT_SIZES = (10, 9)  # px
_ONE_LINE = 10.5
_TWO_LINES = 21.0
_MIDDLE = Qt.AlignmentFlag.AlignCenter


@dataclass(frozen=True, eq=False)
class Cells:
    """What stands in the cells. `numbers` choose the hue, negative ones are no cell.

    `texts` gives a cell's two lines. `lifted` cells are accent; `seconds` splits the cells that are
    not `agreeing`, which are pale. `outlined` are the first row and column and the sizes of a
    group. Heavier lines stand every `group` cells.
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

    @property
    def rows(self) -> int:
        """Rows of cells."""
        return int(self.numbers.shape[0])

    @property
    def columns(self) -> int:
        """Columns of cells."""
        return int(self.numbers.shape[1])


def paint_cells(canvas: Canvas, area: QRectF, cells: Cells) -> None:
    """Paint the cells in an area, with their numbers left of it and above it.

    Texts keep their size when the picture is zoomed, so that more of them fit, and the numbers of
    rows and columns stay in sight.
    """
    canvas.field(area, lambda point: _hit_at(point, area, cells))
    painter = canvas.painter
    place = painter.worldTransform()
    painter.save()
    painter.setWorldTransform(QTransform())
    view = place.mapRect(canvas.visible)
    _Painting(canvas, place.mapRect(area), view, cells).paint()
    painter.restore()


def _hit_at(point: QPointF, area: QRectF, cells: Cells) -> Hit | None:
    row = int((point.y() - area.top()) / area.height() * cells.rows)
    column = int((point.x() - area.left()) / area.width() * cells.columns)
    inside = 0 <= row < cells.rows and 0 <= column < cells.columns
    return cells.hit(row, column) if inside and cells.numbers[row, column] >= 0 else None


class _Painting:
    """One painting of a grid, in px of the view."""

    def __init__(self, canvas: Canvas, grid: QRectF, view: QRectF, cells: Cells) -> None:
        self._canvas, self._painter = canvas, canvas.painter
        self._grid, self._view, self._cells = grid, view, cells
        self._width = grid.width() / cells.columns
        self._height = grid.height() / cells.rows
        self._scheme = canvas.theme.scheme
        self._text_size: int | None = None
        seen = grid.intersected(view)
        self._rows = self._range(seen.top() - grid.top(), seen.height(), self._height, cells.rows)
        self._columns = self._range(
            seen.left() - grid.left(), seen.width(), self._width, cells.columns
        )

    @staticmethod
    def _range(start: float, length: float, step: float, most: int) -> range:
        return range(max(0, int(start / step)), min(most, int((start + length) / step) + 1))

    def paint(self) -> None:
        """Cells, lines between groups, the outlined group, and the numbers outside."""
        if not self._rows or not self._columns:
            return
        count = len(self._rows) * len(self._columns)
        room = min(self._width, self._height)
        if room >= _LEAST_BOX and count <= _MOST_BOXES:
            self._paint_boxes()
        else:
            self._paint_raster()
            self._paint_splits_coarsely()
        self._paint_groups()
        if self._cells.outlined is not None:
            row, column, rows, columns = self._cells.outlined
            whole = self._box(row, column).united(self._box(row + rows - 1, column + columns - 1))
            self._canvas.outline(whole.adjusted(-1, -1, 1, 1), "fg", 2)
        self._paint_numbers()

    def _box(self, row: int, column: int) -> QRectF:
        left = self._grid.left() + column * self._width
        return QRectF(left, self._grid.top() + row * self._height, self._width, self._height)

    def _paint_boxes(self) -> None:
        places = [
            (row, column)
            for row in self._rows
            for column in self._columns
            if self._cells.numbers[row, column] >= 0
        ]
        texts = {place: self._cells.texts(*place) for place in places}
        self._text_size = self._fitting({text for pair in texts.values() for text in pair})
        if self._text_size is not None:
            self._set_font(self._text_size)
        for row, column in places:
            self._paint_box(row, column, self._box(row, column), texts[row, column])

    def _fitting(self, texts: set[str]) -> int | None:
        """The size at which every text fits into its cell; None: none is written."""
        room = self._width - 3.0
        if self._cells.seconds is not None:
            room *= 1.4  # the two texts stand in opposite corners
        font = self._canvas.theme.fonts.role(TextRole.NOTE)
        for size in _TEXT_SIZES if self._height >= _ONE_LINE else ():
            font.setPixelSize(size)
            metrics = QFontMetricsF(font)
            if max(map(metrics.horizontalAdvance, texts), default=0.0) <= room:
                return size
        return None

    def _paint_box(self, row: int, column: int, box: QRectF, texts: tuple[str, str]) -> None:
        cells, canvas = self._cells, self._canvas
        inner = box.adjusted(0.75, 0.75, -0.75, -0.75)
        radius = 3.0 if box.width() >= _TWO_LINES else 1.5
        lifted = cells.lifted is not None and bool(cells.lifted[row, column])
        pale = cells.agreeing is not None and bool(cells.agreeing[row, column])
        fill = self._fill(int(cells.numbers[row, column]), lifted, pale)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(fill)
        self._painter.drawRoundedRect(inner, radius, radius)
        if cells.seconds is not None and not pale:
            self._split(inner, int(cells.seconds[row, column]))
            self._write_split(box, texts)
        else:
            token = "onaccent" if lifted else "fg3" if pale else "fg"
            self._write(box, texts, token, "onaccent" if lifted else "fg2")
        canvas.painter.setBrush(Qt.BrushStyle.NoBrush)

    def _fill(self, number: int, lifted: bool, pale: bool) -> QColor:
        if lifted:
            return self._canvas.colour("accent")
        if pale:
            return self._canvas.colour("bg3")
        return hue_colour(number, self._scheme)

    def _split(self, box: QRectF, number: int) -> None:
        corner = QPolygonF([box.bottomLeft(), box.topRight(), box.bottomRight()])
        self._painter.setBrush(hue_colour(number, self._scheme))
        self._painter.drawPolygon(corner)
        self._painter.setPen(QPen(self._canvas.colour("bg1"), 1.5))
        self._painter.drawLine(box.bottomLeft(), box.topRight())

    def _write(self, box: QRectF, texts: tuple[str, str], token: str, below: str) -> None:
        if self._text_size is None:
            return
        self._painter.setPen(self._canvas.colour(token))
        if not texts[1] or box.height() < _TWO_LINES:
            self._painter.drawText(box, int(_MIDDLE), texts[0])
            return
        upper = QRectF(box.left(), box.center().y() - 11.5, box.width(), 12)
        self._painter.drawText(upper, int(_MIDDLE), texts[0])
        self._painter.setPen(self._canvas.colour(below))
        self._painter.drawText(upper.translated(0, 10.5), int(_MIDDLE), texts[1])

    def _write_split(self, box: QRectF, texts: tuple[str, str]) -> None:
        if self._text_size is None or box.height() < _TWO_LINES:
            return
        self._painter.setPen(self._canvas.colour("fg"))
        inner = box.adjusted(2.5, 1.5, -2.5, -1.5)
        high = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
        low = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignBottom
        self._painter.drawText(inner, int(high), texts[0])
        self._painter.drawText(inner, int(low), texts[1])

    def _set_font(self, pixels: int) -> None:
        font = self._canvas.theme.fonts.role(TextRole.NOTE)
        font.setPixelSize(pixels)
        self._painter.setFont(font)

    def _paint_raster(self) -> None:
        rows = slice(self._rows.start, self._rows.stop)
        columns = slice(self._columns.start, self._columns.stop)
        ground = self._canvas.colour("bg1")
        pixels = colours_of(self._cells.numbers[rows, columns], self._scheme, ground)
        if self._cells.agreeing is not None:
            pixels[self._cells.agreeing[rows, columns]] = self._canvas.colour("bg3").rgba()
        if self._cells.lifted is not None:
            pixels[self._cells.lifted[rows, columns]] = self._canvas.colour("accent").rgba()
        box = self._box(rows.start, columns.start).united(
            self._box(rows.stop - 1, columns.stop - 1)
        )
        self._draw_pixels(box, pixels)
        if min(self._width, self._height) >= _LEAST_LINES:
            self._paint_lines("bg1", 1)

    def _draw_pixels(self, box: QRectF, pixels: npt.NDArray[np.uint32]) -> None:
        kept = np.ascontiguousarray(pixels)
        rows, columns = kept.shape
        image = QImage(kept.data, columns, rows, columns * 4, QImage.Format.Format_ARGB32)
        hint = QPainter.RenderHint.SmoothPixmapTransform
        self._painter.setRenderHint(hint, False)
        self._painter.drawImage(box, image)

    def _paint_splits_coarsely(self) -> None:
        """Where cells are too small to split, their right halves have the second owner's hue."""
        cells = self._cells
        if cells.seconds is None:
            return
        rows = slice(self._rows.start, self._rows.stop)
        columns = slice(self._columns.start, self._columns.stop)
        pixels = np.zeros((rows.stop - rows.start, 2 * (columns.stop - columns.start)), np.uint32)
        ground = self._canvas.colour("bg1")
        pixels[:, 1::2] = colours_of(cells.seconds[rows, columns], self._scheme, ground)
        if cells.agreeing is not None:
            pixels[np.repeat(cells.agreeing[rows, columns], 2, axis=1)] = 0
        box = self._box(rows.start, columns.start).united(
            self._box(rows.stop - 1, columns.stop - 1)
        )
        self._draw_pixels(box, pixels)

    def _paint_lines(self, token: str, step: int) -> None:
        painter, grid = self._painter, self._grid
        painter.setPen(QPen(self._canvas.colour(token), 1))
        for column in range(self._columns.start, self._columns.stop + 1, step):
            x = grid.left() + column * self._width
            painter.drawLine(QPointF(x, grid.top()), QPointF(x, grid.bottom()))
        for row in range(self._rows.start, self._rows.stop + 1, step):
            y = grid.top() + row * self._height
            painter.drawLine(QPointF(grid.left(), y), QPointF(grid.right(), y))

    def _paint_groups(self) -> None:
        group = self._cells.group
        if group <= 0 or min(self._width, self._height) * group < 3 * _LEAST_BOX:
            return
        painter, grid = self._painter, self._grid
        painter.setPen(QPen(self._canvas.colour("fg3"), 1))
        for column in _inside(self._columns, group, self._cells.columns):
            x = grid.left() + column * self._width
            painter.drawLine(QPointF(x, grid.top() - 3), QPointF(x, grid.bottom() + 3))
        for row in _inside(self._rows, group, self._cells.rows):
            y = grid.top() + row * self._height
            painter.drawLine(QPointF(grid.left() - 3, y), QPointF(grid.right() + 3, y))

    def _lifted_along(self, axis: int) -> frozenset[int]:
        """The rows (along axis 1) or columns with a lifted cell."""
        lifted = self._cells.lifted
        if lifted is None:
            return frozenset()
        return frozenset(np.flatnonzero(np.any(lifted, axis=axis)).tolist())

    def _paint_numbers(self) -> None:
        """Beside the grid, or at the edge of what is in sight."""
        rows, columns = self._lifted_along(1), self._lifted_along(0)
        left = max(self._grid.left() - LEFT, self._view.left())
        top = max(self._grid.top() - TOP, self._view.top())
        canvas, ground = self._canvas, self._canvas.colour("bg1", 0.9)
        if top > self._grid.top() - TOP:
            canvas.painter.fillRect(QRectF(left, top, self._view.width(), TOP), ground)
        if left > self._grid.left() - LEFT:
            canvas.painter.fillRect(QRectF(left, top, LEFT, self._view.height()), ground)
        step = _label_step(self._columns, self._width, self._cells.column_label, canvas)
        for column in self._columns[:: step or 1] if step else ():
            box = self._box(0, column)
            area = QRectF(box.left() - 20, top, box.width() + 40, TOP - 3)
            self._number(area, self._cells.column_label(column), column in columns, _MIDDLE)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        step = max(1, int(np.ceil(13 / self._height)))
        for row in self._rows[:: _round_up(step)]:
            box = self._box(row, 0)
            area = QRectF(left, box.top(), LEFT - 7, max(box.height(), 12))
            if area.center().y() > top + TOP:
                self._number(area, self._cells.row_label(row), row in rows, right)

    def _number(self, area: QRectF, text: str, is_strong: bool, align: Qt.AlignmentFlag) -> None:
        role = TextRole.STRONG_LABEL if is_strong else TextRole.NOTE
        token = "fg" if is_strong else "fg3"
        self._canvas.text(area, text, role, token, align, elide=False)


def _inside(shown: range, group: int, most: int) -> range:
    first = -(-max(1, shown.start) // group) * group
    return range(first, min(shown.stop, most), group)


def _round_up(step: int) -> int:
    return 1 << (step - 1).bit_length()


def _label_step(shown: range, width: float, label: Callable[[int], str], canvas: Canvas) -> int:
    """Every how many columns a number has room; a power of two."""
    widest = max(canvas.text_width(label(n), TextRole.NOTE) for n in (shown[0], shown[-1]))
    return _round_up(max(1, int(np.ceil((widest + 5) / width))))
