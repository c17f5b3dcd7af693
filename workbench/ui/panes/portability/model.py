"""The matrix as an item model: targets down, questions across."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.core.portability.model import Cell, CellState, Column, Row
from workbench.ui.panes.portability.looks import LOOKS, WAITING, CellLook

_COLUMNS = tuple(Column)
_ROOT = QModelIndex()
_Index = QModelIndex | QPersistentModelIndex


class MatrixModel(QAbstractTableModel):
    """Rows that come singly keep the place of the cursor: the same targets change in place.

    `narrow` asks for marks alone, under short titles.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[Row, ...] = ()
        self.narrow = False

    @property
    def rows(self) -> tuple[Row, ...]:
        """What is shown."""
        return self._rows

    def set_rows(self, rows: tuple[Row, ...]) -> None:
        """Show other rows."""
        if [row.target for row in rows] == [row.target for row in self._rows]:
            self._rows = rows
            if rows:
                last = self.index(len(rows) - 1, len(_COLUMNS) - 1)
                self.dataChanged.emit(self.index(0, 0), last)
                self.headerDataChanged.emit(Qt.Orientation.Vertical, 0, len(rows) - 1)
            return
        self.beginResetModel()
        self._rows = rows
        self.endResetModel()

    def cell(self, row: int, column: int) -> Cell:
        """The cell at a place."""
        return self._rows[row].cells[column]

    def look(self, row: int, column: int) -> CellLook:
        """How a cell looks; what is still being looked at waits."""
        cell = self.cell(row, column)
        waits = self._rows[row].pending and cell.state is CellState.UNKNOWN and not cell.text
        return WAITING if waits else LOOKS[cell.state]

    def rowCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802 - Qt's name
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = _ROOT) -> int:  # noqa: N802 - Qt's name
        return 0 if parent.isValid() else len(_COLUMNS)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        cell = self.cell(index.row(), index.column())
        if role == Qt.ItemDataRole.DisplayRole:
            return cell.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return cell.reason
        if role == Qt.ItemDataRole.AccessibleTextRole:
            row, look = self._rows[index.row()], self.look(index.row(), index.column())
            return f"{row.label}, {cell.column.title}: {look.word}, {cell.text or cell.reason}"
        return None

    def headerData(  # noqa: N802 - Qt's name
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if orientation is Qt.Orientation.Horizontal:
            column = _COLUMNS[section]
            title = column.short_title if self.narrow else column.title
            texts = {Qt.ItemDataRole.DisplayRole: title,
                     Qt.ItemDataRole.ToolTipRole: column.question}  # fmt: skip
        else:
            row = self._rows[section]
            texts = {Qt.ItemDataRole.DisplayRole: row.label,
                     Qt.ItemDataRole.ToolTipRole: f"{row.label} ({row.detail})"}  # fmt: skip
        return texts.get(Qt.ItemDataRole(role))
