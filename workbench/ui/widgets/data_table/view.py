"""The table view: keys, menus, copying, and the state of its columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, Generic

from PySide6.QtCore import (
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QItemSelectionRange,
    QModelIndex,
    QPoint,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QAction,
    QGuiApplication,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QMenu, QTableView, QWidget

from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.data_table.cells import Cell, Column, Row
from workbench.ui.widgets.data_table.column_menu import column_menu
from workbench.ui.widgets.data_table.copying import as_markdown, as_tsv
from workbench.ui.widgets.data_table.delegate import CellDelegate
from workbench.ui.widgets.data_table.header import CellHeader
from workbench.ui.widgets.data_table.model import CellModel
from workbench.ui.widgets.data_table.state import ColumnState, TableState

_UNSORTED = -1


class DataTable(QTableView, Generic[Row]):
    """Shows records in columns.

    `row_key` says which record is which from one `set_rows` to the next, so that the selection
    stays; without it the record itself does. `name` is the accessible name.
    """

    #: The record under the cursor, None where there is none.
    current_changed = Signal(object)
    #: The person double-clicked a record or pressed Enter on it.
    row_activated = Signal(object)

    def __init__(
        self,
        icons: Icons,
        name: str,
        columns: Sequence[Column[Row]],
        row_key: Callable[[Row], Hashable] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._row_key = row_key
        self._theme = icons.theme
        self._cells: CellModel[Row] = CellModel(columns, self)
        self.setModel(self._cells)
        self._painter = CellDelegate(self, self._cells, icons)
        self.setItemDelegate(self._painter)
        self.setAccessibleName(name)
        self._set_up_view()
        self._set_up_header()
        self._set_up_actions(icons)
        self.activated.connect(self._on_index_activated)
        self.selectionModel().currentRowChanged.connect(self._on_current_row_changed)
        self._cells.units_grew.connect(self._on_units_grew)
        icons.theme.changed.connect(self.viewport().update)

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other records; order, filter and, where it is still there, the selection stay."""
        before = self._marked()
        self._cells.set_rows(rows)
        self._keep_selected(*before)

    def append_rows(self, rows: Sequence[Row]) -> None:
        """Show further records, which follow those that there are."""
        if self._cells.is_as_given:
            self._cells.append_rows(rows)
            return
        before = self._marked()
        self._cells.append_rows(rows)
        self._keep_selected(*before)

    def row_count(self) -> int:
        """How many records are on show."""
        return self._cells.rowCount()

    def rows(self) -> tuple[Row, ...]:
        """The records on show, in their order on the screen."""
        return tuple(self._record(at) for at in range(self._cells.rowCount()))

    def current_row(self) -> Row | None:
        """The record under the cursor."""
        index = self.currentIndex()
        return self._record(index.row()) if index.isValid() else None

    def selected_rows(self) -> tuple[Row, ...]:
        """The records that are selected, from the top."""
        return tuple(self._record(at) for at in self._selected())

    def set_filter(self, text: str) -> None:
        """Keep the records in which every word of `text` occurs."""
        before = self._marked()
        self._cells.set_filter(text)
        self._keep_selected(*before)

    def set_column_shown(self, key: str, shown: bool) -> None:
        """Show or hide the column of that key."""
        at = next(at for at, column in enumerate(self._cells.columns) if column.key == key)
        self.horizontalHeader().setSectionHidden(at, not shown)

    def set_stale(self, stale: bool) -> None:
        """Grey the cells while newer ones are on their way."""
        self._painter.stale = stale
        self.viewport().update()

    def save_state(self) -> dict[str, Any]:
        """Order, widths and sorting of the columns, as JSON can hold it."""
        header = self.horizontalHeader()
        shown = [header.logicalIndex(place) for place in range(header.count())]
        columns = tuple(
            ColumnState(
                self._cells.columns[at].key,
                self._width(at),
                not header.isSectionHidden(at),
            )
            for at in shown
        )
        section = header.sortIndicatorSection()
        sort = self._cells.columns[section].key if 0 <= section < header.count() else None
        descending = header.sortIndicatorOrder() is Qt.SortOrder.DescendingOrder
        return TableState(columns, sort, descending).to_json()

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Bring a saved state back; columns that it does not know keep their looks and follow."""
        loaded = TableState.from_json(state)
        header = self.horizontalHeader()
        at_key = {column.key: at for at, column in enumerate(self._cells.columns)}
        known = [column for column in loaded.columns if column.key in at_key]
        for place, column in enumerate(known):
            at = at_key[column.key]
            header.moveSection(header.visualIndex(at), place)
            header.setSectionHidden(at, not column.visible)
            if column.width > 0:
                header.resizeSection(at, column.width)
        if header.hiddenSectionCount() == header.count():
            header.showSection(0)
        section = at_key.get(loaded.sort or "", _UNSORTED)
        order = Qt.SortOrder.DescendingOrder if loaded.descending else Qt.SortOrder.AscendingOrder
        self.sortByColumn(section, order)

    def copy_tsv(self) -> None:
        """Put the selected records, or all, on the clipboard as tab-separated values."""
        QGuiApplication.clipboard().setText(as_tsv(*self._copied()))

    def copy_markdown(self) -> None:
        """Put the selected records, or all, on the clipboard as a Markdown table."""
        QGuiApplication.clipboard().setText(as_markdown(*self._copied()))

    def column_menu(self) -> QMenu:
        """A menu in which columns are shown and hidden; the last visible one cannot be hidden."""
        titles = [column.title for column in self._cells.columns]
        return column_menu(self.horizontalHeader(), titles, self)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        super().mouseMoveEvent(event)
        self._hover(self.rowAt(event.position().toPoint().y()))

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().leaveEvent(event)
        self._hover(-1)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self.viewport()) as painter:
            painter.fillRect(event.rect(), self._theme.colour("bg1"))
        super().paintEvent(event)

    def _set_up_view(self) -> None:
        # What paints all of its ground is moved as it is when it scrolls: new rows alone are made.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setProperty("kind", "data")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setCornerButtonEnabled(False)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(METRICS.compact_row_height)
        self.verticalHeader().setDefaultSectionSize(METRICS.row_height)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def _set_up_header(self) -> None:
        header = CellHeader(self._cells, self._theme, self)
        self.setHorizontalHeader(header)
        header.setSectionsMovable(True)
        header.setStretchLastSection(True)
        header.setSortIndicatorClearable(True)
        header.setSortIndicator(_UNSORTED, Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        for at, column in enumerate(self._cells.columns):
            header.resizeSection(at, column.width)
            header.setSectionHidden(at, not column.visible)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._on_header_menu_requested)

    def _set_up_actions(self, icons: Icons) -> None:
        copy = QAction("Copy as table", self)
        copy.setToolTip("Copy as tab-separated values, for a spreadsheet")
        copy.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy_tsv)
        icons.assign(copy, "copy")
        markdown = QAction("Copy as Markdown", self)
        markdown.triggered.connect(self.copy_markdown)
        self.addActions([copy, markdown])
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    def _on_index_activated(self, index: QModelIndex) -> None:
        self.row_activated.emit(self._record(index.row()))

    def _on_current_row_changed(self, current: QModelIndex) -> None:
        self.current_changed.emit(self._record(current.row()) if current.isValid() else None)

    def _on_units_grew(self, column: int) -> None:
        self.viewport().update()

    def _on_header_menu_requested(self, point: QPoint) -> None:
        menu = self.column_menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.horizontalHeader().mapToGlobal(point))

    def _hover(self, row: int) -> None:
        before = self._painter.hovered_row
        if row != before:
            self._painter.hovered_row = row
            for each in (before, row):
                self._update_row(each)

    def _update_row(self, row: int) -> None:
        if row >= 0:
            viewport = self.viewport()
            top, height = self.rowViewportPosition(row), self.rowHeight(row)
            viewport.update(0, top, viewport.width(), height)

    def _width(self, at: int) -> int:
        """The width of a column in px; 0 for a hidden one, and for the last, which is stretched."""
        header = self.horizontalHeader()
        following = range(header.visualIndex(at) + 1, header.count())
        is_last = all(header.isSectionHidden(header.logicalIndex(place)) for place in following)
        return 0 if is_last else header.sectionSize(at)

    def _record(self, row: int) -> Row:
        return self._cells.record(row)

    def _selected(self) -> list[int]:
        return sorted(index.row() for index in self.selectionModel().selectedRows(self._a_column()))

    def _a_column(self) -> int:
        header = self.horizontalHeader()
        return next(at for at in range(header.count()) if not header.isSectionHidden(at))

    def _marked(self) -> tuple[Row | None, tuple[Row, ...]]:
        """The record under the cursor, and those that are selected."""
        return self.current_row(), self.selected_rows()

    def _keep_selected(self, current: Row | None, selected: Sequence[Row]) -> None:
        """Select the records again after a reset, where they are still there."""
        self._painter.hovered_row = -1
        if current is None and not selected:
            return
        place_of = self._finder()
        chosen = QItemSelection()
        for place in map(place_of, selected):
            if place is not None:
                chosen.append(QItemSelectionRange(self._cells.index(place, 0)))
        flags, marks = QItemSelectionModel.SelectionFlag, self.selectionModel()
        marks.select(chosen, flags.Select | flags.Rows)
        place = None if current is None else place_of(current)
        if place is not None:
            marks.setCurrentIndex(self._cells.index(place, self._a_column()), flags.NoUpdate)

    def _finder(self) -> Callable[[Row], int | None]:
        """What tells the row of a record that was there before, None where it is gone."""
        records = [self._record(at) for at in range(self._cells.rowCount())]
        key = self._row_key
        if key is None:  # a record may have no hash
            return lambda record: records.index(record) if record in records else None
        places = {key(record): at for at, record in enumerate(records)}
        return lambda record: places.get(key(record))

    def _copied(self) -> tuple[list[Column[Row]], list[list[Cell]]]:
        """The visible columns and the cells of the selected rows (all where none is)."""
        header = self.horizontalHeader()
        places = (header.logicalIndex(place) for place in range(header.count()))
        shown = [at for at in places if not header.isSectionHidden(at)]
        rows = self._selected() or range(self._cells.rowCount())
        cells = [[self._cells.cell(row, at) for at in shown] for row in rows]
        return [self._cells.columns[at] for at in shown], cells
