"""A target's mark and name, side by side."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.painting import paint_mark

_MARK = 9.0
_GAP = 8


class TargetLabel(QWidget):
    """The target at `index` of those chosen, by the name the person knows."""

    def __init__(
        self,
        theme: Theme,
        index: int,
        name: str,
        role: TextRole = TextRole.STRONG,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._index, self._name = theme, index, name
        self.setFont(theme.fonts.role(role))
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self._name)
        return QSize(round(_MARK) + _GAP + width + 1, max(20, metrics.height()))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QPainter(self)
        top = (self.height() - _MARK) / 2
        paint_mark(
            painter, QRectF(QPointF(0, top), QPointF(_MARK, top + _MARK)), self._theme, self._index
        )
        painter.setPen(self._theme.colour("fg"))
        text = self.rect().adjusted(round(_MARK) + _GAP, 0, 0, 0)
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, self._name)
        painter.end()
