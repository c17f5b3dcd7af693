"""The list of the problem pane: rows that are walked by keys and whose fixes are links."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QWidget

from workbench.session.problems import Problem
from workbench.ui.panes.problems.delegate import ProblemDelegate
from workbench.ui.panes.problems.model import ProblemModel
from workbench.ui.panes.problems.rows import ProblemRow, identity
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.painted_rows import show_painted_rows

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class ProblemList(QListView):
    """Shows rows; one click or Enter goes to a problem, Space asks for its details."""

    #: The problem under the cursor, None where there is none.
    current_changed = Signal(object)
    #: The person wants to go to the problem.
    problem_chosen = Signal(object)
    #: The person clicked the first fix of the problem.
    fix_chosen = Signal(object)
    #: The person wants the menu of what can be done: the problem, and where, on the screen.
    menu_requested = Signal(object, object)
    #: The person wants to see, or no longer see, the details.
    details_toggled = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = ProblemModel(self)
        self._painter = ProblemDelegate(self, self._rows, icons)
        self.setModel(self._rows)
        self.setItemDelegate(self._painter)
        self.setAccessibleName("Problems")
        show_painted_rows(self)
        self.setProperty("kind", "painted")
        self.setUniformItemSizes(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        icons.theme.changed.connect(self.viewport().update)

    def set_rows(self, rows: Sequence[ProblemRow]) -> None:
        """Show other rows; the cursor stays on the same problem where it is still there."""
        before = self.current_problem()
        self._rows.set_rows(rows)
        self._painter.measure()
        self._painter.hovered_fix = -1
        if before is not None:
            self._select_like(before)
        if self.current_problem() is None:
            self.current_changed.emit(None)

    def current_problem(self) -> Problem | None:
        """The problem under the cursor."""
        index = self.currentIndex()
        return self._rows.rows[index.row()].problem if index.isValid() else None

    def step(self, by: int) -> Problem | None:
        """Move the cursor on by that many rows, around the end; the problem it is on then."""
        count = len(self._rows.rows)
        if count == 0:
            return None
        start = (
            self.currentIndex().row() if self.currentIndex().isValid() else (-1 if by > 0 else 0)
        )
        self.setCurrentIndex(self._rows.index((start + by) % count))
        return self.current_problem()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        problem = self.current_problem()
        if event.key() in _ENTER and problem is not None:
            self.problem_chosen.emit(problem)
        elif event.key() == Qt.Key.Key_Space:
            self.details_toggled.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        index = self.indexAt(event.pos())
        if index.isValid():
            self.menu_requested.emit(self._rows.rows[index.row()].problem, event.globalPos())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        super().mouseMoveEvent(event)
        self._hover(self._fix_at(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().leaveEvent(event)
        self._hover(-1)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        super().mouseReleaseEvent(event)
        point = event.position().toPoint()
        index = self.indexAt(point)
        if event.button() is not Qt.MouseButton.LeftButton or not index.isValid():
            return
        problem = self._rows.rows[index.row()].problem
        if self._fix_at(point) == index.row():
            self.fix_chosen.emit(problem)
        else:
            self.problem_chosen.emit(problem)

    def reveal(self, problem: Problem) -> bool:
        """Put the cursor on a problem; False where the list does not show it."""
        self._select_like(problem)
        current = self.current_problem()
        return current is not None and identity(current) == identity(problem)

    def _on_current_changed(self, current: QModelIndex) -> None:
        problem = self._rows.rows[current.row()].problem if current.isValid() else None
        self.current_changed.emit(problem)

    def _fix_at(self, point: QPoint) -> int:
        """The row whose fix is at a point of the viewport, -1 for none."""
        row = self.indexAt(point).row()
        return row if self._painter.fix_rect(row).contains(point) else -1

    def _hover(self, row: int) -> None:
        if row == self._painter.hovered_fix:
            return
        self._painter.hovered_fix = row
        if row >= 0:
            self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        else:
            self.viewport().unsetCursor()
        self.viewport().update()

    def _select_like(self, problem: Problem) -> None:
        wanted = identity(problem)
        for at, row in enumerate(self._rows.rows):
            if identity(row.problem) == wanted:
                self.setCurrentIndex(self._rows.index(at))
                return
