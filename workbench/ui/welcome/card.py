"""The card of an example: its picture over its title, what it shows, and its cases."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QEnterEvent, QFontMetrics, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import METRICS
from workbench.ui.welcome.canvas import Canvas
from workbench.ui.welcome.examples import Example

_PICTURE = 150
_INSET = 14
_LINE_GAP = 3
_TEXT_LINES = 2
_TEXT_FLAGS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop


class ExampleCard(QAbstractButton):
    """Can be clicked as a whole, and pressed by Enter and Space."""

    def __init__(self, theme: Theme, example: Example, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self.example = theme, example
        fonts = theme.fonts
        self._title_font = fonts.role(TextRole.NARROW_CONCLUSION)
        self._title_font.setWeight(fonts.role(TextRole.HEADING).weight())
        self._text_font = fonts.role(TextRole.BODY)
        self._facts_font = fonts.role(TextRole.LABEL)
        self.setText(example.title)
        self.setAccessibleDescription(". ".join((example.text, *example.facts[:1])))
        self.setToolTip(f"Open a copy of {example.path.name}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(220, _PICTURE + 2 * _INSET + self._text_height())

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(150, self.sizeHint().height())

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802 - Qt's name
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().leaveEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        picture = QRectF(0, 0, self.width(), _PICTURE)
        inset = picture.adjusted(_INSET, 12, -_INSET, -10)
        self.example.picture(Canvas(painter, inset, self._theme))
        painter.setPen(QPen(self._theme.colour("line"), 1))
        painter.drawLine(1, _PICTURE, self.width() - 1, _PICTURE)
        self._paint_words(painter)
        painter.end()

    def _paint_ground(self, painter: QPainter) -> None:
        path = QPainterPath()
        radius = METRICS.radius_card
        path.addRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.fillPath(path, self._theme.colour("bg3" if self.isDown() else "bg2"))
        lit = self.hasFocus() or self.underMouse()
        painter.strokePath(path, QPen(self._theme.colour("accent" if lit else "line"), 1))

    def _paint_words(self, painter: QPainter) -> None:
        room = self.rect().adjusted(_INSET, _PICTURE + _INSET - 2, -_INSET, -_INSET)
        painter.setFont(self._title_font)
        painter.setPen(self._theme.colour("fg"))
        painter.drawText(room, _TEXT_FLAGS, self.example.title)
        top = room.top() + QFontMetrics(self._title_font).height() + _LINE_GAP
        text = QRect(room.left(), top, room.width(), self._text_block())
        painter.setFont(self._text_font)
        painter.setPen(self._theme.colour("fg2"))
        painter.drawText(text, _TEXT_FLAGS | Qt.TextFlag.TextWordWrap, self.example.text)
        metrics = QFontMetrics(self._facts_font)
        facts = self._fitting_facts(metrics, room.width())
        painter.setFont(self._facts_font)
        painter.setPen(self._theme.colour("fg3"))
        below = QRect(room.left(), text.bottom() + 1 + _LINE_GAP, room.width(), metrics.height())
        painter.drawText(below, _TEXT_FLAGS, facts)

    def _fitting_facts(self, metrics: QFontMetrics, room: int) -> str:
        """The longest of the facts that there is room for."""
        facts = self.example.facts
        fitting = (said for said in facts if metrics.horizontalAdvance(said) <= room)
        return next(fitting, facts[-1] if facts else "")

    def _text_block(self) -> int:
        return QFontMetrics(self._text_font).lineSpacing() * _TEXT_LINES

    def _text_height(self) -> int:
        title = QFontMetrics(self._title_font).height()
        facts = QFontMetrics(self._facts_font).height()
        return title + self._text_block() + facts + 2 * _LINE_GAP
