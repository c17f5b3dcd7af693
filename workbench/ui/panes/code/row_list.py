"""The list of texts to choose from, with its model; J and K step through it as the arrows do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QListView, QWidget

from workbench.session.code_inputs import Stage
from workbench.ui.panes.code.row_delegate import RowDelegate
from workbench.ui.panes.code.rows import TextRow
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.painted_rows import show_painted_rows

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_STEPS = {Qt.Key.Key_J: Qt.Key.Key_Down, Qt.Key.Key_K: Qt.Key.Key_Up}


class RowModel(QAbstractListModel):
    """Rows as given; text and tip are for screen readers and pointers, the delegate paints."""

    rows: tuple[TextRow, ...] = ()

    def set_rows(self, rows: Sequence[TextRow]) -> None:
        """Show other rows; as many of the same keys are taken for the same rows."""
        if [row.key for row in rows] == [row.key for row in self.rows]:
            self.rows = tuple(rows)
            if rows:
                self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))
            return
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The name, the tip and the spoken text of a row."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        texts = {
            Qt.ItemDataRole.DisplayRole: row.name,
            Qt.ItemDataRole.ToolTipRole: row.tip,
            Qt.ItemDataRole.AccessibleTextRole: row.spoken,
        }
        return texts.get(Qt.ItemDataRole(role))


class RowList(QListView):
    """Tells which row the person has chosen; `set_current` does not."""

    #: The key of the row that the person moved to or clicked.
    chosen = Signal(object)

    def __init__(self, icons: Icons, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = RowModel(self)
        self._is_setting = False
        self.setModel(self.rows)
        self.setItemDelegate(RowDelegate(self, icons))
        self.setAccessibleName(name)
        self.setProperty("ground", "bg0")
        show_painted_rows(self)
        self.setUniformItemSizes(True)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.clicked.connect(self._on_clicked)

    def set_rows(self, rows: Sequence[TextRow]) -> None:
        """Show other rows; the current one is kept where its key is among them."""
        current = self.current_key()
        self._is_setting = True
        self.rows.set_rows(rows)
        self._is_setting = False
        self.set_current(current)

    def current_key(self) -> Stage | int | None:
        """The key of the row that is chosen."""
        index = self.currentIndex()
        is_chosen = index.isValid() and self.selectionModel().isSelected(index)
        return self.rows.rows[index.row()].key if is_chosen else None

    def set_current(self, key: Stage | int | None) -> None:
        """Make the row of a key the current one; no row where there is none."""
        keys = [row.key for row in self.rows.rows]
        self._is_setting = True
        if key is None or key not in keys:
            self.selectionModel().clear()
        elif self.current_key() != key:
            index = self.rows.index(keys.index(key))
            self.selectionModel().setCurrentIndex(
                index, QItemSelectionModel.SelectionFlag.ClearAndSelect
            )
            self.scrollTo(index)
        self._is_setting = False

    def focusInEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        """Qt makes the first row the current one where none is; that is no choice."""
        self._is_setting = True
        super().focusInEvent(event)
        self._is_setting = False

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None and not event.modifiers():
            event = QKeyEvent(event.type(), step, event.modifiers())
        super().keyPressEvent(event)

    def _on_current_changed(self, current: QModelIndex, previous: QModelIndex) -> None:
        if current.isValid() and not self._is_setting:
            self.chosen.emit(self.rows.rows[current.row()].key)

    def _on_clicked(self, index: QModelIndex) -> None:
        self.chosen.emit(self.rows.rows[index.row()].key)
