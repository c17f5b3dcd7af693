"""Paints the rows of the code pane's lists."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from workbench.ui.panes.code.rows import TextRow
from workbench.ui.theme.colours import luminance
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.painted_rows import paint_row_ground

Index = QModelIndex | QPersistentModelIndex
_MARGIN = 4
_INSET = 8
_DOT = 5.0
_DOT_WIDTH = 11
_NUMBER_WIDTH = 22
_GAP = 8
_INDENT = 10
_ICON = 14
_LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_RIGHT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight


class RowDelegate(QStyledItemDelegate):
    """A dot and a number where the row has a number, its name, and at the right its note."""

    def __init__(self, view: QAbstractItemView, icons: Icons) -> None:
        super().__init__(view)
        self._view, self._icons, self._theme = view, icons, icons.theme
        fonts = icons.theme.fonts
        self._name = fonts.role(TextRole.LABEL)
        self._strong = fonts.role(TextRole.STRONG_LABEL)
        self._note = fonts.role(TextRole.NOTE)
        icons.theme.changed.connect(view.viewport().update)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's
        return QSize(0, METRICS.compact_row_height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        row: TextRow = index.model().rows[index.row()]  # type: ignore[attr-defined]
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter, option.rect, selected, hovered)
        area = option.rect.adjusted(_MARGIN + _INSET, 0, -_MARGIN - _INSET, 0)
        if row.number:
            area = self._paint_number(painter, area, row)
        area = area.adjusted(row.depth * _INDENT, 0, 0, 0)
        area.setRight(area.right() - self._paint_note(painter, area, row))
        self._paint_name(painter, area, row, selected)
        painter.restore()

    def _paint_ground(self, painter: QPainter, rect: QRect, selected: bool, hovered: bool) -> None:
        if not selected and not hovered:
            return
        is_dark = luminance(self._theme.palette.bg0) < 0.5
        plain = "bg3" if is_dark else "bg4"  # on the ground of the frame
        token = "accentbg" if selected and self._view.hasFocus() else plain if selected else "bg3"
        paint_row_ground(painter, rect, self._theme.colour(token), _MARGIN)

    def _paint_number(self, painter: QPainter, area: QRect, row: TextRow) -> QRect:
        if row.changed:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.colour("accent"))
            middle = QPointF(area.left() + _DOT / 2, area.center().y() + 0.5)
            painter.drawEllipse(middle, _DOT / 2, _DOT / 2)
        left = area.adjusted(_DOT_WIDTH, 0, 0, 0)
        slot = QRect(left.left(), left.top(), _NUMBER_WIDTH, left.height())
        self._paint_text(painter, self._note, self._theme.colour("fg3"), slot, _RIGHT, row.number)
        return left.adjusted(_NUMBER_WIDTH + _GAP, 0, 0, 0)

    def _paint_note(self, painter: QPainter, area: QRect, row: TextRow) -> int:
        """Paint icon and note at the right; returns the width that they take.

        A note for which the name would have to be cut is left to the tip.
        """
        used = 0
        if row.icon:
            place = QRect(area.right() - _ICON, area.center().y() - _ICON // 2 + 1, _ICON, _ICON)
            self._icons.icon(row.icon, "error", _ICON).paint(painter, place)
            used = _ICON + _GAP
        width = QFontMetrics(self._note).horizontalAdvance(row.note) + _GAP
        name = QFontMetrics(self._name_font(row)).horizontalAdvance(row.name)
        if row.note and name + used + width <= area.width():
            place = area.adjusted(0, 0, -used, 0)
            self._paint_text(
                painter, self._note, self._theme.colour("fg3"), place, _RIGHT, row.note
            )
            used += width
        return used

    def _paint_name(self, painter: QPainter, area: QRect, row: TextRow, selected: bool) -> None:
        token = "fg" if selected and row.tone == "fg3" else row.tone
        self._paint_text(
            painter, self._name_font(row), self._theme.colour(token), area, _LEFT, row.name
        )

    def _name_font(self, row: TextRow) -> QFont:
        return self._strong if row.tone != "fg3" else self._name

    def _paint_text(
        self,
        painter: QPainter,
        font: QFont,
        colour: QColor,
        area: QRect,
        alignment: Qt.AlignmentFlag,
        text: str,
    ) -> None:
        painter.setFont(font)
        painter.setPen(colour)
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideMiddle, area.width())
        painter.drawText(area, alignment, shown)
