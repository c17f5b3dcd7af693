"""The item model of the problem list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, Qt

from workbench.ui.panes.problems.rows import ProblemRow, place_text

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class ProblemModel(QAbstractListModel):
    """Rows as given; text and tip are for screen readers and pointers, the delegate paints."""

    rows: tuple[ProblemRow, ...] = ()

    def set_rows(self, rows: Sequence[ProblemRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The message, the tip and the spoken text of a row."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{row.clause} {row.rest}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.tip
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.look.word}, {place_text(row.problem)}: {row.clause} {row.rest}".strip()
        return None
