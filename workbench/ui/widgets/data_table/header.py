"""The head of a table: titles over their columns, an arrow beside the one sorted by."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QHeaderView, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.data_table.model import CellModel, alignment

_INSET = 8
_ARROW = 7
_ARROW_GAP = 6


class CellHeader(QHeaderView):
    """Paints titles in their columns' alignment; a numeric one has its arrow at the left."""

    def __init__(self, model: CellModel[Any], theme: Theme, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._cells, self._theme = model, theme
        self.setFont(theme.fonts.role(TextRole.LABEL))
        self.setSectionsClickable(True)
        self.setSectionsMovable(True)
        self.setHighlightSections(False)
        theme.changed.connect(self.viewport().update)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(super().sizeHint().width(), METRICS.row_height)

    def paintSection(  # noqa: N802 - Qt's name
        self, painter: QPainter, rect: QRect, logical_index: int
    ) -> None:
        painter.save()
        painter.fillRect(rect, self._theme.colour("bg1"))
        line = QRect(rect.left(), rect.bottom(), rect.width(), 1)
        painter.fillRect(line, self._theme.colour("line2"))
        sorted_by = self.isSortIndicatorShown() and self.sortIndicatorSection() == logical_index
        painter.setPen(self._theme.colour("fg" if sorted_by else "fg3"))
        self._paint_title(painter, rect.adjusted(_INSET, 0, -_INSET, -1), logical_index, sorted_by)
        painter.restore()

    def _paint_title(
        self, painter: QPainter, rect: QRect, logical_index: int, sorted_by: bool
    ) -> None:
        column = self._cells.columns[logical_index]
        metrics = QFontMetrics(self.font())
        room = rect.width() - (_ARROW + _ARROW_GAP if sorted_by else 0)
        title = metrics.elidedText(column.title, Qt.TextElideMode.ElideRight, room)
        painter.setFont(self.font())
        painter.drawText(rect, alignment(column), title)
        if not sorted_by:
            return
        width = metrics.horizontalAdvance(title) + _ARROW_GAP
        left = rect.right() + 1 - width - _ARROW if column.numeric else rect.left() + width
        self._paint_arrow(painter, QPointF(left, rect.center().y() + 1))

    def _paint_arrow(self, painter: QPainter, left_middle: QPointF) -> None:
        """A small chevron: up where the smallest stands first."""
        rise = 2.0 if self.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder else -2.0
        left, middle = left_middle.x(), left_middle.y()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self._theme.colour("fg2"), 1.5)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen)
        painter.drawPolyline(
            QPolygonF(
                [
                    QPointF(left, middle - rise),
                    QPointF(left + _ARROW / 2, middle + rise),
                    QPointF(left + _ARROW, middle - rise),
                ]
            )
        )
