"""The line at the top of a view that says in which function or block the first line is."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QWidget

from workbench.ui.editor.appearance import MIN_PIXELS, code_font, colour
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.gutter import FOLD, RIGHT_MARGIN, RowSource
from workbench.ui.theme.theme import Theme


class StickyLine(QWidget):
    """Shows the header above the first row, and goes there on a click; hidden where none is."""

    pressed = Signal(int)

    def __init__(
        self,
        parent: QWidget,
        view: RowSource,
        theme: Theme,
        buffer: DocumentBuffer,
    ) -> None:
        super().__init__(parent)
        self._view, self._theme, self._buffer = view, theme, buffer
        self._line: int | None = None
        self._drawn: tuple[int | None, str] = (None, "")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip("Go to this line")
        self.setAccessibleName("Enclosing function or block")
        self.hide()

    @property
    def line(self) -> int | None:
        """The line that is shown, from 0."""
        return self._line

    def show_line(self, line: int | None) -> None:
        """Show a header, or nothing."""
        text = self._buffer.document.findBlockByNumber(line).text() if line is not None else ""
        if (line, text) == self._drawn:
            return
        self._line, self._drawn = line, (line, text)
        self.setVisible(line is not None)
        self.setAccessibleDescription(text.strip())
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        if self._line is None:
            return
        palette = self._theme.palette
        painter = QPainter(self)
        painter.fillRect(self.rect(), colour(palette, "bg2"))
        painter.fillRect(QRectF(0, self.height() - 1, self.width(), 1), colour(palette, "line"))
        self._paint_number(painter)
        self._paint_code(painter)

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if self._line is not None:
            self.pressed.emit(self._line)

    def _paint_number(self, painter: QPainter) -> None:
        painter.setFont(code_font(max(MIN_PIXELS, self._buffer.code_pixels - 1)))
        painter.setPen(colour(self._theme.palette, "fg3"))
        gutter = self._view.viewport().x() - self.x()
        area = QRectF(0, 0, gutter - FOLD - RIGHT_MARGIN, self.height() - 1)
        alignment = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area, alignment, str((self._line or 0) + 1))

    def _paint_code(self, painter: QPainter) -> None:
        block = self._buffer.document.findBlockByNumber(self._line or 0)
        layout = QTextLayout(block.text(), self._buffer.document.defaultFont())
        layout.setFormats(block.layout().formats())
        option = QTextOption(self._buffer.document.defaultTextOption())
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        layout.setTextOption(option)
        layout.beginLayout()
        line = layout.createLine()
        line.setLineWidth(1e6)
        layout.endLayout()
        painter.setPen(colour(self._theme.palette, "syntax_name"))
        painter.setClipRect(self.rect().adjusted(self._view.viewport().x() - self.x(), 0, 0, 0))
        rows = self._view.rows(0, 1)
        left = self._view.viewport().x() - self.x() + (rows[0].top_left.x() if rows else 0)
        left += self._buffer.document.documentMargin()
        layout.draw(painter, QPointF(left, (self.height() - 1 - line.height()) / 2))
