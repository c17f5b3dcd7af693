"""The list of pages: a model, a delegate that paints title over sentence, and the view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from workbench.ui.panes.reference.rows import HeadingRow, ListRow, PageRow
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.painted_rows import paint_row_ground, show_painted_rows
from workbench.ui.widgets.row_model import Index, RowModel

_HEADING, _ROW = 32, 44
_MARGIN, _PADDING, _CHEVRON, _GAP = 6, 10, 14, 6
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ListModel(RowModel[ListRow]):
    """Rows by what they say."""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The title, and for a reader of the screen what it is about."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if isinstance(row, HeadingRow):
            state = "open" if row.is_open else "closed"
            spoken = f"{row.kind.title}, {row.count} pages, {state}"
            return _told(role, row.kind.title, spoken, "")
        return _told(role, row.title, f"{row.title}: {row.summary}", row.summary)


def _told(role: int, title: str, spoken: str, tip: str) -> str | None:
    told = {
        int(Qt.ItemDataRole.DisplayRole): title,
        int(Qt.ItemDataRole.AccessibleTextRole): spoken,
        int(Qt.ItemDataRole.ToolTipRole): tip,
    }
    return told.get(int(role))


class ListDelegate(QStyledItemDelegate):
    """Paints headings with their count, and pages in two lines."""

    def __init__(self, view: QListView, model: ListModel, icons: Icons) -> None:
        super().__init__(view)
        self._model, self._icons, self._theme = model, icons, icons.theme
        fonts = icons.theme.fonts
        self._strong, self._label = fonts.role(TextRole.STRONG), fonts.role(TextRole.LABEL)
        self._heading, self._code = fonts.role(TextRole.STRONG_LABEL), fonts.monospace(12)
        self._heights = (fonts.pixels(_HEADING), fonts.pixels(_ROW))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802 - Qt's
        is_page = isinstance(self._model.rows[index.row()], PageRow)
        return QSize(0, self._heights[is_page])

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        row, rect = self._model.rows[index.row()], option.rect
        inner = rect.adjusted(_MARGIN + _PADDING, 0, -_MARGIN - _PADDING, 0)
        self._paint_ground(painter, option)
        if isinstance(row, HeadingRow):
            self._paint_heading(painter, row, inner)
        else:
            self._paint_page(painter, row, inner)
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if not selected and not hovered:
            return
        colour = self._theme.colour("accentbg" if selected else "bg2")
        paint_row_ground(painter, option.rect, colour, _MARGIN, 1)

    def _paint_heading(self, painter: QPainter, row: HeadingRow, inner: QRect) -> None:
        left = inner.left()
        if row.can_close:
            icon = self._icons.icon("chevron-down" if row.is_open else "chevron-right", "fg3", 14)
            top = inner.top() + (inner.height() - _CHEVRON) // 2
            icon.paint(painter, QRect(left, top, _CHEVRON, _CHEVRON))
            left += _CHEVRON + _GAP
        place = QRect(left, inner.top(), inner.right() - left, inner.height())
        self._draw(painter, place, row.kind.title, self._heading, "fg2")
        self._draw(painter, place, f"{row.count:,}", self._label, "fg3", _RIGHT)

    def _paint_page(self, painter: QPainter, row: PageRow, inner: QRect) -> None:
        place = inner.adjusted(_CHEVRON + _GAP, 4, 0, -4)
        half = place.height() // 2
        upper = QRect(place.left(), place.top(), place.width(), half)
        font = self._code if row.is_code else self._strong
        self._draw(painter, upper, row.title, font, "fg")
        lower = upper.translated(0, place.height() - half)
        self._draw(painter, lower, row.summary, self._label, "fg3")

    def _draw(
        self,
        painter: QPainter,
        place: QRect,
        text: str,
        font: QFont,
        token: str,
        align: Qt.AlignmentFlag = _LEFT,
    ) -> None:
        painter.setFont(font)
        painter.setPen(self._theme.colour(token))
        shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, place.width())
        painter.drawText(place, align, shown)


class ResultList(QListView):
    """Shows rows; a click or Enter opens a page, or opens and closes a heading."""

    #: The person wants to read the page of that slug.
    page_chosen = Signal(str)
    #: The person wants the pages of a kind listed, or no longer.
    heading_toggled = Signal(object)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = ListModel(self)
        self.setModel(self._rows)
        self.setItemDelegate(ListDelegate(self, self._rows, icons))
        self.setAccessibleName("Pages of the reference")
        show_painted_rows(self)
        self.setProperty("kind", "painted")
        self.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.clicked.connect(self._choose)
        icons.theme.changed.connect(self.viewport().update)

    @property
    def rows(self) -> tuple[ListRow, ...]:
        """What is shown."""
        return self._rows.rows

    def set_rows(self, rows: Sequence[ListRow]) -> None:
        """Show other rows, from the top."""
        self._rows.set_rows(rows)

    def select(self, slug: str | None) -> None:
        """Put the cursor on a page, where it is listed."""
        for at, row in enumerate(self._rows.rows):
            if isinstance(row, PageRow) and row.slug == slug:
                self.setCurrentIndex(self._rows.index(at))
                return
        self.setCurrentIndex(QModelIndex())

    def step(self, by: int) -> None:
        """Move the cursor on by that many rows, past headings, not around the end."""
        at = self.currentIndex().row() if self.currentIndex().isValid() else -1
        at += by
        while 0 <= at < len(self._rows.rows):
            if isinstance(self._rows.rows[at], PageRow):
                self.setCurrentIndex(self._rows.index(at))
                return
            at += by

    def choose_current(self) -> None:
        """Open the page under the cursor, else the first."""
        if not self.currentIndex().isValid():
            self.step(1)
        if self.currentIndex().isValid():
            self._choose(self.currentIndex())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() in _ENTER and self.currentIndex().isValid():
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def _choose(self, index: QModelIndex) -> None:
        row = self._rows.rows[index.row()]
        if isinstance(row, PageRow):
            self.page_chosen.emit(row.slug)
        elif row.can_close:
            self.heading_toggled.emit(row.kind)
