"""The meters of many targets, or beside a picture: a line a target, meters in bands of a few."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from workbench.session.patterns.cells import Cell
from workbench.session.patterns.meters import MeterRow, Meters, spoken
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.painting import paint_mark
from workbench.ui.wizard.meter_bars import paint_bar

_HEAD, _ROW, _NAMES, _GAP = 38, 31, 98, 12
_BAR, _MARK = 5, 9
_BESIDE = 4  # meters of a band
_STALE = 0.45
# Titles and notes that a column has no room for.
_SHORT = {"Shared memory": "Shared"}
_SHORT_NOTES = {"lowering follows": "to follow", "shared memory": "of banks"}
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class CompactMeters(QWidget):
    """What `MeterTable` shows, with less of it: notes stand where there is no bar, else in tips."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = icons.theme
        self.meters = Meters((), ())
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("What these choices cost")
        icons.theme.changed.connect(self.update)

    def set_meters(self, meters: Meters) -> None:
        """Show other meters."""
        if meters == self.meters:
            return
        self.meters = meters
        self.setAccessibleDescription("\n".join(spoken(meters)))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        bands = -(-len(self.meters.rows) // _BESIDE)
        return QSize(320, bands * self._band_height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(240, self.sizeHint().height())

    def event(self, event: QEvent) -> bool:
        """Say of the cell under the pointer what there is no room for."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            cell = self.cell_at(event.pos())
            QToolTip.showText(event.globalPos(), _tip(cell) if cell is not None else "", self)
            return True
        return super().event(event)

    def cell_at(self, point: QPoint) -> Cell | None:
        """The cell at a point."""
        for row, place, target in self._places():
            if self._box(place, target).contains(point):
                return row.cells[target]
        return None

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for band in range(-(-len(self.meters.rows) // _BESIDE)):
            self._paint_names(painter, band * self._band_height())
        for place, row in enumerate(self.meters.rows):
            self._paint_head(painter, place, row)
        for row, place, target in self._places():
            cell = row.cells[target]
            painter.setOpacity(_STALE if cell.is_stale else 1.0)
            shown_unit = "" if _unit_of(row) else cell.unit
            self._paint_cell(painter, self._box(place, target), cell, shown_unit, target)
        painter.end()

    def _places(self) -> Iterator[tuple[MeterRow, int, int]]:
        for place, row in enumerate(self.meters.rows):
            for target in range(len(self.meters.labels)):
                yield row, place, target

    def _pixels(self, pixels: int) -> int:
        return self._theme.fonts.pixels(pixels)

    def _font(self, role: TextRole) -> QFont:
        return self._theme.fonts.role(role)

    def _band_height(self) -> int:
        return self._pixels(_HEAD) + len(self.meters.labels) * self._pixels(_ROW) + 4

    def _column(self, place: int) -> tuple[int, int]:
        """Left end and width of a meter within its band."""
        names = self._pixels(_NAMES)
        width = (self.width() - names) / _BESIDE
        return names + round((place % _BESIDE) * width), round(width) - _GAP

    def _box(self, place: int, target: int) -> QRect:
        left, width = self._column(place)
        top = (place // _BESIDE) * self._band_height() + self._pixels(_HEAD)
        return QRect(left, top + target * self._pixels(_ROW), width, self._pixels(_ROW))

    def _paint_names(self, painter: QPainter, top: int) -> None:
        painter.setOpacity(1.0)
        painter.setFont(self._font(TextRole.HEADING))
        names, height = self._pixels(_NAMES), self._pixels(_ROW)
        for at, label in enumerate(self.meters.labels):
            y = top + self._pixels(_HEAD) + at * height
            line = QRectF(0, y, self.width(), 1)
            painter.fillRect(line, self._theme.colour("line" if at else "line2"))
            middle = y + height / 2 - _MARK / 2
            paint_mark(painter, QRectF(0, middle, _MARK, _MARK), self._theme, at)
            painter.setPen(self._theme.colour("fg"))
            self._elided(painter, QRect(_MARK + 7, y, names - _MARK - 13, height), label)

    def _paint_head(self, painter: QPainter, place: int, row: MeterRow) -> None:
        left, width = self._column(place)
        top = (place // _BESIDE) * self._band_height()
        font = self._font(TextRole.LABEL)
        font.setWeight(self._font(TextRole.HEADING).weight())
        painter.setFont(font)
        painter.setPen(self._theme.colour("fg"))
        room, line = width + _GAP - 2, self._pixels(17)
        self._elided(painter, QRect(left, top + 2, room, line), _SHORT.get(row.title, row.title))
        painter.setFont(self._font(TextRole.NOTE))
        painter.setPen(self._theme.colour("fg3"))
        note = _unit_of(row) or _SHORT_NOTES.get(row.note, row.note)
        self._elided(painter, QRect(left, top + line, room, line), note)

    def _paint_cell(
        self, painter: QPainter, box: QRect, cell: Cell, unit: str, target: int
    ) -> None:
        tone = "error" if cell.is_over else "fg" if cell.is_known else "fg3"
        is_word = not cell.is_known and len(cell.value) > 1
        font = self._font(TextRole.VALUE)
        if is_word or QFontMetrics(font).horizontalAdvance(cell.value) > box.width():
            font = self._font(TextRole.LABEL)
        painter.setFont(font)
        painter.setPen(self._theme.colour(tone))
        value = QRect(box.left(), box.top() + 1, box.width(), self._pixels(17))
        self._elided(painter, value, cell.value)
        used = QFontMetrics(font).horizontalAdvance(cell.value) + 3
        painter.setFont(self._font(TextRole.NOTE))
        if not is_word:
            painter.setPen(self._theme.colour("error" if cell.is_over else "fg3"))
            self._elided(painter, value.adjusted(used, 1, 0, 0), unit)
        below = box.top() + self._pixels(20)
        if cell.share is not None:
            bar = QRectF(box.left(), below, box.width(), _BAR)
            paint_bar(painter, self._theme, bar, cell, target)
        elif cell.note:
            painter.setPen(self._theme.colour("error" if cell.is_over else "fg3"))
            note = QRect(box.left(), below - 4, box.width() + _GAP - 2, self._pixels(14))
            self._elided(painter, note, _SHORT_NOTES.get(cell.note, cell.note))

    def _elided(self, painter: QPainter, box: QRect, text: str) -> None:
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(box, _LEFT, shown)


def _unit_of(row: MeterRow) -> str:
    """The unit that all cells have which have one; empty where they differ."""
    units = {cell.unit for cell in row.cells if cell.is_known and cell.unit}
    return units.pop() if len(units) == 1 else ""


def _tip(cell: Cell) -> str:
    """The figure in full, its note, and where it comes from."""
    figure = " ".join(part for part in (cell.value, cell.unit, cell.of) if part)
    first = f"{figure}: {cell.note}" if cell.note else figure
    return "\n".join(part for part in (first, cell.tip) if part)
