"""The strip left of the text: line numbers, severity marks, fold arrows and the light bulb."""

from __future__ import annotations

import html
from dataclasses import replace
from typing import Protocol

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.ui.editor.appearance import (
    MIN_PIXELS,
    SEVERITY_ICONS,
    SEVERITY_TOKENS,
    code_font,
    colour,
    icon_image,
)
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.problems import Problems
from workbench.ui.editor.rows import Row
from workbench.ui.theme.theme import Theme

BAR = 2
MARK = 18
FOLD = 20
RIGHT_MARGIN = 4
LEAST_DIGITS = 3


class RowSource(Protocol):
    """A view, as its gutter sees it."""

    def rows(self, top: float, bottom: float) -> list[Row]: ...

    def current_line(self) -> int: ...

    def viewport(self) -> QWidget: ...

    def header_height(self) -> int: ...


class Gutter(QWidget):
    """Draws on the rows of a view; a click folds, asks for fixes, or selects the line."""

    fold_toggled = Signal(int)
    fixes_requested = Signal(int)
    line_pressed = Signal(int)

    def __init__(
        self,
        parent: QWidget,
        view: RowSource,
        theme: Theme,
        buffer: DocumentBuffer,
        problems: Problems,
    ) -> None:
        super().__init__(parent)
        self._view, self._theme = view, theme
        self._buffer, self._problems = buffer, problems
        self._is_hovered = False
        self._digit = (0.0, 0.0)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Line numbers, problems and folds")

    def wanted_width(self) -> int:
        """The width that the document's line numbers need."""
        digits = max(LEAST_DIGITS, len(str(self._buffer.document.blockCount())))
        advance = QFontMetricsF(self._number_font()).horizontalAdvance("0")
        return BAR + MARK + round(advance * digits) + FOLD + RIGHT_MARGIN

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(self.wanted_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), colour(self._theme.palette, "bg1"))
        painter.setFont(self._number_font())
        metrics = QFontMetricsF(self._number_font())
        self._digit = (metrics.horizontalAdvance("0"), metrics.capHeight())
        current = self._view.current_line()
        folded = self._buffer.folds.folded
        for row in self._view.rows(event.rect().top(), event.rect().bottom() + 1):
            if row.line == current:
                self._paint_current(painter, row)
            self._paint_number(painter, row, is_current=row.line == current)
            self._paint_severity(painter, row)
            self._paint_wraps(painter, row)
            self._paint_fold_or_bulb(painter, row, is_folded=row.line in folded)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self._tip(event.pos()), self)
            return True
        return super().event(event)

    def enterEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self._set_hovered(True)

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self._set_hovered(False)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        row = self._row_at(event.position().toPoint())
        if row is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        if event.position().x() < self._fold_left():
            self.line_pressed.emit(row.line)
        elif self._problems.has_fix(row.line) and row.line not in self._buffer.folds.folded:
            self.fixes_requested.emit(row.line)
        else:
            self.fold_toggled.emit(row.line)

    def _set_hovered(self, is_hovered: bool) -> None:
        self._is_hovered = is_hovered
        self.update()

    def _row_at(self, point: QPoint) -> Row | None:
        rows = self._view.rows(point.y(), point.y() + 1)
        return rows[0] if rows else None

    def _tip(self, point: QPoint) -> str:
        row = self._row_at(point)
        if row is None:
            return ""
        if point.x() >= self._fold_left():
            return self._fold_tip(row.line)
        found = self._problems.on_line(row.line)
        return "<br>".join(html.escape(problem.diagnostic.message) for problem in found)

    def _fold_tip(self, line: int) -> str:
        if line in self._buffer.folds.folded:
            return "Unfold"
        if self._problems.has_fix(line):
            return "Show fixes"
        return "Fold" if self._buffer.folds.is_header(line) else ""

    def _paint_current(self, painter: QPainter, row: Row) -> None:
        area = QRectF(0, row.top, self.width(), row.height)
        painter.fillRect(area, colour(self._theme.palette, "accentbg"))
        area.setWidth(BAR)
        painter.fillRect(area, colour(self._theme.palette, "accent"))

    def _paint_number(self, painter: QPainter, row: Row, *, is_current: bool) -> None:
        painter.setPen(colour(self._theme.palette, "fg" if is_current else "fg3"))
        number, (advance, height) = str(row.line + 1), self._digit
        left = self._fold_left() - len(number) * advance
        baseline = round(row.top + (row.line_height + height) / 2)
        painter.drawText(QPointF(left, baseline), number)

    def _paint_severity(self, painter: QPainter, row: Row) -> None:
        severity = self._problems.severity(row.line)
        if severity is not None:
            token = SEVERITY_TOKENS[severity]
            self._paint_icon(painter, row, SEVERITY_ICONS[severity], token, BAR + 2)

    def _paint_fold_or_bulb(self, painter: QPainter, row: Row, *, is_folded: bool) -> None:
        left = self._fold_left() + 3
        if is_folded:
            self._paint_icon(painter, row, "chevron-right", "fg3", left)
        elif self._problems.has_fix(row.line):
            self._paint_icon(painter, row, "bulb", "warn", left)
        elif self._is_hovered and self._buffer.folds.is_header(row.line):
            self._paint_icon(painter, row, "chevron-down", "fg3", left)

    def _paint_wraps(self, painter: QPainter, row: Row) -> None:
        """Mark the further text lines of a wrapped line."""
        for index in range(1, round(row.height / row.line_height)):
            moved = replace(row, top_left=row.top_left + QPointF(0, index * row.line_height))
            self._paint_icon(painter, moved, "wrap", "fg4", self._fold_left() + 3)

    def _paint_icon(self, painter: QPainter, row: Row, name: str, token: str, left: float) -> None:
        size = min(14, round(row.line_height) - 2)
        ratio = self.devicePixelRatioF()
        image = icon_image(name, self._theme.palette.colour(token), size, ratio)
        top = row.top + (row.line_height - size) / 2
        painter.drawImage(QPointF(round(left), round(top)), image)

    def _fold_left(self) -> int:
        return self.width() - FOLD - RIGHT_MARGIN

    def _number_font(self) -> QFont:
        return code_font(max(MIN_PIXELS, self._buffer.code_pixels - 1))

    def follow_update(self, area: QRect, dy: int) -> None:
        """Scroll or repaint as the viewport does."""
        if dy:
            self.scroll(0, dy)
        else:
            self.update(0, area.y(), self.width(), area.height())
