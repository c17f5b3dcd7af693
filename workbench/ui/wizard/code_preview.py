"""The code of a draft, coloured as in the editor, with what the last change touched lit up."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from workbench.session.patterns.preview import CodeLine, CodeView
from workbench.ui.editor.appearance import code_font, colour
from workbench.ui.editor.lexing import ROOT, LineLexer
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

_PIXELS, _SPACING, _PADDING = 11, 3, 10
_LEAD = _PADDING - 3  # px over a line that stands at the top
_ABOVE = 2  # lines over the first that was changed


class CodePreview(QScrollArea):
    """Scrolls to what was changed; it begins where the kernel's blocks do."""

    def __init__(self, icons: Icons, lexer: LineLexer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._sheet = _Sheet(icons.theme, lexer)
        self._scrolled = (0, 0)  # the line that it was scrolled to, and the value of the bar then
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("ground", "bg2")
        self.setWidget(self._sheet)
        self.setWidgetResizable(True)
        self.setAccessibleName("Code so far")
        self.setMinimumHeight(64)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)

    @property
    def lines(self) -> tuple[CodeLine, ...]:
        """What is shown."""
        return self._sheet.view.lines

    def set_code(self, view: CodeView) -> None:
        """Show another code."""
        if view == self._sheet.view:
            return
        is_new = [line.text for line in view.lines] != [line.text for line in self.lines]
        self._sheet.show_code(view)
        at = view.first
        if at is None and is_new:
            at = _body_of(view.lines)
        if at is not None:
            self._sheet.adjustSize()
            self._scroll_to(at)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        """Stay where it was scrolled to, unless a person has scrolled since."""
        super().resizeEvent(event)
        at, value = self._scrolled
        bar = self.verticalScrollBar()
        if bar.value() in (value, bar.maximum()) and bar.value() <= value:
            self._scroll_to(at)

    def _scroll_to(self, at: int) -> None:
        bar = self.verticalScrollBar()
        bar.setMaximum(max(0, self._sheet.sizeHint().height() - self.viewport().height()))
        height = self._sheet.row_height()
        lines = max(0, at - _ABOVE)
        lines = min(lines, max(0, int((bar.maximum() - _LEAD) // height)))
        bar.setValue(round(lines * height) + _LEAD if lines else 0)  # no line cut off at the top
        self._scrolled = (at, bar.value())


def _body_of(lines: Sequence[CodeLine]) -> int:
    """The launch, below all parameters; the first line of what has none."""
    return next((at for at, line in enumerate(lines) if "T.Kernel(" in line.text), 0)


class _Sheet(QWidget):
    """Paints all lines."""

    def __init__(self, theme: Theme, lexer: LineLexer) -> None:
        super().__init__()
        self._theme, self._lexer = theme, lexer
        self.view = CodeView()
        theme.changed.connect(self.update)

    def show_code(self, view: CodeView) -> None:
        """Show another code."""
        self.view = view
        self.updateGeometry()
        self.update()

    def row_height(self) -> float:
        """The height of a line in px."""
        return float(round(QFontMetricsF(self._font()).height()) + _SPACING)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        advance = QFontMetricsF(self._font()).horizontalAdvance("0")
        widest = max((len(line.text) for line in self.view.lines), default=0)
        height = len(self.view.lines) * self.row_height() + 2 * _PADDING
        return QSize(round(widest * advance) + 2 * _PADDING, round(height))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.colour("bg2"))
        painter.setFont(self._font())
        state, height = ROOT, self.row_height()
        for at, line in enumerate(self.view.lines):
            top = _PADDING + at * height
            lexed = self._lexer.lex(line.text, state) if self._lexer.is_ready else None
            state = lexed.end_state if lexed is not None else ROOT
            if top + height < event.rect().top() or top > event.rect().bottom():
                continue
            self._paint_changes(painter, line, top)
            spans = [(s.start, s.length, s.kind.value) for s in lexed.spans] if lexed else []
            self._paint_line(painter, line.text, spans, top)
        painter.end()

    def _paint_changes(self, painter: QPainter, line: CodeLine, top: float) -> None:
        advance = QFontMetricsF(self._font()).horizontalAdvance("0")
        painter.setPen(Qt.PenStyle.NoPen)
        for start, end in line.changed:
            box = QRectF(
                _PADDING + start * advance - 1.5,
                top + 1,
                (end - start) * advance + 3,
                self.row_height() - 2,
            )
            painter.setBrush(colour(self._theme.palette, "accent", 0.22))
            painter.drawRoundedRect(box, 3, 3)

    def _paint_line(
        self, painter: QPainter, text: str, spans: list[tuple[int, int, str]], top: float
    ) -> None:
        metrics = QFontMetricsF(self._font())
        advance = metrics.horizontalAdvance("0")
        baseline = round(top + (self.row_height() + metrics.capHeight()) / 2)
        at = 0
        for start, length, kind in [*spans, (len(text), 0, "name")]:
            for begin, end, token in ((at, start, "name"), (start, start + length, kind)):
                piece = text[begin:end]
                if piece.strip():
                    painter.setPen(colour(self._theme.palette, f"syntax_{token}"))
                    painter.drawText(QPointF(_PADDING + begin * advance, baseline), piece)
            at = start + length

    def _font(self) -> QFont:
        return code_font(self._theme.fonts.pixels(_PIXELS))
