"""All points of a sweep as a table that lives, with the best so far above it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from workbench.core.sweeps.findings import Fate
from workbench.session.sweeps.showing import Shown
from workbench.session.sweeps.views.curves import best_so_far_chart
from workbench.session.sweeps.views.rows import PointRow, point_rows
from workbench.ui.charts.card import ChartCard
from workbench.ui.sweep.columns import point_columns
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.data_table import DataTable

_CURVE_HEIGHT = 210


class PointsPanel(QWidget):
    """The table is made anew where a sweep varies other arguments."""

    point_activated = Signal(int)
    point_chosen = Signal(object)
    told = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._names: tuple[object, ...] = ()
        self._only: frozenset[int] | None = None
        self._shown: Shown | None = None
        self._columns: dict[str, Any] = {}
        self._filter = ""
        self.curve = ChartCard(icons, can_enlarge=False)
        self.curve.run_activated.connect(lambda key: self.point_activated.emit(int(key)))
        self.curve.told.connect(self.told)
        self.table: DataTable[PointRow] | None = None
        self._parts = QSplitter(Qt.Orientation.Vertical)
        self._parts.setChildrenCollapsible(False)
        self._parts.addWidget(self.curve)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._parts)

    @property
    def chosen(self) -> int | None:
        """The number of the point under the cursor."""
        row = self.table.current_row() if self.table is not None else None
        return row.number if row is not None else None

    def set_shown(self, shown: Shown) -> None:
        """Show a sweep as it stands; order, filter and the chosen point stay."""
        if self._shown is None or self._shown.folder != shown.folder:
            self._only = None
        self._shown = shown
        table = self._table_for(shown)
        rows = point_rows(shown)
        if self._only is not None:
            rows = tuple(row for row in rows if row.number in self._only)
        table.set_rows(rows)
        self.curve.set_chart(best_so_far_chart(shown))

    def show_only(self, fate: Fate | None) -> None:
        """Keep the points of one reason; None shows all again."""
        self._only = frozenset(fate.numbers) if fate is not None else None
        if self._shown is not None:
            self.set_shown(self._shown)

    @property
    def is_narrowed(self) -> bool:
        """Whether the points of one reason are shown alone."""
        return self._only is not None

    def set_filter(self, text: str) -> None:
        """Keep rows with every word."""
        self._filter = text
        if self.table is not None:
            self.table.set_filter(text)

    def state(self) -> dict[str, Any]:
        """The columns."""
        return {"version": 1, "table": self.table.save_state() if self.table else self._columns}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring the columns back."""
        table = state.get("table")
        if state.get("version") == 1 and isinstance(table, dict):
            self._columns = table
            if self.table is not None:
                self.table.restore_state(table)

    def _table_for(self, shown: Shown) -> DataTable[PointRow]:
        plan = shown.sweep.plan
        names = (*plan.space.names, len(plan.cases) > 1, len(plan.targets) > 1)
        if self.table is not None and names == self._names:
            return self.table
        if self.table is not None:
            self._columns = self.table.save_state()
            self.table.setParent(None)
            self.table.deleteLater()
        self._names = names
        columns = point_columns(plan.space.names, len(plan.cases) > 1, len(plan.targets) > 1)
        table = DataTable(self._icons, "Points of the sweep", columns, lambda row: row.number)
        table.row_activated.connect(lambda row: self.point_activated.emit(row.number))
        table.current_changed.connect(self.point_chosen)
        self._sort(table)
        table.set_filter(self._filter)
        self._parts.addWidget(table)
        self._parts.setSizes([_CURVE_HEIGHT, 3 * _CURVE_HEIGHT])
        self._parts.setStretchFactor(0, 0)
        self._parts.setStretchFactor(1, 1)
        self.table = table
        return table

    def _sort(self, table: DataTable[PointRow]) -> None:
        """The fastest first, unless the person had it otherwise."""
        if self._columns:
            table.restore_state(self._columns)
            return
        model = table.model()
        titles = [
            model.headerData(at, Qt.Orientation.Horizontal) for at in range(model.columnCount())
        ]
        key = "Measured" if self._shown is None or self._shown.order else "Predicted"
        if key in titles:
            table.sortByColumn(titles.index(key), Qt.SortOrder.AscendingOrder)
