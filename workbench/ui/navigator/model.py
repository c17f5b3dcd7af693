"""The item model of the navigator's tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from workbench.ui.navigator.nodes import Node, NodeKind
from workbench.ui.widgets.severity import SeverityLook

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


@dataclass(eq=False)
class Item:
    """A node in its place; it lives as long as its section is not replaced."""

    node: Node
    parent: Item | None
    row: int
    children: list[Item] = field(default_factory=list)


class NavigatorModel(QAbstractItemModel):
    """Sections with their nodes; marks of files are kept beside them, by path."""

    def __init__(self, sections: tuple[Node, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sections = [_item(node, None, row) for row, node in enumerate(sections)]
        self._marks: dict[str, SeverityLook] = {}

    def set_section(self, node: Node) -> None:
        """Replace the section of the same key: its title, and all that is in it."""
        section = next(item for item in self._sections if item.node.key == node.key)
        if section.node == node:
            return
        index = self.index(section.row, 0)
        if section.children:
            self.beginRemoveRows(index, 0, len(section.children) - 1)
            section.children = []
            self.endRemoveRows()
        section.node = node
        if node.children:
            self.beginInsertRows(index, 0, len(node.children) - 1)
            section.children = _children(section)
            self.endInsertRows()
        self.dataChanged.emit(index, index)

    def set_mark(self, path: str, look: SeverityLook | None) -> None:
        """Mark a file, known or not yet, or take its mark away."""
        if look is None:
            self._marks.pop(path, None)
        else:
            self._marks[path] = look
        index = self.find(f"file:{path}")
        if index.isValid():
            self.dataChanged.emit(index, index)

    def mark(self, node: Node) -> SeverityLook | None:
        """The mark at the right of a node."""
        return self._marks.get(node.payload) if node.kind is NodeKind.FILE else None

    def node(self, index: Index) -> Node:
        """The node of a valid index."""
        return _item_of(index).node

    def find(self, key: str) -> QModelIndex:
        """Where the node of that key is; an invalid index where there is none."""
        waiting = list(self._sections)
        while waiting:
            item = waiting.pop()
            if item.node.key == key:
                return self.createIndex(item.row, 0, item)
            waiting.extend(item.children)
        return QModelIndex()

    def index(self, row: int, column: int, parent: Index = _NOWHERE) -> QModelIndex:
        siblings = self._below(parent)
        if column != 0 or not 0 <= row < len(siblings):
            return QModelIndex()
        return self.createIndex(row, 0, siblings[row])

    def parent(self, index: Index = _NOWHERE) -> QModelIndex:  # type: ignore[override]
        above = _item_of(index).parent if index.isValid() else None
        return QModelIndex() if above is None else self.createIndex(above.row, 0, above)

    def rowCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        return len(self._below(parent)) if parent.column() <= 0 else 0

    def columnCount(self, parent: Index = _NOWHERE) -> int:  # noqa: N802 - Qt's name
        return 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The text, the tip and the spoken text of a node."""
        if not index.isValid():
            return None
        node = self.node(index)
        if role == Qt.ItemDataRole.DisplayRole:
            return node.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return node.tip or None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            look = node.look or self.mark(node)
            parts = (node.text, node.detail, look.word if look else "")
            return ", ".join(part for part in parts if part)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """A hint can be neither chosen nor pressed."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        if self.node(index).kind is NodeKind.HINT:
            return Qt.ItemFlag.ItemIsEnabled
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable

    def _below(self, parent: Index) -> list[Item]:
        return _item_of(parent).children if parent.isValid() else self._sections


def _item_of(index: Index) -> Item:
    item = index.internalPointer()
    assert isinstance(item, Item)
    return item


def _item(node: Node, parent: Item | None, row: int) -> Item:
    item = Item(node, parent, row)
    item.children = _children(item)
    return item


def _children(item: Item) -> list[Item]:
    return [_item(child, item, row) for row, child in enumerate(item.node.children)]
