"""Paints a grid of cells: boxes with texts where there is room, else a raster."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QImage,
    QPaintEngine,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
    QTransform,
)

from workbench.ui.lenses.canvas import Canvas, Hit
from workbench.ui.lenses.layouts.cell_numbers import paint_numbers
from workbench.ui.lenses.layouts.cell_texts import TWO_LINES, CellTexts
from workbench.ui.lenses.layouts.cells import Cells, Frame, KeptBoxes, frame_of
from workbench.ui.lenses.layouts.hues import colours_of, hue_colour

_MOST_BOXES = 1200
_LEAST_BOX = 10.0  # px of a cell from which on it is a box
_LEAST_LINES = 5.0  # px from which on lines part the cells of a raster
_LEAST_GROUP = 27.0
_CORNERS = 1.4  # how much more room two texts have in opposite corners


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
    frame = frame_of(place.mapRect(area), place.mapRect(canvas.visible), cells)
    if frame.rows and frame.columns:
        _Painting(canvas, frame, cells).paint()
        paint_numbers(canvas, frame, cells)
    painter.restore()


def _hit_at(point: QPointF, area: QRectF, cells: Cells) -> Hit | None:
    row = int((point.y() - area.top()) / area.height() * cells.rows)
    column = int((point.x() - area.left()) / area.width() * cells.columns)
    inside = 0 <= row < cells.rows and 0 <= column < cells.columns
    return cells.hit(row, column) if inside and cells.numbers[row, column] >= 0 else None


class _Painting:
    """One painting of a grid, in px of the view."""

    def __init__(self, canvas: Canvas, frame: Frame, cells: Cells) -> None:
        self._canvas, self._painter = canvas, canvas.painter
        self._frame, self._cells = frame, cells
        self._scheme = canvas.theme.scheme
        self._texts = CellTexts(canvas)

    def paint(self) -> None:
        """Cells, lines between groups, and the outlined group."""
        frame = self._frame
        count = len(frame.rows) * len(frame.columns)
        if min(frame.width, frame.height) >= _LEAST_BOX and count <= _MOST_BOXES:
            self._paint_boxes()
        else:
            self._paint_raster()
        self._paint_groups()
        if self._cells.outlined is not None:
            row, column, rows, columns = self._cells.outlined
            whole = frame.box(row, column).united(frame.box(row + rows - 1, column + columns - 1))
            self._canvas.outline(whole.adjusted(-1, -1, 1, 1), "fg", 2)

    def _paint_boxes(self) -> None:
        """All boxes, and those that are lifted once more above them."""
        kept = self._cells.kept
        is_raster = self._painter.paintEngine().type() is QPaintEngine.Type.Raster
        if kept is not None and is_raster:
            self._paint_kept(kept)
        else:
            self._paint_all()
        self._paint_lifted()
        self._painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_kept(self, kept: KeptBoxes) -> None:
        """The boxes from the pixels of the last painting, made anew where they are of another."""
        frame, ratio = self._frame, self._painter.device().devicePixelRatioF()
        area = frame.in_sight.adjusted(-1, -1, 1, 1).toAlignedRect()
        key = (frame, self._canvas.theme.palette, ratio)
        if kept.key != key or kept.image is None:
            image = QPixmap((area.size().toSizeF() * ratio).toSize())
            image.setDevicePixelRatio(ratio)
            image.fill(Qt.GlobalColor.transparent)
            shown = self._painter
            with QPainter(image) as painter:
                painter.setRenderHints(shown.renderHints())
                painter.translate(-area.topLeft())
                self._painter = painter
                self._texts.paint_with(painter)
                self._paint_all()
            self._painter = shown
            kept.key, kept.image, kept.pixels = key, image, self._texts.pixels
        self._texts.pixels = kept.pixels
        self._texts.paint_with(self._painter)
        self._painter.drawPixmap(area.topLeft(), kept.image)

    def _paint_all(self) -> None:
        frame, cells = self._frame, self._cells
        grid = ((row, column) for row in frame.rows for column in frame.columns)
        texts = {place: cells.texts(*place) for place in grid if cells.numbers[place] >= 0}
        width = frame.width * (_CORNERS if cells.seconds is not None else 1.0)
        self._texts.fit((text for pair in texts.values() for text in pair), width, frame.height)
        for (row, column), pair in texts.items():
            self._paint_box(row, column, pair)

    def _paint_lifted(self) -> None:
        frame, lifted = self._frame, self._cells.lifted
        if lifted is None:
            return
        for row, column in np.argwhere(lifted).tolist():
            if row in frame.rows and column in frame.columns:
                self._paint_box(row, column, self._cells.texts(row, column), lifted=True)

    def _paint_box(
        self, row: int, column: int, texts: tuple[str, str], lifted: bool = False
    ) -> None:
        cells, box = self._cells, self._frame.box(row, column)
        inner = box.adjusted(0.75, 0.75, -0.75, -0.75)
        radius = 3.0 if box.width() >= TWO_LINES else 1.5
        pale = cells.agreeing is not None and bool(cells.agreeing[row, column])
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(self._fill(int(cells.numbers[row, column]), lifted, pale))
        self._painter.drawRoundedRect(inner, radius, radius)
        if cells.seconds is not None and not pale:
            self._split(inner, int(cells.seconds[row, column]))
            self._texts.write_split(box, texts)
            return
        token = "onaccent" if lifted else "fg3" if pale else "fg"
        self._texts.write(box, texts, token, "onaccent" if lifted else "fg2")

    def _fill(self, number: int, lifted: bool, pale: bool) -> QColor:
        if lifted:
            return self._texts.colour("accent")
        return self._texts.colour("bg3") if pale else hue_colour(number, self._scheme)

    def _split(self, box: QRectF, number: int) -> None:
        corner = QPolygonF([box.bottomLeft(), box.topRight(), box.bottomRight()])
        self._painter.setBrush(hue_colour(number, self._scheme))
        self._painter.drawPolygon(corner)
        self._painter.setPen(QPen(self._texts.colour("bg1"), 1.5))
        self._painter.drawLine(box.bottomLeft(), box.topRight())

    def _paint_raster(self) -> None:
        frame, cells = self._frame, self._cells
        rows = slice(frame.rows.start, frame.rows.stop)
        columns = slice(frame.columns.start, frame.columns.stop)
        ground = self._canvas.colour("bg1")
        pixels = colours_of(cells.numbers[rows, columns], self._scheme, ground)
        if cells.seconds is not None:  # right halves have the second owner's hue
            second = colours_of(cells.seconds[rows, columns], self._scheme, ground)
            pixels = np.stack([pixels, second], axis=2).reshape(len(pixels), -1)
        for mask, token in ((cells.agreeing, "bg3"), (cells.lifted, "accent")):
            if mask is not None:
                repeats = pixels.shape[1] // len(frame.columns)
                seen = np.repeat(mask[rows, columns], repeats, axis=1)
                pixels[seen] = self._canvas.colour(token).rgba()
        self._draw_pixels(frame.in_sight, pixels)
        if min(frame.width, frame.height) >= _LEAST_LINES:
            self._paint_lines("bg1", 1, 0)

    def _draw_pixels(self, box: QRectF, pixels: npt.NDArray[np.uint32]) -> None:
        kept = np.ascontiguousarray(pixels)
        rows, columns = kept.shape
        image = QImage(kept.data, columns, rows, columns * 4, QImage.Format.Format_ARGB32)
        self._painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, False)
        self._painter.drawImage(box, image)

    def _paint_groups(self) -> None:
        group = self._cells.group
        if group and min(self._frame.width, self._frame.height) * group >= _LEAST_GROUP:
            self._paint_lines("fg3", group, 3)

    def _paint_lines(self, token: str, step: int, beyond: float) -> None:
        """Lines before every so many cells but the first, so many px beyond the grid."""
        painter, frame, grid = self._painter, self._frame, self._frame.grid
        painter.setPen(QPen(self._canvas.colour(token), 1))
        top, bottom = grid.top() - beyond, grid.bottom() + beyond
        for column in _inside(frame.columns, step):
            x = grid.left() + column * frame.width
            painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        left, right = grid.left() - beyond, grid.right() + beyond
        for row in _inside(frame.rows, step):
            y = grid.top() + row * frame.height
            painter.drawLine(QPointF(left, y), QPointF(right, y))


def _inside(shown: range, step: int) -> range:
    first = -(-max(1, shown.start) // step) * step
    return range(first, shown.stop, step)
