"""The targets of a kernel as a row of marks and names, one of which is shown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from workbench.session.lenses.subject import LensTarget
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.painting import target_icon


class TargetRow(QWidget):
    """Chooses among the targets that are looked at."""

    chosen = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, self._theme = icons, icons.theme
        self._shown: tuple[tuple[str, int], ...] = ()
        self._group = QButtonGroup(self)
        self._buttons: dict[str, FlatToolButton] = {}
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        self._theme.changed.connect(self._on_theme_changed)

    def set_targets(self, targets: Sequence[LensTarget], shown: LensTarget | None) -> None:
        """Offer these, with that one pressed."""
        wanted = tuple((each.target.name, each.mark) for each in targets)
        if wanted != self._shown:
            self._shown = wanted
            self._build(targets)
        if shown is not None:
            self._buttons[shown.target.name].setChecked(True)

    def _build(self, targets: Sequence[LensTarget]) -> None:
        layout = self.layout()
        assert layout is not None
        for button in self._buttons.values():
            self._group.removeButton(button)
            layout.removeWidget(button)
            button.deleteLater()
        self._buttons = {}
        for each in targets:
            button = FlatToolButton(self._icons, f"Show {each.target.title}", each.label)
            button.setIcon(target_icon(self._theme, each.mark))
            button.setCheckable(True)
            button.clicked.connect(lambda _, name=each.target.name: self.chosen.emit(name))
            self._group.addButton(button)
            layout.addWidget(button)
            self._buttons[each.target.name] = button

    def _on_theme_changed(self) -> None:
        for name, mark in self._shown:
            self._buttons[name].setIcon(target_icon(self._theme, mark))
