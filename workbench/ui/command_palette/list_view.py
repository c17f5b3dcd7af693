"""The list of the palette: its model, and the delegate that paints titles with typed letters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent, QPainter, QPainterPath
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from workbench.ui.command_palette.rows import PaletteRow
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.painted_rows import paint_row_ground, show_painted_rows
from workbench.ui.widgets.row_model import Index, RowModel

ROW_HEIGHT = 32
_MARGIN, _PADDING = 6, 10
_ICON = 16
_GAP = 12
_KEY_PADDING = 6
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class PaletteModel(RowModel[PaletteRow]):
    """What cannot be chosen is not selectable."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The title, and what is said of a row."""
        if not index.isValid():
            return None
        item = self.rows[index.row()].item
        if role == Qt.ItemDataRole.DisplayRole:
            return item.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            state = "" if item.enabled else "not available"
            parts = (item.title, item.detail, item.shortcut, state)
            return ", ".join(part for part in parts if part)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What cannot be chosen is disabled."""
        if not index.isValid() or not self.rows[index.row()].item.enabled:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable


class PaletteList(QListView):
    """Never has the focus: the keys come from the field above it."""

    #: The person clicked the row.
    row_chosen = Signal(object)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = PaletteModel(self)
        self.setModel(self._rows)
        self.setItemDelegate(PaletteDelegate(self, self._rows, icons))
        self.setAccessibleName("Matches")
        show_painted_rows(self)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setUniformItemSizes(True)
        self.setProperty("ground", "float")
        self.clicked.connect(self._on_clicked)

    @property
    def rows(self) -> tuple[PaletteRow, ...]:
        """What is shown."""
        return self._rows.rows

    def set_rows(self, rows: Sequence[PaletteRow]) -> None:
        """Show other rows, the cursor on the first that can be chosen."""
        self._rows.set_rows(rows)
        self.step_to(0, 1)

    def current_row(self) -> PaletteRow | None:
        """The row under the cursor."""
        index = self.currentIndex()
        return self._rows.rows[index.row()] if index.isValid() else None

    def step(self, by: int) -> None:
        """Move the cursor on, around the end, past what cannot be chosen."""
        start = self.currentIndex().row() if self.currentIndex().isValid() else -1
        self.step_to(start + by, 1 if by > 0 else -1)

    def step_to(self, row: int, direction: int) -> None:
        """Put the cursor on the first row from there on that can be chosen."""
        count = len(self._rows.rows)
        for offset in range(count):
            at = (row + direction * offset) % count
            if self._rows.rows[at].item.enabled:
                self.setCurrentIndex(self._rows.index(at))
                return

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self._rows.rows[index.row()].item.enabled:
            self.setCurrentIndex(index)

    def _on_clicked(self, index: QModelIndex) -> None:
        row = self._rows.rows[index.row()]
        if row.item.enabled:
            self.row_chosen.emit(row)


class PaletteDelegate(QStyledItemDelegate):
    """Paints one row: icon, title, detail, and the keys at the right."""

    def __init__(self, view: QListView, model: PaletteModel, icons: Icons) -> None:
        super().__init__(view)
        self._model, self._icons, self._theme = model, icons, icons.theme
        fonts = icons.theme.fonts
        self._body, self._strong = fonts.role(TextRole.BODY), fonts.role(TextRole.HEADING)
        self._label, self._keys = fonts.role(TextRole.LABEL), fonts.role(TextRole.NOTE)
        self._height = fonts.pixels(ROW_HEIGHT)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's
        return QSize(0, self._height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = self._model.rows[index.row()]
        rect = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            paint_row_ground(painter, rect, self._theme.colour("accentbg"), _MARGIN)
        inner = rect.adjusted(_MARGIN + _PADDING, 0, -_MARGIN - _PADDING, 0)
        inner.setRight(self._paint_keys(painter, row, inner))
        inner.setLeft(self._paint_icon(painter, row, inner))
        used = self._paint_title(painter, row, inner)
        self._paint_detail(painter, row, inner.adjusted(used + _GAP, 0, 0, 0))
        painter.restore()

    def _paint_icon(self, painter: QPainter, row: PaletteRow, inner: QRect) -> int:
        """Titles stand below one another, with an icon or without."""
        if row.item.icon is not None:
            tone = "fg3" if row.item.enabled else "fg4"
            top = inner.top() + (inner.height() - _ICON) // 2
            icon = self._icons.icon(row.item.icon, tone, _ICON)
            icon.paint(painter, QRect(inner.left(), top, _ICON, _ICON))
        return inner.left() + _ICON + _GAP

    def _paint_title(self, painter: QPainter, row: PaletteRow, inner: QRect) -> int:
        """Paint the title, typed letters strong; the px that it takes."""
        plain, typed = ("fg", "accent") if row.item.enabled else ("fg3", "fg3")
        left = inner.left()
        for text, is_typed in _pieces(row):
            font = self._strong if is_typed else self._body
            metrics = QFontMetrics(font)
            room = inner.right() - left
            if room <= 0:
                break
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.setFont(font)
            painter.setPen(self._theme.colour(typed if is_typed else plain))
            painter.drawText(QRect(left, inner.top(), room, inner.height()), _LEFT, shown)
            left += metrics.horizontalAdvance(shown)
        return left - inner.left()

    def _paint_detail(self, painter: QPainter, row: PaletteRow, room: QRect) -> None:
        if not row.item.detail or room.width() <= _GAP:
            return
        painter.setFont(self._label)
        painter.setPen(self._theme.colour("fg3"))
        metrics = QFontMetrics(self._label)
        mode = Qt.TextElideMode.ElideMiddle
        painter.drawText(room, _LEFT, metrics.elidedText(row.item.detail, mode, room.width()))

    def _paint_keys(self, painter: QPainter, row: PaletteRow, inner: QRect) -> int:
        """Paint the shortcut on a ground of its own; where the rest has to end."""
        if not row.item.shortcut:
            return inner.right()
        metrics = QFontMetrics(self._keys)
        width = metrics.horizontalAdvance(row.item.shortcut) + 2 * _KEY_PADDING
        height = metrics.height() + 4
        top = inner.top() + (inner.height() - height) // 2
        place = QRect(inner.right() + 1 - width, top, width, height)
        path = QPainterPath()
        path.addRoundedRect(QRectF(place), METRICS.radius_chip, METRICS.radius_chip)
        painter.fillPath(path, self._theme.colour("bg3"))
        painter.setFont(QFont(self._keys))
        painter.setPen(self._theme.colour("fg2" if row.item.enabled else "fg3"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, row.item.shortcut)
        return place.left() - _GAP


def _pieces(row: PaletteRow) -> list[tuple[str, bool]]:
    """The title in runs of characters that were typed, or not."""
    typed = set(row.positions)
    pieces: list[tuple[str, bool]] = []
    for at, character in enumerate(row.item.title):
        is_typed = at in typed
        if pieces and pieces[-1][1] is is_typed:
            pieces[-1] = (pieces[-1][0] + character, is_typed)
        else:
            pieces.append((character, is_typed))
    return pieces
