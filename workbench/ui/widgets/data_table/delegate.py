"""Paints the cells of a table: rounded rows, numbers aligned before their units, icons."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    QSizeF,
    Qt,
)
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.data_table.cells import Cell
from workbench.ui.widgets.data_table.model import CellModel, alignment
from workbench.ui.widgets.painting import paint_block

_INSET = 8
_UNIT_GAP = 6
_ICON_GAP = 8
_LEAST_BAR = 14  # px below which a bar tells no share
_BAR = 8.0
_MIDDLE = Qt.AlignmentFlag.AlignVCenter


class CellDelegate(QStyledItemDelegate):
    """Paints for one table; `hovered_row` and `stale` are set by that table."""

    def __init__(self, view: QTableView, model: CellModel[Any], icons: Icons) -> None:
        super().__init__(view)
        self._view, self._model, self._icons = view, model, icons
        self._theme = icons.theme
        self.hovered_row = -1
        self.stale = False
        fonts = icons.theme.fonts
        self._fonts = {False: fonts.role(TextRole.BODY), True: fonts.role(TextRole.STRONG)}
        self._code_font = fonts.monospace()
        self._unit_font = fonts.role(TextRole.LABEL)
        self._unit_rooms: dict[frozenset[str], int] = {}

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one cell, and its part of the row's ground."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        self._paint_ground(painter, option.rect, index, selected)
        cell = self._model.cell(index.row(), index.column())
        inner = option.rect.adjusted(_INSET, 0, -_INSET, 0)
        inner = self._paint_icon(painter, inner, cell)
        self._paint_bar(painter, inner, cell, index.column())
        self._paint_text(painter, inner, cell, index.column(), selected)
        painter.restore()

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        cell = self._model.cell(index.row(), index.column())
        text = QFontMetrics(self._font_of(cell)).horizontalAdvance(cell.text)
        icon = METRICS.icon + _ICON_GAP if cell.icon else 0
        unit = self._unit_room(index.column()) or self._own_unit(cell)
        return QSize(2 * _INSET + icon + text + unit + 1, METRICS.row_height)

    def _paint_ground(
        self,
        painter: QPainter,
        rect: QRect,
        index: QModelIndex | QPersistentModelIndex,
        selected: bool,
    ) -> None:
        if not selected and index.row() != self.hovered_row:
            return
        focused = self._view.hasFocus()
        token = ("accentbg" if focused else "bg3") if selected else "bg2"
        radius = METRICS.radius_control
        shape = QRectF(rect)
        # The rounded ends lie outside the cells between the first and the last.
        if not self._is_end(index.column(), first=True):
            shape.setLeft(shape.left() - radius)
        if not self._is_end(index.column(), first=False):
            shape.setRight(shape.right() + radius)
        path = QPainterPath()
        path.addRoundedRect(shape, radius, radius)
        painter.save()
        painter.setClipRect(rect)
        painter.fillPath(path, self._theme.colour(token))
        painter.restore()

    def _is_end(self, column: int, first: bool) -> bool:
        """Whether no visible column stands before (or after) this one."""
        header = self._view.horizontalHeader()
        at = header.visualIndex(column)
        others = range(at) if first else range(at + 1, header.count())
        return all(header.isSectionHidden(header.logicalIndex(other)) for other in others)

    def _paint_icon(self, painter: QPainter, rect: QRect, cell: Cell) -> QRect:
        """Paint the icon, where there is one; what is left for the text."""
        if cell.icon is None:
            return rect
        size = METRICS.icon
        tone = "fg4" if self.stale else cell.icon_tone
        place = QRect(rect.left(), rect.center().y() - size // 2 + 1, size, size)
        self._icons.icon(cell.icon, tone, size).paint(painter, place)
        return rect.adjusted(size + _ICON_GAP, 0, 0, 0)

    def _paint_bar(self, painter: QPainter, rect: QRect, cell: Cell, column: int) -> None:
        """Paint the share as a bar, left of the text."""
        if cell.bar is None:
            return
        text = QFontMetrics(self._font_of(cell)).horizontalAdvance(cell.text)
        taken = text + _ICON_GAP + self._unit_room(column)
        room = QRectF(rect.adjusted(0, 0, -taken, 0))
        room = QRectF(room.left(), room.center().y() - _BAR / 2, room.width(), _BAR)
        if room.width() < _LEAST_BAR:
            return
        track = QPainterPath()
        track.addRoundedRect(room, METRICS.radius_bar, METRICS.radius_bar)
        painter.fillPath(track, self._theme.colour("bg4"))
        filled = QRectF(room.topLeft(), QSizeF(room.width() * min(cell.bar, 1.0), _BAR))
        if filled.width() >= 1.0:
            tone = "fg4" if self.stale else cell.bar_tone
            paint_block(painter, filled, self._theme.colour(tone), predicted=not cell.bar_solid)

    def _paint_text(
        self, painter: QPainter, rect: QRect, cell: Cell, column: int, selected: bool
    ) -> None:
        font = self._font_of(cell)
        numeric = self._model.columns[column].numeric
        room = rect.adjusted(0, 0, -self._unit_room(column), 0)
        metrics = QFontMetrics(font)
        text = metrics.elidedText(cell.text, Qt.TextElideMode.ElideRight, room.width())
        painter.setFont(font)
        painter.setPen(self._theme.colour(self._tone_of(cell, selected)))
        painter.drawText(room, alignment(self._model.columns[column]), text)
        if not cell.unit:
            return
        width = metrics.horizontalAdvance(text)
        left = room.right() + 1 + _UNIT_GAP if numeric else room.left() + width + _UNIT_GAP
        painter.setFont(self._unit_font)
        painter.setPen(self._theme.colour("fg3"))
        painter.drawText(
            QRect(left, rect.top(), rect.right() - left + 1, rect.height()), _MIDDLE, cell.unit
        )

    def _tone_of(self, cell: Cell, selected: bool) -> str:
        if self.stale:
            return "fg3"
        return "fg" if cell.tone == "fg2" and (cell.strong or selected) else cell.tone

    def _font_of(self, cell: Cell) -> QFont:
        return self._code_font if cell.code else self._fonts[cell.strong]

    def _own_unit(self, cell: Cell) -> int:
        """The room of a unit that follows its text."""
        return _UNIT_GAP + QFontMetrics(self._unit_font).horizontalAdvance(cell.unit)

    def _unit_room(self, column: int) -> int:
        """The room kept for units, so that the numbers of a numeric column end at one edge."""
        if not self._model.columns[column].numeric:
            return 0
        units = self._model.units(column)
        if units not in self._unit_rooms:
            metrics = QFontMetrics(self._unit_font)
            widest = max((metrics.horizontalAdvance(unit) for unit in units), default=0)
            self._unit_rooms[units] = widest + _UNIT_GAP if widest else 0
        return self._unit_rooms[units]
