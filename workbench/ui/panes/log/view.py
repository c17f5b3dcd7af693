"""The text of the log: coloured by kind, bounded, and at its end unless the person scrolled up."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from PySide6.QtCore import Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QGuiApplication,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QTextEdit, QWidget

from workbench.ui.panes.log.lines import LogKind, LogLine
from workbench.ui.theme.theme import Theme

MOST_LINES = 10_000
_MOST_MARKED = 1_000
_TONES: dict[LogKind, str] = {"output": "fg2", "note": "fg", "warning": "warn", "error": "error"}


class LogView(QPlainTextEdit):
    """Holds the newest `MOST_LINES` lines."""

    #: Whether the end is followed has changed.
    following_changed = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lines: deque[LogLine] = deque(maxlen=MOST_LINES)
        self._following = True
        self._moving = False
        self._wanted = ""
        self.setReadOnly(True)
        self.setProperty("kind", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Log")
        self.setFont(theme.fonts.monospace(12))
        self.setMaximumBlockCount(MOST_LINES)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setTabStopDistance(8 * QFontMetricsF(self.font()).horizontalAdvance(" "))
        self.document().setDocumentMargin(8)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.changed.connect(self._on_theme_changed)

    @property
    def lines(self) -> tuple[LogLine, ...]:
        """The lines held, the oldest first."""
        return tuple(self._lines)

    @property
    def following(self) -> bool:
        """Whether new lines are scrolled to."""
        return self._following

    def add_lines(self, lines: Iterable[LogLine]) -> None:
        """Put lines at the end."""
        added = list(lines)[-MOST_LINES:]
        if not added:
            return
        self._lines.extend(added)
        self._moving = True
        self._insert(added)
        self._moving = False
        if self._following:
            self.follow()
        if self._wanted:
            self.mark(self._wanted)

    def follow(self) -> None:
        """Go to the end, and stay there while lines come."""
        self._set_following(True)
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())

    def clear_lines(self) -> None:
        """Forget all lines."""
        self._lines.clear()
        self.clear()
        self._set_following(True)

    def mark(self, text: str) -> int:
        """Mark where a text occurs, in any case; how often it does (to `MOST_MARKED`)."""
        self._wanted = text
        found: list[QTextEdit.ExtraSelection] = []
        cursor = self.document().find(text, 0) if text else QTextCursor()
        while not cursor.isNull() and len(found) < _MOST_MARKED:
            found.append(self._marked(cursor))
            cursor = self.document().find(text, cursor)
        self.setExtraSelections(found)
        return len(found)

    def go_to_match(self, backwards: bool = False) -> bool:
        """Select the next (or previous) match, around the end; False where there is none."""
        if not self._wanted:
            return False
        flags = QTextDocument.FindFlag.FindBackward if backwards else QTextDocument.FindFlag(0)
        if self.find(self._wanted, flags):
            return True
        end = QTextCursor.MoveOperation.End if backwards else QTextCursor.MoveOperation.Start
        self.moveCursor(end)
        return self.find(self._wanted, flags)

    def copy_all(self) -> None:
        """Put the selection, or all lines, on the clipboard."""
        if self.textCursor().hasSelection():
            self.copy()
            return
        QGuiApplication.clipboard().setText("".join(f"{line.plain}\n" for line in self._lines))

    def _insert(self, lines: Iterable[LogLine]) -> None:
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        pale = self._format("fg3")
        formats = {kind: self._format(tone) for kind, tone in _TONES.items()}
        for line in lines:
            if not self.document().isEmpty():
                cursor.insertBlock()
            cursor.insertText(line.prefix, pale)
            cursor.insertText(line.text, formats[line.kind])
        cursor.endEditBlock()

    def _format(self, tone: str) -> QTextCharFormat:
        result = QTextCharFormat()
        result.setForeground(self._theme.colour(tone))
        return result

    def _marked(self, cursor: QTextCursor) -> QTextEdit.ExtraSelection:
        mark = QTextEdit.ExtraSelection()
        mark.cursor = QTextCursor(cursor)
        style = QTextCharFormat()
        style.setBackground(QColor(self._theme.palette.warn_bg))
        style.setForeground(QColor(self._theme.palette.warn))
        mark.format = style
        return mark

    def _set_following(self, following: bool) -> None:
        if following != self._following:
            self._following = following
            self.following_changed.emit(following)

    def _on_scrolled(self, value: int) -> None:
        if not self._moving:
            self._set_following(value >= self.verticalScrollBar().maximum())

    def _on_theme_changed(self) -> None:
        """The colours stand in the text itself, so it is written anew."""
        bar = self.verticalScrollBar()
        place, following = bar.value(), self._following
        self._moving = True
        self.clear()
        self._insert(self._lines)
        bar.setValue(bar.maximum() if following else place)
        self._moving = False
        self.mark(self._wanted)
