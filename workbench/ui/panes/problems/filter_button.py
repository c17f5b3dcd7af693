"""A button whose menu narrows the problems down to one target or one stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup, QIcon
from PySide6.QtWidgets import QMenu, QToolButton

from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton


@dataclass(frozen=True)
class FilterChoice:
    """A row of the menu: what is wanted, None for all, in words, with the mark of a target."""

    value: str | None
    text: str
    icon: QIcon | None = None


class FilterButton(FlatToolButton):
    """Says what is wanted; in a narrow pane its icon alone stands for all."""

    #: Something else is wanted: its value, None for all.
    chosen = Signal(object)

    def __init__(self, icons: Icons, tip: str, icon: str) -> None:
        super().__init__(icons, tip)
        self._tip, self._name = tip, icon
        self._choices: tuple[FilterChoice, ...] = ()
        self._value: str | None = None
        self._is_compact = False
        self.set_icon(icon, "fg3")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._menu = QMenu(self)
        self.setMenu(self._menu)

    def set_choices(self, choices: Sequence[FilterChoice], value: str | None) -> None:
        """Offer these, of which the first stands for all."""
        self._choices, self._value = tuple(choices), value
        self._menu.clear()
        group = QActionGroup(self._menu)
        for choice in choices:
            action = QAction(choice.text, self._menu)
            if choice.icon is not None:
                action.setIcon(choice.icon)
            action.setCheckable(True)
            action.setChecked(choice.value == value)
            action.triggered.connect(lambda _=False, value=choice.value: self._choose(value))
            group.addAction(action)
            self._menu.addAction(action)
        self._show()

    def set_compact(self, is_compact: bool) -> None:
        """Show the icon alone while all are wanted, or the words too."""
        self._is_compact = is_compact
        self._show()

    def words(self) -> str:
        """What is wanted, in words."""
        wanted = (c.text for c in self._choices if c.value == self._value)
        return next(wanted, self._choices[0].text if self._choices else "")

    def _choose(self, value: str | None) -> None:
        self._value = value
        self._show()
        self.chosen.emit(value)

    def _show(self) -> None:
        words = self.words()
        self.setText("" if self._is_compact and self._value is None else words)
        self.setAccessibleName(f"{self._tip}: {words}")
        self.set_icon(self._name, "fg3" if self._value is None else "accent")
        self.updateGeometry()
        self.update()
