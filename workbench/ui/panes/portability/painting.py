"""Paints the cells of the matrix and the names of its targets."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from workbench.core.portability.model import CellState, Row
from workbench.ui.panes.portability.looks import LOOKS
from workbench.ui.panes.portability.model import MatrixModel
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS

_MARK = 14
_INSET = 8
_GAP = 6
_PADDING = 2
_STALE = 0.55
_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class CellDelegate(QStyledItemDelegate):
    """Paints a cell: its mark, its text, and a ground where something is in the way."""

    def __init__(self, view: QWidget, model: MatrixModel, icons: Icons) -> None:
        super().__init__(view)
        self._model, self._icons = model, icons
        self._font = icons.theme.fonts.role(TextRole.LABEL)
        self.stale = False

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one cell."""
        theme = self._icons.theme
        cell = self._model.cell(index.row(), index.column())
        look = self._model.look(index.row(), index.column())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.stale:
            painter.setOpacity(_STALE)
        box = QRectF(option.rect).adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        self._paint_ground(painter, box, look.ground, selected)
        inner = option.rect.adjusted(_INSET, 0, -_INSET, 0)
        if self._model.narrow:
            inner.setLeft(option.rect.center().x() - _MARK // 2)
        place = QRect(inner.left(), inner.center().y() - _MARK // 2 + 1, _MARK, _MARK)
        self._icons.icon(look.icon, look.tone, _MARK).paint(painter, place)
        if self._model.narrow:
            painter.restore()
            return
        text = inner.adjusted(_MARK + _GAP, 0, 0, 0)
        painter.setFont(self._font)
        painter.setPen(theme.colour(look.text_tone))
        said = QFontMetrics(self._font).elidedText(
            cell.text, Qt.TextElideMode.ElideRight, text.width()
        )
        painter.drawText(text, _MIDDLE, said)
        painter.restore()

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        text = self._model.cell(index.row(), index.column()).text
        width = QFontMetrics(self._font).horizontalAdvance(text)
        return QSize(2 * _INSET + _MARK + _GAP + width + 2, METRICS.row_height)

    def _paint_ground(
        self, painter: QPainter, box: QRectF, ground: str | None, selected: bool
    ) -> None:
        theme = self._icons.theme
        shape = QPainterPath()
        shape.addRoundedRect(box, METRICS.radius_chip, METRICS.radius_chip)
        if ground is not None:
            painter.fillPath(shape, theme.colour(ground))
        if selected:
            painter.setPen(QPen(theme.colour("accent"), 1.5))
            painter.drawPath(shape)


class TargetHeader(QHeaderView):
    """The names of the targets, each with the mark of its row."""

    def __init__(self, model: MatrixModel, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._matrix, self._icons = model, icons
        fonts = icons.theme.fonts
        self._label, self._detail = fonts.role(TextRole.STRONG), fonts.monospace(11)
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setDefaultSectionSize(METRICS.row_height)
        self.setSectionsClickable(True)
        icons.theme.changed.connect(self.viewport().update)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        detail = 0 if self._matrix.narrow else self._detail_room() + 12
        return QSize(self._label_room() + detail, super().sizeHint().height())

    def paintSection(  # noqa: N802 - Qt's name
        self,
        painter: QPainter,
        rect: QRect,
        logicalIndex: int,  # noqa: N803 - Qt's name
    ) -> None:
        row, theme = self._matrix.rows[logicalIndex], self._icons.theme
        painter.save()
        look = LOOKS[row.state]
        place = QRect(rect.left() + 4, rect.center().y() - _MARK // 2 + 1, _MARK, _MARK)
        icon, tone = ("clock", "fg4") if row.pending else (look.icon, look.tone)
        self._icons.icon(icon, tone, _MARK).paint(painter, place)
        left = rect.adjusted(4 + _MARK + _GAP, 0, 0, 0)
        painter.setFont(self._label)
        painter.setPen(theme.colour("fg3" if row.state is CellState.UNKNOWN else "fg"))
        painter.drawText(left, _MIDDLE, row.label)
        if self._matrix.narrow:
            painter.restore()
            return
        right = QRect(rect.left() + self._label_room(), rect.top(), rect.width(), rect.height())
        painter.setFont(self._detail)
        painter.setPen(theme.colour("fg3"))
        painter.drawText(right, _MIDDLE, row.detail)
        painter.restore()

    def _label_room(self) -> int:
        widest = self._widest(QFontMetrics(self._label), lambda row: row.label)
        return 4 + _MARK + _GAP + widest + 2 * _GAP

    def _detail_room(self) -> int:
        return self._widest(QFontMetrics(self._detail), lambda row: row.detail)

    def _widest(self, metrics: QFontMetrics, text: Callable[[Row], str]) -> int:
        return max((metrics.horizontalAdvance(text(row)) for row in self._matrix.rows), default=0)
