"""The navigator's tree: one click or Enter activates, folds are remembered over changes."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QFrame, QTreeView, QWidget

from workbench.ui.navigator.delegate import NavigatorDelegate
from workbench.ui.navigator.model import NavigatorModel
from workbench.ui.navigator.nodes import Node, NodeKind
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.severity import SeverityLook

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_FOLDS = (NodeKind.SECTION, NodeKind.FOLDER)


class NavigatorTree(QTreeView):
    """Everything is unfolded at first; what the person folds stays so."""

    #: The person wants what the node stands for.
    node_activated = Signal(object)

    def __init__(
        self, icons: Icons, sections: tuple[Node, ...], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._nodes = NavigatorModel(sections, self)
        self._folded: set[str] = set()
        self._selected = ""
        self.setModel(self._nodes)
        self.setItemDelegate(NavigatorDelegate(self, self._nodes, icons))
        self._set_up()
        self.expandAll()
        self.collapsed.connect(self._on_collapsed)
        self.expanded.connect(self._on_expanded)
        icons.theme.changed.connect(self.viewport().update)

    def set_section(self, section: Node) -> None:
        """Replace a section; folds and selection stay where their nodes do."""
        self._nodes.set_section(section)
        self._unfold(self._nodes.find(section.key))
        self.select(self._selected)

    def set_mark(self, path: str, look: SeverityLook | None) -> None:
        """Mark a file, or take its mark away."""
        self._nodes.set_mark(path, look)

    def select(self, key: str) -> None:
        """Select the node of that key, now or when it appears; "" selects none."""
        self._selected = key
        index = self._nodes.find(key) if key else QModelIndex()
        if not index.isValid():
            self.selectionModel().clearSelection()
            return
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
        self.selectionModel().setCurrentIndex(index, flags)

    def node_at(self, point: QPoint) -> Node | None:
        """The node at a point of the viewport."""
        index = self.indexAt(point)
        return self._nodes.node(index) if index.isValid() else None

    def folded(self) -> list[str]:
        """The keys of what the person has folded."""
        return sorted(self._folded)

    def fold(self, keys: Iterable[object]) -> None:
        """Fold what has these keys, now or when it appears, and nothing else."""
        self._folded = {key for key in keys if isinstance(key, str)}
        for row in range(self._nodes.rowCount()):
            self._unfold(self._nodes.index(row, 0))

    def reveal_section(self, key: str) -> None:
        """Unfold a section and put the cursor on what is first in it."""
        index = self._nodes.find(key)
        self.expand(index)
        first = self._nodes.index(0, 0, index)
        self.scrollTo(index, QTreeView.ScrollHint.PositionAtTop)
        if first.isValid():
            self.selectionModel().setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        index = self.currentIndex()
        if event.key() in _ENTER and index.isValid():
            self._activate(index)
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and index.isValid():
            self._activate(index)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        """The second press of a double click is one more click: Qt would fold back."""
        self.mousePressEvent(event)

    def drawBranches(self, *_: object) -> None:  # noqa: N802 - Qt's name
        """The delegate paints the chevrons."""

    def _activate(self, index: QModelIndex) -> None:
        node = self._nodes.node(index)
        if node.kind in _FOLDS:
            self.setExpanded(index, not self.isExpanded(index))
        elif node.kind is not NodeKind.HINT:
            self.node_activated.emit(node)

    def _on_collapsed(self, index: QModelIndex) -> None:
        self._folded.add(self._nodes.node(index).key)

    def _on_expanded(self, index: QModelIndex) -> None:
        self._folded.discard(self._nodes.node(index).key)

    def _unfold(self, index: QModelIndex) -> None:
        """Unfold a node and all in it, but not what the person has folded."""
        self.setExpanded(index, self._nodes.node(index).key not in self._folded)
        for row in range(self._nodes.rowCount(index)):
            below = self._nodes.index(row, 0, index)
            if self._nodes.node(below).kind in _FOLDS:
                self._unfold(below)

    def _set_up(self) -> None:
        self.setProperty("ground", "bg0")
        self.setProperty("kind", "painted")
        self.setAccessibleName("Navigator")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHeaderHidden(True)
        self.setIndentation(0)
        self.setRootIsDecorated(False)
        self.setMouseTracking(True)
        self.setExpandsOnDoubleClick(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QTreeView.ScrollMode.ScrollPerPixel)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
