"""The menu of a column of a comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

from workbench.session.comparison_view.model import ComparisonView

if TYPE_CHECKING:
    from workbench.ui.compare.table import ComparisonTable


def column_menu(table: ComparisonTable, view: ComparisonView | None, column: int) -> QMenu:
    """What can be done with a column; the table's signals tell what was chosen."""
    menu = QMenu(table)
    if view is None or not 0 <= column < len(view.heads):
        return menu
    head, count = view.heads[column], len(view.heads)
    run = head.run_id

    def add(title: str, wish: Callable[[], object], is_on: bool = True) -> None:
        action = menu.addAction(title)
        action.setEnabled(is_on)
        action.triggered.connect(lambda _=False: wish())

    hold = f"Hold the Others Against {head.letter}"
    add(hold, lambda: table.base_requested.emit(run), not head.is_base)
    add("Add the Pinned Baseline", table.pinned_requested.emit)
    add("Show What Differs in Its Code", lambda: table.difference_requested.emit(run))
    menu.addSeparator()
    add("Open the Run", lambda: table.run_activated.emit(run))
    add("Open Its Text", lambda: table.text_requested.emit(run))
    menu.addSeparator()
    add("Move Left", lambda: table.move_requested.emit(run, -1), column > 0)
    add("Move Right", lambda: table.move_requested.emit(run, 1), column < count - 1)
    gone = f"Remove {head.letter} from the Comparison"
    add(gone, lambda: table.remove_requested.emit(run), count > 2)
    menu.addSeparator()
    add("Copy as Markdown", table.copy_requested.emit)
    return menu
