"""Paints the navigator's rows: section heads, folders, files with marks, shipped kernels, runs."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from workbench.ui.navigator.model import NavigatorModel
from workbench.ui.navigator.nodes import Node, NodeKind
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.style_sheet import is_dark
from workbench.ui.theme.tokens import METRICS

Index = QModelIndex | QPersistentModelIndex
_ROW, _HEAD, _TWO_LINES = 28, 36, 44
_MARGIN = 8
_PADDING = 8
_STEP = 14
_ICON, _CHEVRON = 16, 12
_GAP = 8
_LEAST_TEXT = 80
_TWO_LINES_INSET = 4
_FOLDS = (NodeKind.SECTION, NodeKind.FOLDER)
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class NavigatorDelegate(QStyledItemDelegate):
    """Paints for one tree, whose own indentation is 0."""

    def __init__(self, view: QTreeView, model: NavigatorModel, icons: Icons) -> None:
        super().__init__(view)
        self._view, self._model, self._icons = view, model, icons
        self._theme = icons.theme
        fonts = icons.theme.fonts
        self._body, self._strong = fonts.role(TextRole.BODY), fonts.role(TextRole.STRONG)
        self._head, self._label = fonts.role(TextRole.STRONG_LABEL), fonts.role(TextRole.LABEL)
        self._row_height = fonts.pixels(_ROW)
        self._heights = {
            NodeKind.SECTION: fonts.pixels(_HEAD),
            NodeKind.RUN: fonts.pixels(_TWO_LINES),
            NodeKind.HOST: fonts.pixels(_TWO_LINES),
        }

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's
        return QSize(0, self._heights.get(self._model.node(index).kind, self._row_height))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        node = self._model.node(index)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        focused = self._view.hasFocus() and self._view.currentIndex() == index
        if node.kind is NodeKind.SECTION:
            self._paint_head(painter, option.rect, node, index, hovered, focused)
        else:
            self._paint_ground(painter, option.rect, selected, hovered, focused, node)
            self._paint_row(painter, option.rect, node, index, selected)
        painter.restore()

    def _paint_head(
        self,
        painter: QPainter,
        rect: QRect,
        node: Node,
        index: Index,
        hovered: bool,
        focused: bool,
    ) -> None:
        """A section's title stands low, close to what it heads."""
        line = rect.adjusted(_MARGIN + _PADDING, 8, -_MARGIN - _PADDING, 0)
        painter.setFont(self._head)
        painter.setPen(self._theme.colour("fg" if hovered or focused else "fg3"))
        metrics = QFontMetrics(self._head)
        room = line.width() - _CHEVRON - _GAP
        text = metrics.elidedText(node.text, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(line, _LEFT, text)
        if hovered or focused or not self._is_expanded(index):
            left = line.left() + metrics.horizontalAdvance(text) + _GAP // 2
            self._paint_chevron(painter, left, line, index)

    def _paint_ground(
        self,
        painter: QPainter,
        rect: QRect,
        selected: bool,
        hovered: bool,
        focused: bool,
        node: Node,
    ) -> None:
        if node.kind is NodeKind.HINT or not (selected or hovered or focused):
            return
        path = QPainterPath()
        radius = METRICS.radius_control
        inner = QRectF(rect).adjusted(_MARGIN, 0.5, -_MARGIN, -0.5)
        path.addRoundedRect(inner, radius, radius)
        if selected or hovered:
            painter.fillPath(path, self._ground(selected))
        if focused:
            painter.strokePath(path, QPen(self._theme.colour("accent"), 1))

    def _ground(self, selected: bool) -> QColor:
        dark = is_dark(self._theme.palette)
        token = ("bg3" if dark else "bg4") if selected else ("bg2" if dark else "bg3")
        return self._theme.colour(token)

    def _paint_row(
        self, painter: QPainter, rect: QRect, node: Node, index: Index, selected: bool
    ) -> None:
        inner = rect.adjusted(_MARGIN + _PADDING, 0, -_MARGIN - _PADDING, 0)
        inner.setLeft(inner.left() + _STEP * (_depth(index) - 1))
        if node.kind in _FOLDS:
            self._paint_chevron(painter, inner.left() + 2, inner, index)
            inner.setLeft(inner.left() + _ICON + _GAP)
        elif node.icon is not None:
            tone = node.look.tone if node.look else "accent" if self._is_link(node) else "fg3"
            self._paint_icon(painter, node.icon, tone, inner.left(), inner)
            inner.setLeft(inner.left() + _ICON + _GAP)
        inner.setRight(self._paint_end(painter, node, inner))
        if node.detail:
            inner = self._paint_detail(painter, node, inner)
        painter.setFont(self._strong if selected else self._body)
        painter.setPen(self._theme.colour(self._tone(node, selected)))
        metrics = QFontMetrics(painter.font())
        text = metrics.elidedText(node.text, Qt.TextElideMode.ElideMiddle, inner.width())
        painter.drawText(inner, _LEFT, text)

    def _paint_detail(self, painter: QPainter, node: Node, inner: QRect) -> QRect:
        """Paint the second line; where the first one stands."""
        half = (inner.height() - 2 * _TWO_LINES_INSET) // 2
        upper = QRect(inner.left(), inner.top() + _TWO_LINES_INSET, inner.width(), half)
        painter.setFont(self._label)
        painter.setPen(self._theme.colour("fg3"))
        metrics = QFontMetrics(self._label)
        text = metrics.elidedText(node.detail, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(upper.translated(0, half), _LEFT, text)
        return upper

    def _paint_end(self, painter: QPainter, node: Node, inner: QRect) -> int:
        """Paint mark or note at the right end; where the text has to end."""
        look = self._model.mark(node)
        if look is not None:
            left = inner.right() + 1 - _ICON
            self._paint_icon(painter, look.icon, look.tone, left, inner)
            return left - _GAP // 2
        width = QFontMetrics(self._label).horizontalAdvance(node.note)
        if not node.note or inner.width() - width < _LEAST_TEXT:
            return inner.right()
        painter.setFont(self._label)
        painter.setPen(self._theme.colour("fg3"))
        painter.drawText(inner, _RIGHT, node.note)
        return inner.right() - width - _GAP

    def _paint_icon(self, painter: QPainter, name: str, tone: str, left: int, row: QRect) -> None:
        place = QRect(left, row.top() + (row.height() - _ICON) // 2, _ICON, _ICON)
        self._icons.icon(name, tone, _ICON).paint(painter, place)

    def _paint_chevron(self, painter: QPainter, left: int, row: QRect, index: Index) -> None:
        expanded = self._is_expanded(index)
        name = "chevron-down" if expanded else "chevron-right"
        place = QRect(left, row.top() + (row.height() - _CHEVRON) // 2, _CHEVRON, _CHEVRON)
        self._icons.icon(name, "fg3", _CHEVRON).paint(painter, place)

    def _is_expanded(self, index: Index) -> bool:
        """The view asks for a plain index, and a delegate is given either kind."""
        return self._view.isExpanded(self._model.index(index.row(), 0, index.parent()))

    def _tone(self, node: Node, selected: bool) -> str:
        if self._is_link(node):
            return "accent"
        if node.kind is NodeKind.HINT:
            return "fg3"
        return "fg" if selected else "fg2"

    def _is_link(self, node: Node) -> bool:
        return node.kind is NodeKind.ACTION


def _depth(index: Index) -> int:
    depth, above = 0, index.parent()
    while above.isValid():
        depth, above = depth + 1, above.parent()
    return depth
