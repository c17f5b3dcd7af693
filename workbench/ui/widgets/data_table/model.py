"""The item models of a table: its cells, and the sorted and filtered order of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from workbench.ui.widgets.data_table.cells import Cell, Column, Row, precedes

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class CellModel(QAbstractTableModel, Generic[Row]):
    """Records and their cells; a cell is made when it is first asked for."""

    def __init__(self, columns: Sequence[Column[Row]], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._rows: tuple[Row, ...] = ()
        self._cells: list[tuple[Cell, ...] | None] = []
        self._units: dict[int, frozenset[str]] = {}

    @property
    def rows(self) -> tuple[Row, ...]:
        """The records in the order they were given."""
        return self._rows

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show other records."""
        self.beginResetModel()
        self._rows = tuple(rows)
        self._cells = [None] * len(self._rows)
        self._units = {}
        self.endResetModel()

    def cells(self, row: int) -> tuple[Cell, ...]:
        """The cells of a record, one a column."""
        found = self._cells[row]
        if found is None:
            found = tuple(column.cell(self._rows[row]) for column in self.columns)
            self._cells[row] = found
        return found

    def units(self, column: int) -> frozenset[str]:
        """The units that occur in a column."""
        if column not in self._units:
            cells = (self.cells(row)[column] for row in range(len(self._rows)))
            self._units[column] = frozenset(cell.unit for cell in cells)
        return self._units[column]

    def rowCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, tip, alignment and the spoken text of a cell."""
        if not index.isValid():
            return None
        cell = self.cells(index.row())[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.full_text
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell.tip or cell.full_text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(self.columns[index.column()])
        return None

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


class OrderedModel(QSortFilterProxyModel):
    """The cells of a `CellModel` in the order and choice that the person asked for."""

    def __init__(self, source: CellModel[Any], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._source = source
        self._words: tuple[str, ...] = ()
        self.setSourceModel(source)

    def set_filter(self, text: str) -> None:
        """Keep the rows in which every word of `text` occurs, in any column and any case."""
        self._words = tuple(text.casefold().split())
        self.invalidate()

    def lessThan(self, left: Index, right: Index) -> bool:  # noqa: N802 - Qt's name
        first, second = (
            self._source.cells(index.row())[index.column()].sort_key for index in (left, right)
        )
        return precedes(first, second, self.sortOrder() is Qt.SortOrder.DescendingOrder)

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:  # noqa: N802 - Qt's name
        if not self._words:
            return True
        text = " ".join(cell.full_text for cell in self._source.cells(row)).casefold()
        return all(word in text for word in self._words)


def alignment(column: Column[Any]) -> Qt.AlignmentFlag:
    """Numbers stand at the right."""
    side = Qt.AlignmentFlag.AlignRight if column.numeric else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
