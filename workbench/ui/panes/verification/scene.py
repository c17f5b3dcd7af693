"""Paints the map of an output: errors, blocks with their names, values when near, and marks."""

from __future__ import annotations

import math
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from workbench.session.verification_output import Element, OutputView
from workbench.ui.panes.verification.colours import ErrorColours, nice_top
from workbench.ui.panes.verification.geometry import Frame, picture_rect
from workbench.ui.panes.verification.names import ABOVE, BESIDE, CAPTION, MapNames
from workbench.ui.panes.verification.raster import error_image
from workbench.ui.panes.verification.viewport import Viewport
from workbench.ui.panes.verification.wording import value_text
from workbench.ui.theme.colours import contrast
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.painting import paint_hatch, with_alpha

_RIGHT, _BOTTOM = 4.0, 4.0
_LEAST_CAPTIONED = 240
_HINTS = (
    "click an element to see its neighbours, Ctrl+wheel zooms",
    "click an element to see it near",
    "",
)
_LEAST_LINE_STEP = 5.0
_LEAST_CELL_WIDTH, _LEAST_CELL_HEIGHT = 52.0, 18.0
_TWO_LINES = 34.0
_GRID_ALPHA = 0.7


@dataclass(frozen=True)
class Marks:
    """What is marked on the map: the element under the pointer, and the chosen one."""

    hovered: Element | None = None
    chosen: Element | None = None


class MapScene:
    """One output in one theme; paints itself at any size, on the screen or into a file."""

    def __init__(self, theme: Theme, output: OutputView) -> None:
        self._theme, self._output = theme, output
        self._layout = output.layout
        self.colours = ErrorColours(theme.palette, nice_top(output.errors.largest))
        self.names = MapNames(theme, output)
        self._code = theme.fonts.monospace(11)

    def frame(self, size: QSize, view: Viewport) -> Frame:
        """Where the picture stands in a widget of that size."""
        left = self.names.width + BESIDE
        # The same whether all is in sight or a part: zooming must not move the picture.
        has_caption = size.height() >= _LEAST_CAPTIONED
        below = CAPTION if has_caption else _BOTTOM
        width, height = size.width() - left - _RIGHT, size.height() - ABOVE - below
        room = QRectF(left, ABOVE, width, height)
        return Frame(picture_rect(room, self._layout.extent), view, has_caption)

    def is_near(self, frame: Frame) -> bool:
        """Whether elements are large enough for their values."""
        return frame.row_px >= _LEAST_CELL_HEIGHT and frame.column_px >= _LEAST_CELL_WIDTH

    def paint(self, painter: QPainter, frame: Frame, ratio: float) -> None:
        """Paint the picture with its labels; `ratio` are the screen's pixels to one of `frame`."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, frame)
        near = self.is_near(frame)
        if near:
            self._paint_values(painter, frame)
        else:
            self._paint_errors(painter, frame, ratio)
        self._paint_grid(painter, frame)
        self.names.paint(painter, frame, near)
        if frame.has_caption and not frame.view.is_whole:
            self.names.paint_caption(painter, frame, self._part(frame, near))

    def paint_marks(self, painter: QPainter, frame: Frame, marks: Marks) -> None:
        """Paint the marks of elements over the picture, and what can be done with it."""
        painter.save()
        if frame.has_caption and frame.view.is_whole:
            self.names.paint_caption(painter, frame, *_HINTS)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setClipRect(frame.rect.adjusted(-2, -2, 2, 2))
        self._paint_mark(painter, frame, marks.chosen, "accent")
        self._paint_mark(painter, frame, marks.hovered, "fg")
        painter.restore()

    def block_rect(self, frame: Frame, element: Element) -> QRectF:
        """The rectangle of the block that an element lies in, the element's own without blocks."""
        row, column = self._layout.place_of(element.index or (0,))
        if not self._layout.is_block_grid:
            return frame.cells(row, column, 1, 1)
        height, width = self._layout.cell
        return frame.cells(row // height * height, column // width * width, height, width)

    def point(self, frame: Frame, element: Element) -> QPointF:
        """The middle of an element."""
        row, column = self._layout.place_of(element.index or (0,))
        return frame.cells(row, column, 1, 1).center()

    def _part(self, frame: Frame, near: bool) -> str:
        """Which part is in sight, or what stands in a cell."""
        if near and self._output.got is not None:
            return "in each cell: what the kernel gave, below it what was expected"
        view = frame.view
        rows = f"{int(view.top)}–{math.ceil(view.top + view.rows) - 1}"
        columns = f"{int(view.left)}–{math.ceil(view.left + view.columns) - 1}"
        return f"rows {rows}, columns {columns} of the picture"

    def _paint_ground(self, painter: QPainter, frame: Frame) -> None:
        """What no element covers lies outside the output."""
        if math.prod(self._layout.extent) == self._output.comparison.total:
            return
        area = QPainterPath()
        area.addRect(frame.rect)
        painter.fillPath(area, self._theme.colour("bg2"))
        paint_hatch(painter, area, self._theme.colour("line2"))

    def _paint_errors(self, painter: QPainter, frame: Frame, ratio: float) -> None:
        width, height = (
            max(1, round(n * ratio)) for n in (frame.rect.width(), frame.rect.height())
        )
        image = error_image(self._output.errors, frame.view, height, width, self.colours)
        painter.drawImage(frame.rect, image)

    def _paint_grid(self, painter: QPainter, frame: Frame) -> None:
        painter.setPen(QPen(self._theme.colour("fg4", _GRID_ALPHA), 1))
        height, width = self._layout.cell
        if self._layout.is_block_grid:
            for y in _lines(frame.view.top, frame.view.rows, height, frame.row_px):
                at = round(frame.y(y)) + 0.5
                painter.drawLine(QPointF(frame.rect.left(), at), QPointF(frame.rect.right(), at))
            for x in _lines(frame.view.left, frame.view.columns, width, frame.column_px):
                at = round(frame.x(x)) + 0.5
                painter.drawLine(QPointF(at, frame.rect.top()), QPointF(at, frame.rect.bottom()))
        painter.setPen(QPen(self._theme.colour("fg4"), 1))
        painter.drawRect(frame.rect)

    def _paint_values(self, painter: QPainter, frame: Frame) -> None:
        view = frame.view
        painter.save()
        painter.setClipRect(frame.rect)
        for row in range(int(view.top), min(view.extent[0], math.ceil(view.top + view.rows))):
            columns = range(
                int(view.left), min(view.extent[1], math.ceil(view.left + view.columns))
            )
            for column in columns:
                element = self._output.element_at(row, column)
                if element is not None:
                    self._paint_value(painter, frame.cells(row, column, 1, 1), element)
        painter.restore()

    def _paint_value(self, painter: QPainter, cell: QRectF, element: Element) -> None:
        ground = self._ground_of(element)
        painter.setPen(QPen(self._theme.colour("bg1"), 1))
        painter.setBrush(QColor(ground))
        painter.drawRect(cell)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if element.got is None:
            return
        ink = max(
            (self._theme.palette.fg, self._theme.palette.bg1), key=lambda c: contrast(c, ground)
        )
        painter.setFont(self._code)
        painter.setPen(ink)
        middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter
        if cell.height() < _TWO_LINES:
            painter.drawText(cell, middle, value_text(element.got))
            return
        upper = QRectF(cell.left(), cell.top() + 3, cell.width(), cell.height() / 2 - 3)
        lower = QRectF(cell.left(), cell.center().y(), cell.width(), cell.height() / 2 - 3)
        painter.drawText(upper, middle, value_text(element.got))
        painter.setPen(with_alpha(QColor(ink), 0.72))
        painter.drawText(lower, middle, value_text(element.expected))

    def _ground_of(self, element: Element) -> str:
        row, column = self._layout.place_of(element.index or (0,))
        errors = self._output.errors
        error = float(errors.values[row // errors.row_step, column // errors.column_step])
        return self.colours.of(max(error, 0.0))

    def _paint_mark(
        self, painter: QPainter, frame: Frame, element: Element | None, token: str
    ) -> None:
        if element is None:
            return
        painter.setPen(QPen(self._theme.colour(token), 2))
        if self.is_near(frame):
            row, column = self._layout.place_of(element.index or (0,))
            painter.drawRect(frame.cells(row, column, 1, 1).adjusted(1, 1, -1, -1))
            return
        if self._layout.is_block_grid:
            painter.drawRect(self.block_rect(frame, element))
        self._paint_cross(painter, self.point(frame, element), token)

    def _paint_cross(self, painter: QPainter, at: QPointF, token: str) -> None:
        painter.setPen(QPen(self._theme.colour(token), 1.6))
        painter.drawEllipse(at, 4, 4)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            painter.drawLine(at + QPointF(5 * dx, 5 * dy), at + QPointF(16 * dx, 16 * dy))


def _lines(start: float, count: float, length: int, px: float) -> list[int]:
    """The edges of blocks in sight; none where they would lie too close to tell apart."""
    if length * px < _LEAST_LINE_STEP:
        return []
    first, last = math.floor(start / length) + 1, math.ceil((start + count) / length)
    return [block * length for block in range(first, last)]
