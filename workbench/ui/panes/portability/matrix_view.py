"""The table of the matrix: a cursor that goes by cells, and columns that share the width."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from workbench.core.portability.model import Cell, CellState, Column, PortabilityMatrix, Row
from workbench.ui.panes.portability.model import MatrixModel
from workbench.ui.panes.portability.painting import CellDelegate, TargetHeader
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS

_TITLE_ROOM = 14
_SCROLL_BAR = 14


class MatrixView(QTableView):
    """Shows a matrix; the cell under the cursor is the one that a person asks about."""

    #: Another cell is under the cursor: its row and the cell, both None where there is none.
    current_changed = Signal(object, object)
    #: The person double-clicked the cell under the cursor, or pressed Enter on it.
    cell_activated = Signal(object)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._matrix = MatrixModel(self)
        self.setModel(self._matrix)
        self._delegate = CellDelegate(self, self._matrix, icons)
        self.setItemDelegate(self._delegate)
        self._targets = TargetHeader(self._matrix, icons, self)
        self.setVerticalHeader(self._targets)
        self.setAccessibleName("Portability")
        self._set_up(icons)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.activated.connect(self._on_activated)
        icons.theme.changed.connect(self.viewport().update)

    def set_matrix(self, matrix: PortabilityMatrix | None) -> None:
        """Show a matrix; the cursor stays at its target and question where they are still there."""
        before = self.place()
        self._matrix.set_rows(matrix.rows if matrix is not None else ())
        self._share_width()
        self.updateGeometries()
        if before is not None and not self.currentIndex().isValid():
            self.go_to(*before)
        self._tell()

    def set_stale(self, stale: bool) -> None:
        """Grey the cells: they are of an earlier text."""
        self._delegate.stale = stale
        self.viewport().update()

    def place(self) -> tuple[str, str] | None:
        """The target and the column under the cursor."""
        row, cell = self.current()
        return None if row is None or cell is None else (row.target, cell.column.value)

    def current(self) -> tuple[Row | None, Cell | None]:
        """The row and the cell under the cursor."""
        index = self.currentIndex()
        if not index.isValid():
            return None, None
        row = self._matrix.rows[index.row()]
        return row, row.cells[index.column()]

    def go_to(self, target: str, column: str) -> bool:
        """Put the cursor on a cell; False where there is none such."""
        for at, row in enumerate(self._matrix.rows):
            for place, cell in enumerate(row.cells):
                if (row.target, cell.column.value) == (target, column):
                    self.setCurrentIndex(self._matrix.index(at, place))
                    return True
        return False

    def go_to_obstacle(self, matrix: PortabilityMatrix) -> None:
        """Put the cursor on what the conclusion tells, else on the first caution."""
        found = matrix.obstacle
        if found is None:
            cells = ((row, cell) for row in matrix.rows for cell in row.cells)
            found = next((pair for pair in cells if pair[1].state is CellState.CAUTION), None)
        if found is not None:
            self.go_to(found[0].target, found[1].column.value)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._share_width()
        self.scrollTo(self.currentIndex())

    def _set_up(self, icons: Icons) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setCornerButtonEnabled(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        header = self.horizontalHeader()
        header.setFont(icons.theme.fonts.role(TextRole.STRONG_LABEL))
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setFixedHeight(METRICS.row_height)

    def _share_width(self) -> None:
        """Each column as wide as its texts, or marks alone where there is no room for these."""
        self._set_narrow(False)
        needs = self._needs()
        if sum(needs) > self._room():
            self._set_narrow(True)
            needs = self._needs()
        spare = max(0, self._room() - sum(needs)) // len(needs)
        for at, need in enumerate(needs):
            self.setColumnWidth(at, need + spare)

    def _set_narrow(self, narrow: bool) -> None:
        self._matrix.narrow = narrow
        alone = Qt.AlignmentFlag.AlignHCenter if narrow else Qt.AlignmentFlag.AlignLeft
        self.horizontalHeader().setDefaultAlignment(alone | Qt.AlignmentFlag.AlignVCenter)

    def _needs(self) -> list[int]:
        metrics, titles = self.horizontalHeader().fontMetrics(), list(Column)
        if self._matrix.narrow:
            return [metrics.horizontalAdvance(c.short_title) + _TITLE_ROOM for c in titles]
        return [
            max(self.sizeHintForColumn(at), metrics.horizontalAdvance(c.title) + _TITLE_ROOM)
            for at, c in enumerate(titles)
        ]

    def _room(self) -> int:
        """The width for columns; what the names of the targets take depends on the form."""
        return self.width() - self._targets.sizeHint().width() - _SCROLL_BAR

    def _tell(self) -> None:
        self.current_changed.emit(*self.current())

    def _on_current_changed(self) -> None:
        self._tell()

    def _on_activated(self, index: QModelIndex) -> None:
        self.cell_activated.emit(self._matrix.cell(index.row(), index.column()))
