"""The points of a sweep that fell out, grouped by stage and reason."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedLayout, QWidget

from workbench.core.sweeps import findings
from workbench.core.sweeps.findings import Fate
from workbench.session.sweeps.showing import Shown
from workbench.ui.sweep.columns import FATES
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.data_table import DataTable
from workbench.ui.widgets.empty_state import EmptyState

_NONE = "No configuration was ruled out, and none failed."


class ReasonsPanel(QWidget):
    """Enter or a double click shows the points of a reason."""

    fate_activated = Signal(object)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table: DataTable[Fate] = DataTable(
            icons, "Why points fell out", FATES, lambda fate: (fate.stage, fate.outcome, fate.code)
        )
        self.table.row_activated.connect(self.fate_activated)
        self._empty = EmptyState(icons, "good", _NONE)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self._empty)

    def set_shown(self, shown: Shown) -> None:
        """Show why points of a sweep fell out."""
        found = findings.fates(shown.sweep.records)
        self.table.set_rows(found)
        self._stack.setCurrentWidget(self.table if found else self._empty)
