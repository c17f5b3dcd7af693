"""The list of completions below the cursor, and the line with a call's parameters above it."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QLabel,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from workbench.ui.editor.appearance import code_font, colour, note_font
from workbench.ui.editor.completion import Completion, Signature
from workbench.ui.theme.theme import Theme

ROWS = 10
WIDTH = 320
PADDING = 8
NAME_INSET = PADDING + 1
ROW_PADDING = 6

Index = QModelIndex | QPersistentModelIndex


class CompletionModel(QAbstractListModel):
    """The completions as a list; the whole record is under the user role."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: Sequence[Completion] = ()

    def set_items(self, items: Sequence[Completion]) -> None:
        """Show these."""
        self.beginResetModel()
        self._items = items
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: N802, B008 - Qt's
        return 0 if parent.isValid() else len(self._items)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._items):
            return None
        item = self._items[index.row()]
        texts = {
            Qt.ItemDataRole.DisplayRole: item.name,
            Qt.ItemDataRole.UserRole: item,
            Qt.ItemDataRole.AccessibleTextRole: f"{item.name}, {item.kind}",
        }
        return texts.get(Qt.ItemDataRole(role))


class _Delegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: CompletionPopup) -> None:
        super().__init__(parent)
        self._theme, self._popup = theme, parent

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's
        height = QFontMetrics(code_font(self._popup.pixels)).height() + ROW_PADDING
        return QSize(WIDTH, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        item: Completion = index.data(Qt.ItemDataRole.UserRole)
        palette, area = self._theme.palette, QRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, colour(palette, "accentbg"))
        area.adjust(PADDING, 0, -PADDING, 0)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(code_font(self._popup.pixels))
        painter.setPen(colour(palette, "fg"))
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignLeft, item.name)
        painter.setFont(note_font(self._popup.pixels))
        painter.setPen(colour(palette, "fg3"))
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignRight, item.kind)


class CompletionPopup(QListView):
    """A list inside the view that never takes the focus."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = parent
        self.pixels = 12
        self._theme = theme
        self._model = CompletionModel(self)
        self.setModel(self._model)
        self.setItemDelegate(_Delegate(theme, self))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setUniformItemSizes(True)
        self.setAccessibleName("Completions")
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.hide()

    @property
    def chosen(self) -> Completion | None:
        """The selected completion."""
        found = self.currentIndex().data(Qt.ItemDataRole.UserRole)
        return found if isinstance(found, Completion) else None

    def show_items(self, items: Sequence[Completion], cursor: QRect, pixels: int) -> None:
        """Show completions below the cursor, or above it where there is more room."""
        self.pixels = pixels
        self._model.set_items(items)
        self.setCurrentIndex(self._model.index(0))
        rows = min(len(items), ROWS)
        height = rows * self.sizeHintForRow(0) + 2 * self.frameWidth() + 2
        self.setGeometry(placed(QSize(WIDTH, height), cursor, self._view, below=True))
        self.show()
        self.raise_()

    def move_by(self, steps: int) -> None:
        """Select another completion, around the ends."""
        count = self._model.rowCount()
        self.setCurrentIndex(self._model.index((self.currentIndex().row() + steps) % count))

    def _on_theme_changed(self) -> None:
        colours = self._theme.palette
        self.setStyleSheet(
            f"QListView {{ background: {colours.bg2}; border: 1px solid {colours.line2};"
            " border-radius: 6px; padding: 0; }"
        )


class SignatureTip(QLabel):
    """The parameters of a call, the one at the cursor marked."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._view = parent
        self._theme = theme
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAccessibleName("Parameters")
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()
        self.hide()

    def show_signature(self, signature: Signature, cursor: QRect, pixels: int) -> None:
        """Show a call's parameters above the cursor."""
        self.setFont(code_font(pixels))
        parts = [
            f"<b style='color:{self._theme.palette.accent}'>{html.escape(text)}</b>"
            if index == signature.index
            else html.escape(text)
            for index, text in enumerate(signature.parameters)
        ]
        self.setText(f"{html.escape(signature.name)}({', '.join(parts)})")
        room = self._view.width() - 2 * PADDING
        self.setWordWrap(self.sizeHint().width() > room)
        width = min(self.sizeHint().width(), room)
        height = self.heightForWidth(width) if self.wordWrap() else self.sizeHint().height()
        self.setGeometry(placed(QSize(width, height), cursor, self._view, below=False))
        self.show()
        self.raise_()

    def _on_theme_changed(self) -> None:
        colours = self._theme.palette
        self.setStyleSheet(
            f"QLabel {{ background: {colours.bg2}; color: {colours.fg2}; padding: 4px 8px;"
            f" border: 1px solid {colours.line2}; border-radius: 6px; }}"
        )


def placed(size: QSize, cursor: QRect, area: QWidget, *, below: bool) -> QRect:
    """Where something of a size stands by the cursor, inside `area` and off the cursor's line."""
    under, over = cursor.bottom() + 2, cursor.top() - size.height() - 2
    fits_below, fits_above = under + size.height() <= area.height(), over >= 0
    y = under if (below and (fits_below or not fits_above)) or not fits_above else over
    x = max(0, min(cursor.left(), area.width() - size.width()))
    return QRect(x, y, size.width(), size.height())
