"""The list of what can be chosen at a line with problems: fixes, and what explains the problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from workbench.session.fix_choices import ChoiceKind, FixChoice
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.painted_rows import paint_row_ground, show_painted_rows
from workbench.ui.widgets.row_model import Index, RowModel

ROW_HEIGHT = 30
_MARGIN, _PADDING, _GAP, _ICON = 6, 8, 8, 16
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ICONS = {
    ChoiceKind.FIX: ("bulb", "warn"),
    ChoiceKind.FIX_ALL: ("bulb", "warn"),
    ChoiceKind.EXPLAIN: ("book", "fg3"),
    ChoiceKind.SHOW: ("list", "fg3"),
}


class FixModel(RowModel[FixChoice]):
    """Choices as given."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The title, and what is said of a choice."""
        if not index.isValid():
            return None
        choice = self.rows[index.row()]
        texts = {
            Qt.ItemDataRole.DisplayRole: choice.title,
            Qt.ItemDataRole.ToolTipRole: choice.title,
            Qt.ItemDataRole.AccessibleTextRole: f"{choice.title}, {choice.note}".rstrip(", "),
        }
        return texts.get(Qt.ItemDataRole(role))


class FixList(QListView):
    """Never has the focus: the menu around it takes the keys."""

    #: The person clicked a choice.
    choice_made = Signal(object)
    #: Another choice is under the cursor.
    current_changed = Signal(object)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = FixModel(self)
        self.setModel(self._rows)
        self._painter = FixDelegate(self, self._rows, icons)
        self.setItemDelegate(self._painter)
        self.setAccessibleName("Fixes")
        show_painted_rows(self)
        self.setProperty("ground", "float")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setUniformItemSizes(True)
        self.clicked.connect(self._on_clicked)
        self.selectionModel().currentChanged.connect(self._on_current_changed)

    @property
    def choices(self) -> tuple[FixChoice, ...]:
        """What can be chosen."""
        return self._rows.rows

    @property
    def current(self) -> FixChoice | None:
        """The choice under the cursor."""
        index = self.currentIndex()
        return self._rows.rows[index.row()] if index.isValid() else None

    def set_choices(self, choices: Sequence[FixChoice]) -> None:
        """Show other choices, the cursor on the first."""
        self._rows.set_rows(choices)
        self.setCurrentIndex(self._rows.index(0))

    def step(self, by: int) -> None:
        """Move the cursor on, around the ends."""
        count = len(self._rows.rows)
        self.setCurrentIndex(self._rows.index((self.currentIndex().row() + by) % count))

    def wanted_width(self) -> int:
        """The width in which no title is cut."""
        return max(map(self._painter.width_of, self._rows.rows), default=0)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        index = self.indexAt(event.position().toPoint())
        if index.isValid():
            self.setCurrentIndex(index)

    def _on_clicked(self, index: QModelIndex) -> None:
        self.choice_made.emit(self._rows.rows[index.row()])

    def _on_current_changed(self, current: QModelIndex) -> None:
        self.current_changed.emit(self._rows.rows[current.row()] if current.isValid() else None)


class FixDelegate(QStyledItemDelegate):
    """Paints one row: icon, title, and at the right that it is safe, or the key for it."""

    def __init__(self, view: QListView, model: FixModel, icons: Icons) -> None:
        super().__init__(view)
        self._model, self._icons, self._theme = model, icons, icons.theme
        fonts = icons.theme.fonts
        self._title, self._note = fonts.role(TextRole.BODY), fonts.role(TextRole.NOTE)
        self._height = fonts.pixels(ROW_HEIGHT)

    def width_of(self, choice: FixChoice) -> int:
        """The width that a row asks for."""
        width = 2 * (_MARGIN + _PADDING) + _ICON + _GAP
        width += QFontMetrics(self._title).horizontalAdvance(choice.title) + 2
        return width + (self._note_width(choice) + 2 * _GAP if choice.note else 0)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's
        return QSize(0, self._height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        choice = self._model.rows[index.row()]
        if option.state & QStyle.StateFlag.State_Selected:
            paint_row_ground(painter, option.rect, self._theme.colour("accentbg"), _MARGIN)
        inner = option.rect.adjusted(_MARGIN + _PADDING, 0, -_MARGIN - _PADDING, 0)
        icon, tone = _ICONS[choice.kind]
        self._paint_icon(painter, inner, icon, tone)
        inner.setLeft(inner.left() + _ICON + _GAP)
        if choice.note:
            self._paint_note(painter, inner, choice)
            inner.setRight(inner.right() - self._note_width(choice) - 2 * _GAP)
        self._paint_title(painter, inner, choice.title)
        painter.restore()

    def _paint_icon(self, painter: QPainter, slot: QRect, name: str, tone: str) -> None:
        top = slot.top() + (slot.height() - _ICON) // 2
        icon = self._icons.icon(name, tone, _ICON)
        icon.paint(painter, QRect(slot.left(), top, _ICON, _ICON))

    def _paint_title(self, painter: QPainter, slot: QRect, title: str) -> None:
        painter.setFont(self._title)
        painter.setPen(self._theme.colour("fg"))
        metrics = QFontMetrics(self._title)
        mode = Qt.TextElideMode.ElideRight
        painter.drawText(slot, _LEFT, metrics.elidedText(title, mode, slot.width()))

    def _paint_note(self, painter: QPainter, slot: QRect, choice: FixChoice) -> None:
        painter.setFont(self._note)
        painter.setPen(self._theme.colour("good" if choice.is_safe else "fg3"))
        painter.drawText(slot, _RIGHT, choice.note)
        if choice.is_safe:
            left = slot.right() - self._note_width(choice)
            self._paint_icon(painter, QRect(left, slot.top(), 0, slot.height()), "check", "good")

    def _note_width(self, choice: FixChoice) -> int:
        width = QFontMetrics(self._note).horizontalAdvance(choice.note) + 1
        return width + (_ICON + 4 if choice.is_safe else 0)
