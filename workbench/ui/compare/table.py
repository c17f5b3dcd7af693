"""The table of a comparison: heads and titles stay in sight while the rest is scrolled."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QMenu, QToolTip

from workbench.session.comparison_view.model import ComparisonView
from workbench.ui.compare.column_menu import column_menu
from workbench.ui.compare.geometry import HEAD, ROW, Geometry, RowPlace, geometry
from workbench.ui.compare.painting import TablePainter
from workbench.ui.theme.icons import Icons

_KEYS = {
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Down: (0, 1),
    Qt.Key.Key_Up: (0, -1),
}


class ComparisonTable(QAbstractScrollArea):
    """Paints a `ComparisonView`; arrows move a cell, the menu acts on its column."""

    #: A column is to be the one that the others are held against: its run's id.
    base_requested = Signal(str)
    remove_requested = Signal(str)
    #: A column is to move by so many places.
    move_requested = Signal(str, int)
    #: What a run came to is wanted, or the text that it ran.
    run_activated = Signal(str)
    text_requested = Signal(str)
    #: The code of a column is wanted beside the base's.
    difference_requested = Signal(str)
    #: The pinned baseline of the kernel is wanted beside the columns.
    pinned_requested = Signal()
    copy_requested = Signal()

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._view: ComparisonView | None = None
        self._places: Geometry | None = None
        self._current = (0, -1)
        self._hovered: int | None = None
        self._lit = ""
        self.setProperty("ground", "bg1")
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setAccessibleName("Runs side by side")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        for bar in (self.horizontalScrollBar(), self.verticalScrollBar()):
            bar.setSingleStep(int(ROW))
        icons.theme.changed.connect(self.viewport().update)

    @property
    def view(self) -> ComparisonView | None:
        """What is shown."""
        return self._view

    @property
    def places(self) -> Geometry | None:
        """Where its parts lie."""
        return self._places

    def set_view(self, view: ComparisonView) -> None:
        """Show a comparison."""
        self._view = view
        self._hovered = None
        self._fit()
        self.updateGeometry()
        self.viewport().update()

    def set_lit(self, run_id: str) -> None:
        """Light up the head of a run's column, "" for none."""
        if run_id != self._lit:
            self._lit = run_id
            self.viewport().update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        height = self._places.height if self._places is not None else 300.0
        return QSize(900, int(height) + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        places, view = self._places, self._view
        if places is None or view is None:
            return
        with QPainter(self.viewport()) as painter:
            table = TablePainter(painter, self._icons, places)
            dx, dy = self._offset.x(), self._offset.y()
            width, height = self.viewport().width(), self.viewport().height()
            body = QRect(0, int(HEAD), width, height - int(HEAD))
            self._part(painter, body.adjusted(int(places.left), 0, 0, 0), dx, dy)
            self._cells(table, view, places)
            self._part(painter, body, 0, dy)
            painter.setClipRect(QRectF(0, HEAD + dy, places.left, height))
            self._titles(table, places)
            heads = QRect(int(places.left), 0, width, int(HEAD))
            self._part(painter, heads, dx, 0)
            for at, head in enumerate(view.heads):
                table.head(at, head, head.run_id == self._lit)
                table.upright(places.column_left(at), 0, HEAD)
            self._part(painter, QRect(0, 0, int(places.left), int(HEAD)), 0, 0)
            table.corner()
            self._part(painter, self.viewport().rect(), 0, 0)
            table.line(HEAD - 1, 16, width, "line2")

    def _cells(self, table: TablePainter, view: ComparisonView, places: Geometry) -> None:
        for at, lines in enumerate(view.code.columns):
            table.code(at, lines)
        if view.code.empty:
            table.code_note(view.code.empty)
        shown = [at for at in range(len(view.heads)) if self._sees(places.column_left(at), places)]
        for n, place in self._rows_in_sight(places):
            for at in shown:
                is_current = self.hasFocus() and self._current == (at, n)
                table.cell(at, place, place.row.cells[at], is_current)
        for y in places.lines:
            table.line(y, places.left, places.width)
        for at in range(len(view.heads)):
            table.upright(places.column_left(at), HEAD, places.height)

    def _titles(self, table: TablePainter, places: Geometry) -> None:
        table.code_head()
        for n, place in self._rows_in_sight(places):
            table.row_head(place, n == self._hovered)
        for y in places.lines:
            table.line(y, 16, places.left)

    def _rows_in_sight(self, places: Geometry) -> Iterator[tuple[int, RowPlace]]:
        """The rows that are not scrolled away, with their numbers."""
        top = self._offset.y() + HEAD - ROW
        bottom = self._offset.y() + self.viewport().height()
        for n, place in enumerate(places.rows):
            if top <= place.top <= bottom:
                yield n, place

    def _sees(self, left: float, places: Geometry) -> bool:
        """Whether a column is not scrolled away."""
        x = left - self._offset.x()
        return x + places.column >= places.left and x <= self.viewport().width()

    def _part(self, painter: QPainter, area: QRect, dx: float, dy: float) -> None:
        """Paint in a part of the viewport, moved by what is scrolled."""
        painter.resetTransform()
        painter.setClipRect(area)
        painter.translate(-dx, -dy)

    @property
    def _offset(self) -> QPointF:
        return QPointF(self.horizontalScrollBar().value(), self.verticalScrollBar().value())

    def _fit(self) -> None:
        if self._view is None:
            return
        size = self.viewport().size()
        self._places = geometry(self._view, float(size.width()))
        across = max(0, int(self._places.width) - size.width())
        down = max(0, int(self._places.height) - size.height())
        self.horizontalScrollBar().setRange(0, across)
        self.horizontalScrollBar().setPageStep(size.width())
        self.verticalScrollBar().setRange(0, down)
        self.verticalScrollBar().setPageStep(size.height())

    def place_at(self, point: QPointF) -> tuple[int | None, int | None]:
        """The column and the row at a point of the viewport."""
        places = self._places
        if places is None:
            return None, None
        x = point.x() if point.x() < places.left else point.x() + self._offset.x()
        row = None if point.y() < HEAD else places.row_at(point.y() + self._offset.y())
        return places.column_at(x), row

    def tip_at(self, point: QPointF) -> str:
        """What hovering a point says."""
        places, view = self._places, self._view
        if places is None or view is None:
            return ""
        column, row = self.place_at(point)
        if row is None:
            return view.heads[column].tip if column is not None and point.y() < HEAD else ""
        if column is None:
            return places.rows[row].row.tip
        return places.rows[row].row.cells[column].tip

    def viewportEvent(self, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tip = self.tip_at(QPointF(event.pos()))
            if tip:
                QToolTip.showText(event.globalPos(), tip, self)
            else:
                QToolTip.hideText()
            return True
        if event.type() == QEvent.Type.Leave:
            self._hover(None)
        return super().viewportEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        self._hover(self.place_at(event.position())[1])

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        column, row = self.place_at(event.position())
        if column is not None:
            self._go(column, self._current[1] if row is None else row)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        column = self.place_at(event.position())[0]
        if column is None or self._view is None:
            return
        places = self._places
        y = event.position().y() + self._offset.y()
        is_code = places is not None and HEAD <= y < places.code_top + places.code_height
        run_id = self._view.heads[column].run_id
        (self.difference_requested if is_code else self.run_activated).emit(run_id)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802 - Qt's name
        column = self.place_at(QPointF(event.pos()))[0]
        if column is None:
            column = self._current[0]
        self.menu_of(column).popup(event.globalPos())

    def menu_of(self, column: int) -> QMenu:
        """What can be done with a column."""
        return column_menu(self, self._view, column)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key, view = Qt.Key(event.key()), self._view
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_requested.emit()
        elif view is None:
            super().keyPressEvent(event)
        elif key in _KEYS:
            dx, dy = _KEYS[key]
            self._go(self._current[0] + dx, self._current[1] + dy)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_activated.emit(view.heads[self._current[0]].run_id)
        elif key == Qt.Key.Key_Delete:
            self.remove_requested.emit(view.heads[self._current[0]].run_id)
        elif key == Qt.Key.Key_Menu:
            self.menu_of(self._current[0]).popup(self.mapToGlobal(QPoint(40, 40)))
        else:
            super().keyPressEvent(event)

    @property
    def current_run(self) -> str | None:
        """The run of the column that the keys are in."""
        view = self._view
        return view.heads[self._current[0]].run_id if view is not None and view.heads else None

    def _go(self, column: int, row: int) -> None:
        """Put the cursor on a cell, and bring it into sight."""
        view, places = self._view, self._places
        if view is None or places is None:
            return
        column = min(max(column, 0), len(view.heads) - 1)
        row = min(max(row, 0), len(places.rows) - 1)
        self._current = (column, row)
        if places.rows:
            self._show(column, row, places)
            found = places.rows[row].row
            cell = found.cells[column]
            said = " ".join(part for part in (cell.text, cell.unit, cell.delta) if part)
            self.setAccessibleDescription(f"{view.heads[column].letter}, {found.title}: {said}")
        self.viewport().update()

    def _show(self, column: int, row: int, places: Geometry) -> None:
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        left = int(places.column_left(column) - places.left)
        room = self.viewport().width() - int(places.left)
        across.setValue(min(max(across.value(), left + int(places.column) - room), left))
        top = int(places.rows[row].top - HEAD)
        height = self.viewport().height() - int(HEAD)
        down.setValue(min(max(down.value(), top + int(ROW) - height), top))

    def _hover(self, row: int | None) -> None:
        if row != self._hovered:
            self._hovered = row
            left = int(self._places.left) if self._places is not None else 0
            self.viewport().update(QRect(0, 0, left, self.viewport().height()))
