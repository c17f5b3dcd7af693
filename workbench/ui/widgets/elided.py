"""A label of one line that ends in an ellipsis where it has no room."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme

_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class ElidedLabel(QWidget):
    """Gives way to its neighbours; its tool tip has the whole text while some of it is hidden."""

    def __init__(
        self,
        theme: Theme,
        text: str = "",
        role: TextRole = TextRole.BODY,
        tone: str = "fg2",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._text, self._tone, self._mode = theme, text, tone, mode
        self.setFont(theme.fonts.role(role))
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @property
    def text(self) -> str:
        """The whole text."""
        return self._text

    def set_text(self, text: str, tone: str | None = None) -> None:
        """Show another text, in another tone where one is given."""
        self._text = text
        self._tone = tone or self._tone
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._text) + 1, max(20, metrics.height()))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        shown = self.fontMetrics().elidedText(self._text, self._mode, self.width())
        self.setToolTip(self._text if shown != self._text else "")
        painter = QPainter(self)
        painter.setPen(self._theme.colour(self._tone))
        painter.drawText(self.rect(), _MIDDLE, shown)
        painter.end()
