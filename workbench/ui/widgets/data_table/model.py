"""The item model of a table: its cells, in the order and choice that the person asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from workbench.ui.widgets.data_table.cells import Cell, Column, Row, SortKey, ordered

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_UNSORTED = -1
_SAMPLE = 64


class CellModel(QAbstractTableModel, Generic[Row]):
    """Records and their cells; a cell is made when it is first asked for.

    It sorts and filters by itself: Qt's proxy would ask Python for each comparison, which takes
    seconds for ten thousand rows.
    """

    #: A column has a unit that none of the units told before is.
    units_grew = Signal(int)

    def __init__(self, columns: Sequence[Column[Row]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._rows: tuple[Row, ...] = ()
        # Which of the records stands in each row on the screen.
        self._order: list[int] = []
        self._cells: dict[tuple[int, int], Cell] = {}
        self._texts: dict[int, str] = {}
        self._units: list[frozenset[str]] = [frozenset()] * len(self.columns)
        self._sampled: set[int] = set()
        self._words: tuple[str, ...] = ()
        self._sort_column = _UNSORTED
        self._descending = False

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other records."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self._cells, self._texts = {}, {}
        self._units = [frozenset()] * len(self.columns)
        self._sampled.clear()
        self._order = self._wanted_order()
        self.endResetModel()

    def append_rows(self, rows: Sequence[Row]) -> None:
        """Show further records after those that there are, whose cells stay as they were made."""
        if not rows:
            return
        if self.is_as_given:
            first = len(self._rows)
            self.beginInsertRows(_NOWHERE, first, first + len(rows) - 1)
            self._rows = (*self._rows, *rows)
            self._order.extend(range(first, len(self._rows)))
            self.endInsertRows()
            return
        self.beginResetModel()
        self._rows = (*self._rows, *rows)
        self._order = self._wanted_order()
        self.endResetModel()

    @property
    def is_as_given(self) -> bool:
        """Whether all records are on show in the order in which they came."""
        return not self._words and not 0 <= self._sort_column < len(self.columns)

    def set_filter(self, text: str) -> None:
        """Keep the rows in which every word of `text` occurs, in any column and any case."""
        self.beginResetModel()
        self._words = tuple(text.casefold().split())
        self._order = self._wanted_order()
        self.endResetModel()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order by a column; -1 is the order in which the records were given."""
        self.layoutAboutToBeChanged.emit()
        before = self._order
        self._sort_column = column
        self._descending = order is Qt.SortOrder.DescendingOrder
        self._order = self._wanted_order()
        self._move_persistent(before)
        self.layoutChanged.emit()

    def record(self, row: int) -> Row:
        """The record in a row of the screen."""
        return self._rows[self._order[row]]

    def cell(self, row: int, column: int) -> Cell:
        """The cell in a row and column of the screen."""
        return self._cell_of(self._order[row], column)

    def units(self, column: int) -> frozenset[str]:
        """The units that occur in a column, as far as its cells were made.

        Those of the first rows are, so that numbers seldom move while they are painted.
        """
        if column not in self._sampled:
            for at in self._order[:_SAMPLE]:
                self._cell_of(at, column)
            self._sampled.add(column)
        return self._units[column]

    def rowCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text with unit, tip and alignment of a cell."""
        if not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(self.columns[index.column()])
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        cell = self.cell(index.row(), index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.full_text
        tip_of = self.columns[index.column()].tip_of
        tip = cell.tip if tip_of is None else tip_of(self.record(index.row()))
        return tip or cell.full_text

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Title, tip and alignment of a column."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        values = {
            Qt.ItemDataRole.DisplayRole: column.title,
            Qt.ItemDataRole.ToolTipRole: column.tip or column.title,
            Qt.ItemDataRole.TextAlignmentRole: alignment(column),
        }
        return values.get(Qt.ItemDataRole(role))

    def _cell_of(self, at: int, column: int) -> Cell:
        place = (at, column)
        if place not in self._cells:
            self._cells[place] = made = self.columns[column].cell(self._rows[at])
            if made.unit not in self._units[column]:
                self._units[column] |= {made.unit}
                if column in self._sampled:
                    self.units_grew.emit(column)
        return self._cells[place]

    def _wanted_order(self) -> list[int]:
        kept = [at for at in range(len(self._rows)) if self._has_words(at)]
        if not 0 <= self._sort_column < len(self.columns):
            return kept
        keys = [self._sort_key(at) for at in kept]
        return [kept[place] for place in ordered(keys, self._descending)]

    def _sort_key(self, at: int) -> SortKey:
        sort = self.columns[self._sort_column].sort
        if sort is not None:
            return sort(self._rows[at])
        return self._cell_of(at, self._sort_column).sort_key

    def _has_words(self, at: int) -> bool:
        if not self._words:
            return True
        text = self._text_of(at)
        return all(word in text for word in self._words)

    def _text_of(self, at: int) -> str:
        """All texts of a record in lower case, kept for the next letter of a filter."""
        if at not in self._texts:
            cells = [self._cell_of(at, column).full_text for column in range(len(self.columns))]
            self._texts[at] = " ".join(cells).casefold()
        return self._texts[at]

    def _move_persistent(self, before: Sequence[int]) -> None:
        """Let the selection, and what else Qt keeps of rows, go with its records."""
        row_of = {at: row for row, at in enumerate(self._order)}
        old = self.persistentIndexList()
        new = [self.index(row_of[before[index.row()]], index.column()) for index in old]
        self.changePersistentIndexList(old, new)


def alignment(column: Column[Any]) -> Qt.AlignmentFlag:
    """Numbers stand at the right."""
    side = Qt.AlignmentFlag.AlignRight if column.numeric else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
