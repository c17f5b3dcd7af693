"""The meters of a draft: a column a target, each figure over its bar and its limit."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.session.patterns.cells import Cell
from workbench.session.patterns.meters import Meters, spoken
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.painting import paint_mark
from workbench.ui.wizard.meter_bars import paint_bar

_HEAD, _ROW, _LOW_ROW, _TITLES, _GAP = 30, 54, 46, 110, 14
_BAR, _MARK = 8, 9
_STALE, _LEAST_COLUMN = 0.45, 76
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class MeterTable(QWidget):
    """What is predicted is hatched, what was counted solid; what is over a limit is red."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, self._theme = icons, icons.theme
        self.meters = Meters((), ())
        self._row = _ROW
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("What these choices cost")
        icons.theme.changed.connect(self.update)

    def needs_width(self) -> int:
        """The px below which its columns are too narrow for their figures."""
        return self._pixels(_TITLES) + len(self.meters.labels) * (_LEAST_COLUMN + _GAP)

    def set_low(self, is_low: bool) -> None:
        """Take less height, in a low window."""
        row = _LOW_ROW if is_low else _ROW
        if row != self._row:
            self._row = row
            self.updateGeometry()
            self.update()

    def set_meters(self, meters: Meters) -> None:
        """Show other meters."""
        if meters == self.meters:
            return
        self.meters = meters
        self.setAccessibleDescription("\n".join(spoken(meters)))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        columns = max(1, len(self.meters.labels))
        width = _TITLES + columns * (_LEAST_COLUMN + _GAP)
        return QSize(width, self._pixels(_HEAD) + len(self.meters.rows) * self._pixels(self._row))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(240, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Say of the cell under the pointer where it comes from."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self.cell_at(event.pos())
            QToolTip.showText(event.globalPos(), cell.tip if cell is not None else "", self)
            return True
        return super().event(event)

    def cell_at(self, point: QPoint) -> Cell | None:
        """The cell at a point."""
        row = (point.y() - self._pixels(_HEAD)) // max(1, self._pixels(self._row))
        for column in range(len(self.meters.labels)):
            box = self._column(column)
            if 0 <= row < len(self.meters.rows) and box.left() <= point.x() <= box.right():
                return self.meters.rows[row].cells[column]
        return None

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_head(painter)
        for at in range(len(self.meters.rows)):
            self._paint_row(painter, at)
        painter.end()

    def _pixels(self, pixels: int) -> int:
        return self._theme.fonts.pixels(pixels)

    def _font(self, role: TextRole) -> QFont:
        return self._theme.fonts.role(role)

    def _column(self, at: int) -> QRect:
        titles = self._pixels(_TITLES)
        width = (self.width() - titles) / max(1, len(self.meters.labels))
        left = titles + round(at * width) + (_GAP if at else 0) // 2
        return QRect(left, 0, round(width) - _GAP, self.height())

    def _paint_head(self, painter: QPainter) -> None:
        height = self._pixels(_HEAD)
        painter.setFont(self._font(TextRole.HEADING))
        for at, label in enumerate(self.meters.labels):
            box = self._column(at)
            top = (height - _MARK) / 2 - 2
            paint_mark(painter, QRectF(box.left(), top, _MARK, _MARK), self._theme, at)
            painter.setPen(self._theme.colour("fg"))
            text = QRect(box.left() + _MARK + 7, 0, box.width() - _MARK - 7, height - 4)
            self._elided(painter, text, label)
        painter.fillRect(QRectF(0, height - 1, self.width(), 1), self._theme.colour("line2"))

    def _elided(self, painter: QPainter, box: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, _LEFT, shown)

    def _paint_row(self, painter: QPainter, at: int) -> None:
        row, height = self.meters.rows[at], self._pixels(self._row)
        top = self._pixels(_HEAD) + at * height
        width = self._pixels(_TITLES) - 8
        painter.setOpacity(1.0)
        painter.setFont(self._font(TextRole.HEADING))
        painter.setPen(self._theme.colour("fg"))
        lift = 3 if self._row == _LOW_ROW else 0
        self._elided(painter, QRect(0, top + 6 - lift, width, 18), row.title)
        painter.setFont(self._font(TextRole.LABEL))
        painter.setPen(self._theme.colour("fg3"))
        self._elided(painter, QRect(0, top + 23 - lift, width, 16), row.note)
        is_beside = all(self._fits(cell, self._column(at)) for at, cell in enumerate(row.cells))
        for column, cell in enumerate(row.cells):
            painter.setOpacity(_STALE if cell.is_stale else 1.0)
            self._paint_cell(painter, self._column(column), top, cell, column, is_beside)
        painter.setOpacity(1.0)
        if at < len(self.meters.rows) - 1:
            line = QRectF(0, top + height - 1, self.width(), 1)
            painter.fillRect(line, self._theme.colour("line"))

    def _fits(self, cell: Cell, box: QRect) -> bool:
        """Whether there is room beside a figure for what it is of."""
        value = QFontMetrics(self._font(TextRole.VALUE)).horizontalAdvance(cell.value)
        small = QFontMetrics(self._font(TextRole.LABEL))
        others = small.horizontalAdvance(cell.unit) + small.horizontalAdvance(cell.of)
        return not cell.of or value + others + 10 <= box.width()

    def _paint_cell(
        self, painter: QPainter, box: QRect, top: int, cell: Cell, column: int, is_beside: bool
    ) -> None:
        lift = 3 if self._row == _LOW_ROW else 0
        value = QRect(box.left(), top + 5 - lift, box.width(), 18)
        self._paint_value(painter, value, cell, cell.of if is_beside else "")
        note = cell.note or ("" if is_beside else cell.of)
        below = top + 24 - lift
        if cell.share is not None:
            bar = QRectF(box.left(), below, box.width(), _BAR)
            paint_bar(painter, self._theme, bar, cell, column)
            below += _BAR + (1 if lift else 2)
        if note:
            painter.setFont(self._font(TextRole.NOTE))
            painter.setPen(self._theme.colour("error" if cell.is_over else "fg3"))
            self._elided(painter, QRect(box.left(), below, box.width() + _GAP - 3, 15), note)

    def _paint_value(self, painter: QPainter, box: QRect, cell: Cell, of: str) -> None:
        """Paint the figure, and at the right what it is of."""
        small = self._font(TextRole.LABEL)
        is_word = not cell.is_known and len(cell.value) > 1
        big = small if is_word else self._font(TextRole.VALUE)
        tone = "error" if cell.is_over else "fg" if cell.is_known else "fg3"
        painter.setFont(big)
        painter.setPen(self._theme.colour(tone))
        self._elided(painter, box, cell.value)
        left = box.left() + QFontMetrics(big).horizontalAdvance(cell.value) + 4
        painter.setFont(small)
        painter.setPen(self._theme.colour("error" if cell.is_over else "fg3"))
        room = QRect(left, box.top() + 1, box.right() - left, box.height())
        self._elided(painter, room, cell.unit)
        painter.drawText(room, _RIGHT, of)
