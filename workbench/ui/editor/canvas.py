"""The text of a document with everything that is drawn on it, and the strips at its sides."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QRect, Qt, QTimer
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from workbench.ui.editor.appearance import code_font, colour
from workbench.ui.editor.brackets import Match, match_at
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.cost_strip import CostStrip
from workbench.ui.editor.edits import place
from workbench.ui.editor.end_notes import EndNotes
from workbench.ui.editor.folding import enclosing_header
from workbench.ui.editor.gutter import Gutter
from workbench.ui.editor.layers import BracketPair, CurrentLine, IndentGuides, LinkedLines, Matches
from workbench.ui.editor.line_data import LineData
from workbench.ui.editor.line_shift import LineShift
from workbench.ui.editor.lines import TAB_COLUMNS
from workbench.ui.editor.problems import Problems
from workbench.ui.editor.rows import Layer, Row, find_rows
from workbench.ui.editor.squiggles import Squiggles
from workbench.ui.editor.sticky import StickyLine
from workbench.ui.theme.theme import Theme

# What need not be right in the very frame of a key: brackets, the sticky line, guides.
SETTLE_MILLISECONDS = 20
HAIRLINE = 1


class CodeCanvas(QPlainTextEdit):
    """Draws one buffer: layers beneath and above the text, gutter, cost strip, sticky line."""

    #: What is drawn left of the text.
    GUTTER: type[Gutter] = Gutter

    def __init__(self, theme: Theme, buffer: DocumentBuffer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.buffer = buffer
        self.data = LineData(self)
        self.problems = Problems(buffer.document, self)
        self.matches = Matches(theme)
        self._brackets = BracketPair(theme)
        self._unit = buffer.indent_unit()
        self._line = 0
        self._known_key: object = None
        self._known_rows: list[Row] = []
        self._settling = QTimer(self, singleShot=True, interval=SETTLE_MILLISECONDS)
        self._settling.timeout.connect(self._settle)
        self._make_parts()
        self._configure()
        self._connect_signals()
        self._on_buffer_font_changed()

    def _make_parts(self) -> None:
        theme, buffer, viewport = self._theme, self.buffer, self.viewport()
        self.notes = EndNotes(theme, buffer, viewport, self.problems, self.data, self.current_line)
        self.gutter = self.GUTTER(self, self, theme, buffer, self.problems)
        self.strip = CostStrip(self, self, theme, buffer, self.data, self.problems)
        self.sticky = StickyLine(self, self, theme, buffer)
        self._below: tuple[Layer, ...] = (
            CurrentLine(theme, viewport, self.current_line),
            LinkedLines(viewport, self.data),
            IndentGuides(theme, lambda: self._unit),
            self.matches,
            self._brackets,
        )
        self._above: tuple[Layer, ...] = (Squiggles(theme, self.problems), self.notes)

    def _configure(self) -> None:
        self.setProperty(
            "kind", "plain"
        )  # a style sheet of its own would triple the time of a paint
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setCursorWidth(2)
        self.viewport().setMouseTracking(True)
        # Without it everything behind is painted too, at every key.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setDocument(self.buffer.document)

    def _connect_signals(self) -> None:
        self._theme.changed.connect(self._on_theme_changed)
        self.updateRequest.connect(self._on_update_request)
        self.cursorPositionChanged.connect(self._on_cursor_position_changed)
        self.blockCountChanged.connect(self._on_block_count_changed)
        self.verticalScrollBar().valueChanged.connect(self._on_scroll_bar_value_changed)
        self.data.changed.connect(self._on_data_changed)
        self.problems.changed.connect(self.update_all)
        self.buffer.lines_shifted.connect(self._on_buffer_lines_shifted)
        self.buffer.text_changed.connect(self._on_buffer_text_changed)
        self.buffer.font_changed.connect(self._on_buffer_font_changed)
        self.buffer.folds.changed.connect(self.update_all)
        self.buffer.highlighter.coloured.connect(self._on_highlighter_coloured)

    def rows(self, top: float, bottom: float) -> list[Row]:
        """The visible lines between two heights of the viewport."""
        key = self._rows_key()
        if key != self._known_key:
            start, height = self.firstVisibleBlock(), self.viewport().height()
            at = self.blockBoundingGeometry(start).translated(self.contentOffset()).topLeft()
            self._known_key = key
            self._known_rows = find_rows(start, at, height, self.blockBoundingRect)
        return [row for row in self._known_rows if row.top + row.height > top and row.top < bottom]

    def _rows_key(self) -> object:
        """What the places of lines depend on; colours are seen to by who sets them."""
        offset, area = self.contentOffset(), self.viewport()
        return (
            self.document().revision(),
            self.firstVisibleBlock().blockNumber(),
            (offset.x(), offset.y(), area.width(), area.height()),
            (self.buffer.code_pixels, self.lineWrapMode()),
            self.buffer.folds.folded,
        )

    def current_line(self) -> int:
        """The line of the cursor, from 0."""
        return self._line

    def header_height(self) -> int:
        """The height of the sticky line."""
        rows = self.rows(0, self.viewport().height())
        height = rows[0].line_height if rows else self.fontMetrics().lineSpacing()
        return round(height) + HAIRLINE

    def update_all(self) -> None:
        """Draw everything anew."""
        self.viewport().update()
        self.gutter.update()
        self.strip.update()

    def update_line(self, line: int) -> None:
        """Draw one line anew, from 0, and what is beside it."""
        block = self.buffer.document.findBlockByNumber(line)
        if block.isValid() and block.isVisible():
            area = self.blockBoundingGeometry(block).translated(self.contentOffset())
            top, height = math.floor(area.top()), math.ceil(area.height()) + 1
            for part in (self.viewport(), self.gutter, self.strip):
                part.update(0, top, part.width(), height)

    def update_margins(self) -> None:
        """Give the strips the room that they want."""
        left, right = self.gutter.wanted_width(), self.strip.wanted_width()
        self.setViewportMargins(left, 0, right, 0)
        area = self.viewport().geometry()
        self.gutter.setGeometry(area.left() - left, area.top(), left, area.height())
        self.strip.setGeometry(area.right() + 1, area.top(), right, area.height())
        self.strip.setVisible(right > 0)
        width = left + area.width()
        self.sticky.setGeometry(area.left() - left, area.top(), width, self.header_height())

    def settle(self) -> None:
        """Bring up to date at once what otherwise waits for a moment."""
        self._settling.stop()
        self._settle()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        rows = self.rows(event.rect().top(), event.rect().bottom() + 1)
        ground = colour(self._theme.palette, "bg1")
        self._paint_layers(self._below, rows, event.rect(), ground)
        super().paintEvent(event)
        self._paint_layers(self._above, rows, event.rect())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self.update_margins()
        self._ensure_colours()
        self._settling.start()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            # The style sheet of the application may have given this widget another font.
            self.document().setDefaultFont(code_font(self.buffer.code_pixels))

    def _paint_layers(
        self, layers: tuple[Layer, ...], rows: list[Row], area: QRect, ground: QColor | None = None
    ) -> None:
        painter = QPainter(self.viewport())
        painter.setClipRect(area)
        if ground is not None:
            painter.fillRect(area, ground)
        for layer in layers:
            painter.save()
            layer.paint(painter, rows)
            painter.restore()

    def _settle(self) -> None:
        where = place(self.textCursor())
        self._show_match(match_at(self.buffer.highlighter.code, where.line, len(where.before)))
        unit = self.buffer.indent_unit()
        if unit != self._unit:
            self._unit = unit
            self.viewport().update()
        self._update_sticky()

    def _show_match(self, match: Match | None) -> None:
        before, self._brackets.match = self._brackets.match, match
        if match != before:
            places = (p for m in (before, match) if m for p in (m.here, m.partner) if p)
            for line in {place.line for place in places}:
                self.update_line(line)

    def _update_sticky(self) -> None:
        """Show what encloses the first line that the sticky line would leave to be seen."""
        first = self.firstVisibleBlock().blockNumber()
        lines = self.buffer.lines()
        below = min(first + 1, len(lines) - 1)
        header = enclosing_header(lines, below, self.buffer.highlighter.is_inside_string)
        is_hidden = header is not None and header < first
        self.sticky.show_line(header if is_hidden else None)

    def _ensure_colours(self) -> None:
        first = self.firstVisibleBlock().blockNumber()
        rows = self.rows(0, self.viewport().height())
        self.buffer.highlighter.ensure(first, rows[-1].line if rows else first)

    def _on_theme_changed(self) -> None:
        self._ensure_colours()
        self.sticky.update()
        self.update_all()

    def _on_data_changed(self) -> None:
        self.update_margins()
        self.update_all()

    def _on_update_request(self, area: QRect, dy: int) -> None:
        # What stands in the strips changes with the lines, and with their text where it is wrapped.
        if dy or self.lineWrapMode() is not QPlainTextEdit.LineWrapMode.NoWrap:
            self.gutter.follow_update(area, dy)
            self.strip.follow_update(area, dy)

    def _on_cursor_position_changed(self) -> None:
        line = self.textCursor().blockNumber()
        if line != self._line:
            self.update_line(self._line)
            self._line = line
            self.update_line(line)
        self._settling.start()

    def _on_scroll_bar_value_changed(self, value: int) -> None:
        self._ensure_colours()
        self._update_sticky()

    def _on_buffer_text_changed(self) -> None:
        self._known_key = None  # edits of one step have one revision
        self._settling.start()

    def _on_buffer_lines_shifted(self, shift: LineShift) -> None:
        self.data.follow(shift)
        self.problems.follow(shift)
        self._update_strips_from(shift.first)

    def _update_strips_from(self, line: int) -> None:
        """Draw the strips anew from a line on."""
        top = next((row.top for row in self._known_rows if row.line >= line), 0.0)
        for part in (self.gutter, self.strip):
            part.update(0, math.floor(top), part.width(), part.height())

    def _on_block_count_changed(self, count: int) -> None:
        if self.viewportMargins().left() != self.gutter.wanted_width():
            self.update_margins()

    def _on_highlighter_coloured(self, first: int, last: int) -> None:
        self._known_key = None  # the lines have to be laid out again
        rows = self.rows(0, self.viewport().height())
        if rows and first <= rows[-1].line and last >= rows[0].line:
            self.viewport().update()

    def _on_buffer_font_changed(self) -> None:
        font = code_font(self.buffer.code_pixels)
        self.setFont(font)
        self.setTabStopDistance(TAB_COLUMNS * QFontMetricsF(font).horizontalAdvance(" "))
        self.update_margins()
        self._ensure_colours()
        self.sticky.update()
