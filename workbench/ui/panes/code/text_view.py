"""A text that is only read, with the marks of a comparison beneath it and its folds."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QTextCursor, QTextDocument
from PySide6.QtWidgets import QWidget

from workbench.session.code_inputs import Language
from workbench.session.text_differences import Range
from workbench.ui.editor.view import CodeView
from workbench.ui.panes.code.layers import ChangedLines, FoldRows, StaleVeil
from workbench.ui.panes.code.marks import Marks
from workbench.ui.panes.code.text_buffer import TextBuffer
from workbench.ui.theme.theme import Theme


class TextView(CodeView):
    """Shows the text of its own buffer; what letters do is up to `key_actions`."""

    #: The person clicked the row that stands for the fold of that number.
    fold_clicked = Signal(int)
    #: Folds were opened by a move into them.
    fold_entered = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._texts = TextBuffer(theme)
        self._marks: Marks | None = None
        self._hidden: tuple[Range, ...] = ()
        super().__init__(theme, self._texts, parent)
        self._texts.setParent(self)
        self.set_read_only(True)
        self.setAccessibleName("Generated code")
        self._texts.folds.changed.connect(self._on_folds_changed)

    def show_text(self, lines: tuple[str, ...], language: Language) -> None:
        """Show another text from its top; the same text stays where it is."""
        self._take(None)
        if self._texts.show_lines(lines, language):
            self._hidden = ()
            self.moveCursor(QTextCursor.MoveOperation.Start)
            self.settle()
        else:
            self._hide_folds()
        self.update_all()

    def set_marks(self, marks: Marks | None) -> None:
        """Mark the lines and hide the folds of a comparison."""
        self._take(marks)
        self._hide_folds()
        self.update_all()

    def set_stale(self, stale: bool) -> None:
        """Show the text pale, as what was true of an earlier text."""
        self._veil.is_on = stale
        self.viewport().update()

    def row_of(self, line: int) -> int:
        """The row in which a line of the text stands: here they are the same."""
        return line

    def line_of(self, row: int) -> int:
        """The line of the text in a row."""
        return row

    def line_count(self) -> int:
        """How many lines the text has."""
        return self.document().blockCount()

    def line_y(self, line: int) -> float:
        """The height in the viewport at which a line, or what follows the last one, begins."""
        document = self.document()
        block = document.findBlockByNumber(line)
        number = block.firstLineNumber() if block.isValid() else document.lineCount()
        first = self.firstVisibleBlock().firstLineNumber()
        return (number - first) * self.row_height() + self.contentOffset().y()

    def row_height(self) -> float:
        """The height of one line."""
        rows = self.rows(0, 1)
        return rows[0].line_height if rows else float(self.fontMetrics().height())

    def line_at(self, y: float) -> float:
        """The place in lines, with a fraction, at a height in the viewport."""
        rows = self.rows(y, y + 1)
        if rows:
            return rows[0].line + max(0.0, (y - rows[0].top) / max(1.0, rows[0].height))
        first = self.firstVisibleBlock()
        is_above = y < self.blockBoundingGeometry(first).translated(self.contentOffset()).top()
        return float(first.blockNumber() if is_above else self.document().blockCount())

    def scroll_line_to(self, place: float, y: float) -> None:
        """Scroll so that a place in lines stands at a height, as far as that goes."""
        line = min(int(place), self.document().blockCount() - 1)
        number = self.document().findBlockByNumber(line).firstLineNumber()
        shift = place - line - y / self.row_height()
        self.verticalScrollBar().setValue(round(number + shift))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        rows = self.rows(event.position().y(), event.position().y() + 1)
        fold = self._marks.folds.get(rows[0].line) if rows and self._marks else None
        if fold is not None and event.button() is Qt.MouseButton.LeftButton:
            self.fold_clicked.emit(fold)
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        super().mouseMoveEvent(event)
        rows = self.rows(event.position().y(), event.position().y() + 1)
        on_fold = bool(rows and self._marks and rows[0].line in self._marks.folds)
        shape = Qt.CursorShape.PointingHandCursor if on_fold else Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)

    def _make_parts(self) -> None:
        super()._make_parts()
        theme, viewport = self._theme, self.viewport()
        self._changed_lines = ChangedLines(theme, viewport)
        self._fold_rows = FoldRows(theme, viewport, self._texts)
        self._veil = StaleVeil(theme, viewport)
        self._below = (*self._below, self._changed_lines)
        self._above = (*self._above, self._veil, self._fold_rows)

    def _rows_key(self) -> object:
        return super()._rows_key(), self._hidden

    def _take(self, marks: Marks | None) -> None:
        self._marks = self._changed_lines.marks = self._fold_rows.marks = marks

    def _on_folds_changed(self) -> None:
        """The folds of the document show every line that is not theirs, so hide ours again."""
        fold = self._marks.fold_around(self.textCursor().blockNumber()) if self._marks else None
        if fold is not None and self._moved_into(fold):
            self.fold_entered.emit(fold)
        else:
            self._hide_folds(is_sure=False)

    def _moved_into(self, number: int) -> bool:
        assert self._marks is not None
        return self.textCursor().blockNumber() > self._marks.fold_ranges[number][0]

    def _hide_folds(self, is_sure: bool = True) -> None:
        """Hide what the marks say; `is_sure` where only this has hidden and shown lines before."""
        hidden = self._marks.hidden if self._marks is not None else ()
        before = self._hidden if is_sure else ((0, self.document().blockCount()),)
        self._hidden = hidden
        set_hidden(self.document(), before, hidden)


def set_hidden(document: QTextDocument, before: Iterable[Range], hidden: Iterable[Range]) -> None:
    """Hide these lines, and show those of `before` that are not among them."""
    after = {line for start, end in hidden for line in range(start, end)}
    shown = {line for start, end in before for line in range(start, end)} - after
    changed = [_set_visible(document, line, line in shown) for line in sorted(shown | after)]
    if any(changed):
        layout = document.documentLayout()
        layout.update.emit()
        layout.documentSizeChanged.emit(layout.documentSize())


def _set_visible(document: QTextDocument, line: int, visible: bool) -> bool:
    block = document.findBlockByNumber(line)
    if not block.isValid() or block.isVisible() == visible:
        return False
    block.setVisible(visible)
    # The scroll range is the sum of line counts, and a hidden block still counts its.
    block.setLineCount(max(1, block.layout().lineCount()) if visible else 0)
    return True
