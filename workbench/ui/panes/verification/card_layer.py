"""The layer over the page in which the card of the hovered element stands."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from workbench.session.verification_output import Element
from workbench.ui.panes.verification.card import ElementCard
from workbench.ui.panes.verification.geometry import card_rect
from workbench.ui.theme.theme import Theme

_MARGIN = 8.0


class CardLayer(QWidget):
    """Covers its parent, lets the pointer through, and paints one card where there is room."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._card: ElementCard | None = None
        self._place, self._target = QRectF(), QPointF()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        parent.installEventFilter(self)
        theme.changed.connect(self.clear)
        self.hide()

    @property
    def place(self) -> QRectF | None:
        """Where the card stands; None without one."""
        return QRectF(self._place) if self._card is not None else None

    def show_card(self, element: Element, explained: QRectF, target: QPointF) -> bool:
        """Tell of an element at `target`, clear of `explained` (both in the layer's px).

        False where the page has no room for a card.
        """
        card = ElementCard(self._theme, element)
        bounds = QRectF(self.rect()).adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN)
        place = card_rect(card.size, explained, target, bounds)
        if place is None:
            self.clear()
            return False
        self._card, self._place, self._target = card, place, target
        self.raise_()
        self.show()
        self.update()
        return True

    def clear(self) -> None:
        """Show no card."""
        self._card = None
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        parent = self.parentWidget()
        if watched is parent and event.type() == QEvent.Type.Resize:
            self.resize(parent.size())
            self.clear()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        if self._card is None:
            return
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._card.paint(painter, self._place, self._target)
