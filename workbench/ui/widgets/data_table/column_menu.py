"""The menu in which the columns of a table are shown and hidden."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QHeaderView, QMenu, QWidget


def column_menu(header: QHeaderView, titles: Sequence[str], parent: QWidget) -> QMenu:
    """One checkable action a column; the last visible one cannot be hidden."""
    menu = QMenu(parent)
    for at, title in enumerate(titles):
        hidden = header.isSectionHidden(at)
        action = menu.addAction(title)
        action.setCheckable(True)
        action.setChecked(not hidden)
        action.setEnabled(hidden or header.hiddenSectionCount() < header.count() - 1)
        action.toggled.connect(_Shower(header.setSectionHidden, at))
    return menu


class _Shower:
    """Shows or hides one column."""

    def __init__(self, hide: Callable[[int, bool], None], at: int) -> None:
        self._hide, self._at = hide, at

    def __call__(self, shown: bool) -> None:
        self._hide(self._at, not shown)
