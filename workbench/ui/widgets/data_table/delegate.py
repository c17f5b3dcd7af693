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
)
from PySide6.QtGui import QColor, QPainter, QPainterPath
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.data_table.cells import Cell
from workbench.ui.widgets.data_table.hand import Hand
from workbench.ui.widgets.data_table.model import CellModel
from workbench.ui.widgets.painting import paint_block

_INSET = 8
_UNIT_GAP = 6
_ICON_GAP = 8
_LEAST_BAR = 14  # px below which a bar tells no share
_BAR = 8.0


class CellDelegate(QStyledItemDelegate):
    """Paints for one table; `hovered_row` and `stale` are set by that table."""

    def __init__(self, view: QTableView, model: CellModel[Any], icons: Icons) -> None:
        super().__init__(view)
        self._view, self._model, self._icons = view, model, icons
        self._theme = icons.theme
        self.hovered_row = -1
        self.stale = False
        fonts = icons.theme.fonts
        self._fonts = {
            False: Hand(fonts.role(TextRole.BODY)),
            True: Hand(fonts.role(TextRole.STRONG)),
        }
        self._code_font = Hand(fonts.monospace())
        self._unit_font = Hand(fonts.role(TextRole.LABEL))
        self._unit_rooms: dict[frozenset[str], int] = {}
        self._colours: dict[str, QColor] = {}
        self._theme.changed.connect(self._colours.clear)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Paint one cell, and its part of the row's ground."""
        # Each part sets what it needs of the painter: saving that for each cell takes its time.
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        rect, column = option.rect, index.column()
        cell = self._model.cell(index.row(), column)
        self._paint_ground(painter, rect, index, selected)
        inner = rect.adjusted(_INSET, 0, -_INSET, 0)
        if cell.icon is not None:
            inner = self._paint_icon(painter, inner, cell)
        if cell.bar is not None:
            self._paint_bar(painter, inner, cell, column)
        if cell.text or cell.unit:
            self._paint_text(painter, inner, cell, column, selected)

    def sizeHint(  # noqa: N802 - Qt's name
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        cell = self._model.cell(index.row(), index.column())
        text = self._font_of(cell).width(cell.text)
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
        painter.fillPath(path, self._colour(token))
        painter.restore()

    def _is_end(self, column: int, first: bool) -> bool:
        """Whether no visible column stands before (or after) this one."""
        header = self._view.horizontalHeader()
        at = header.visualIndex(column)
        others = range(at) if first else range(at + 1, header.count())
        return all(header.isSectionHidden(header.logicalIndex(other)) for other in others)

    def _paint_icon(self, painter: QPainter, rect: QRect, cell: Cell) -> QRect:
        """Paint the icon; what is left for the text."""
        assert cell.icon is not None
        size = METRICS.icon
        tone = "fg4" if self.stale else cell.icon_tone
        place = QRect(rect.left(), rect.center().y() - size // 2 + 1, size, size)
        self._icons.icon(cell.icon, tone, size).paint(painter, place)
        return rect.adjusted(size + _ICON_GAP, 0, 0, 0)

    def _paint_bar(self, painter: QPainter, rect: QRect, cell: Cell, column: int) -> None:
        """Paint the share as a bar, left of the text."""
        assert cell.bar is not None
        text = self._font_of(cell).width(cell.text)
        taken = text + _ICON_GAP + self._unit_room(column)
        room = QRectF(rect.adjusted(0, 0, -taken, 0))
        room = QRectF(room.left(), room.center().y() - _BAR / 2, room.width(), _BAR)
        if room.width() < _LEAST_BAR:
            return
        track = QPainterPath()
        track.addRoundedRect(room, METRICS.radius_bar, METRICS.radius_bar)
        painter.fillPath(track, self._colour("bg4"))
        filled = QRectF(room.topLeft(), QSizeF(room.width() * min(cell.bar, 1.0), _BAR))
        if filled.width() >= 1.0:
            tone = "fg4" if self.stale else cell.bar_tone
            paint_block(painter, filled, self._colour(tone), predicted=not cell.bar_solid)

    def _paint_text(
        self, painter: QPainter, rect: QRect, cell: Cell, column: int, selected: bool
    ) -> None:
        hand = self._font_of(cell)
        numeric = self._model.columns[column].numeric
        room = rect.width() - (self._unit_room(column) if numeric else 0)
        text, width = hand.fitted(cell.text, room)
        left, middle = rect.left(), rect.top() + rect.height() / 2
        start = left + room - width if numeric else left
        hand.write(painter, self._colour(self._tone_of(cell, selected)), start, middle, text)
        if cell.unit:
            start = (left + room if numeric else left + width) + _UNIT_GAP
            unit, _ = self._unit_font.fitted(cell.unit, rect.right() + 1 - start)
            self._unit_font.write(painter, self._colour("fg3"), start, middle, unit)

    def _tone_of(self, cell: Cell, selected: bool) -> str:
        if self.stale:
            return "fg3"
        return "fg" if cell.tone == "fg2" and (cell.strong or selected) else cell.tone

    def _font_of(self, cell: Cell) -> Hand:
        return self._code_font if cell.code else self._fonts[cell.strong]

    def _colour(self, token: str) -> QColor:
        """A token's colour, kept until the theme changes."""
        found = self._colours.get(token)
        if found is None:
            found = self._colours[token] = self._theme.colour(token)
        return found

    def _own_unit(self, cell: Cell) -> int:
        """The room of a unit that follows its text."""
        return _UNIT_GAP + self._unit_font.width(cell.unit)

    def _unit_room(self, column: int) -> int:
        """The room kept for units, so that the numbers of a numeric column end at one edge."""
        if not self._model.columns[column].numeric:
            return 0
        units = self._model.units(column)
        if units not in self._unit_rooms:
            widest = max((self._unit_font.width(unit) for unit in units), default=0)
            self._unit_rooms[units] = widest + _UNIT_GAP if widest else 0
        return self._unit_rooms[units]
