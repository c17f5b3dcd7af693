"""The list of the target popup: headings, and rows with a tick and the mark of a chosen target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from workbench.ui.target_menu.choices import TargetRow
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.painted_rows import paint_row_ground, show_painted_rows
from workbench.ui.widgets.painting import paint_mark
from workbench.ui.widgets.row_model import Index, RowModel

_ROW, _HEADING = 28, 32
_INSET, _GAP = 10, 10
_BOX, _TICK, _MARK = 15, 11, 9
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class TargetModel(RowModel[TargetRow]):
    """A heading can be neither chosen nor reached."""

    def set_rows(self, rows: Sequence[TargetRow]) -> None:
        """Show other rows; where only ticks differ, the cursor stays."""
        if [row.text for row in rows] == [row.text for row in self.rows]:
            self.rows = tuple(rows)
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        super().set_rows(rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text, the tick, and the option that names the target on the command line."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text
        if row.choice is None:
            return None
        if role == Qt.ItemDataRole.CheckStateRole:
            states = Qt.CheckState
            return states.Unchecked if row.mark is None else states.Checked
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{row.choice.title}\n--target {row.choice.name}"
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """What can be ticked can be reached."""
        if not index.isValid() or self.rows[index.row()].choice is None:
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag
        return flags.ItemIsEnabled | flags.ItemIsSelectable | flags.ItemIsUserCheckable


class TargetList(QListView):
    """Never has the focus: the keys come from the field above it."""

    #: The person wants a target ticked, or no longer: its name.
    toggled = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = TargetModel(self)
        self.setModel(self._rows)
        self.setItemDelegate(TargetDelegate(self, self._rows, icons))
        self.setAccessibleName("Targets")
        show_painted_rows(self)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setProperty("ground", "float")

    @property
    def rows(self) -> tuple[TargetRow, ...]:
        """What is shown."""
        return self._rows.rows

    @property
    def current(self) -> str | None:
        """The name of the target under the cursor."""
        index = self.currentIndex()
        choice = self._rows.rows[index.row()].choice if index.isValid() else None
        return choice.name if choice is not None else None

    def set_rows(self, rows: Sequence[TargetRow]) -> None:
        """Show other rows."""
        self._rows.set_rows(rows)

    def step(self, by: int) -> None:
        """Move the cursor on by that many targets, no further than the ends."""
        places = [at for at, row in enumerate(self._rows.rows) if row.choice is not None]
        if not places:
            return
        index = self.currentIndex()
        at = places.index(index.row()) if index.isValid() else -1 if by > 0 else len(places)
        row = places[min(max(at + by, 0), len(places) - 1)]
        self.setCurrentIndex(self._rows.index(row))
        if row == places[0]:
            self.scrollToTop()  # with the heading above it

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self._rows.rows[index.row()].choice is not None:
            self.setCurrentIndex(index)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        index = self.indexAt(event.position().toPoint())
        choice = self._rows.rows[index.row()].choice if index.isValid() else None
        if choice is not None and event.button() is Qt.MouseButton.LeftButton:
            self.toggled.emit(choice.name)


class TargetDelegate(QStyledItemDelegate):
    """Paints one row: tick, title, the architecture at the right, and the mark where ticked."""

    def __init__(self, view: QListView, model: TargetModel, icons: Icons) -> None:
        super().__init__(view)
        self._model, self._icons, self._theme = model, icons, icons.theme
        fonts = icons.theme.fonts
        self._body, self._strong = fonts.role(TextRole.BODY), fonts.role(TextRole.STRONG)
        self._heading = fonts.role(TextRole.STRONG_LABEL)
        self._code = fonts.monospace(11)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's
        is_heading = self._model.rows[index.row()].choice is None
        return QSize(0, self._theme.fonts.pixels(_HEADING if is_heading else _ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row = self._model.rows[index.row()]
        if row.choice is None:
            self._paint_heading(painter, row, option.rect)
        else:
            is_current = bool(option.state & QStyle.StateFlag.State_Selected)
            self._paint_choice(painter, row, option.rect, is_current)
        painter.restore()

    def _paint_heading(self, painter: QPainter, row: TargetRow, rect: QRect) -> None:
        painter.setFont(self._heading)
        painter.setPen(self._theme.colour("fg3"))
        place = rect.adjusted(_INSET, 0, -_INSET, -5)
        painter.drawText(place, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, row.text)

    def _paint_choice(
        self, painter: QPainter, row: TargetRow, rect: QRect, is_current: bool
    ) -> None:
        if is_current:
            paint_row_ground(painter, rect, self._theme.colour("accentbg"))
        inner = rect.adjusted(_INSET, 0, -_INSET, 0)
        self._paint_tick(painter, inner, row.mark is not None)
        inner.setLeft(inner.left() + _BOX + _GAP)
        inner.setRight(self._paint_right(painter, row, inner))
        painter.setFont(self._body if row.mark is None else self._strong)
        painter.setPen(self._theme.colour("fg2" if row.mark is None else "fg"))
        metrics = QFontMetrics(painter.font())
        shown = metrics.elidedText(row.text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, _LEFT, shown)

    def _paint_tick(self, painter: QPainter, inner: QRect, is_ticked: bool) -> None:
        top = inner.top() + (inner.height() - _BOX) / 2
        box = QRectF(inner.left() + 0.5, top + 0.5, _BOX - 1, _BOX - 1)
        path = QPainterPath()
        path.addRoundedRect(box, METRICS.radius_chip, METRICS.radius_chip)
        painter.fillPath(path, self._theme.colour("accent" if is_ticked else "bg2"))
        painter.strokePath(path, QPen(self._theme.colour("accent" if is_ticked else "fg3"), 1))
        if is_ticked:
            inset = (_BOX - _TICK) // 2
            place = QRect(inner.left() + inset, round(top) + inset, _TICK, _TICK)
            self._icons.icon("check", "onaccent", _TICK).paint(painter, place)

    def _paint_right(self, painter: QPainter, row: TargetRow, inner: QRect) -> int:
        """Paint the mark and the architecture; where the title has to end."""
        right = inner.right() + 1 - _MARK
        if row.mark is not None:
            top = inner.top() + (inner.height() - _MARK) / 2
            paint_mark(painter, QRectF(right, top, _MARK, _MARK), self._theme, row.mark)
        detail = row.choice.detail if row.choice is not None else ""
        painter.setFont(self._code)
        painter.setPen(self._theme.colour("fg3"))
        place = QRect(inner.left(), inner.top(), right - _GAP - inner.left(), inner.height())
        painter.drawText(place, _RIGHT, detail)
        return place.right() - QFontMetrics(self._code).horizontalAdvance(detail) - _GAP
