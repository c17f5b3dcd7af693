"""The map of a sweep over two arguments, which are chosen above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.session.sweeps.showing import Shown
from workbench.session.sweeps.views.heat import best_sentence, heat_chart, map_of, varied
from workbench.ui.charts.card import ChartCard
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.fields import ComboBox
from workbench.ui.widgets.labels import text_label

_TOO_FEW = "A map needs two arguments that are varied; this sweep varies fewer."


class MapPanel(QWidget):
    """In each cell stands the best time over all other arguments."""

    point_activated = Signal(int)
    told = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: Shown | None = None
        self._wanted: dict[str, str] = {}
        self._pickers = {axis: ComboBox() for axis in ("x", "y")}
        self._said = ConclusionLabel(icons.theme, "")
        self.card = ChartCard(icons, can_enlarge=False)
        self._empty = EmptyState(icons, "grid", _TOO_FEW)
        self._choice = QWidget()
        row = QHBoxLayout(self._choice)
        row.setContentsMargins(16, 4, 16, 4)
        row.setSpacing(8)
        for axis, title in (("x", "Across"), ("y", "Down")):
            picker = self._pickers[axis]
            picker.setAccessibleName(f"Argument {title.lower()}")
            picker.setToolTip(f"The argument whose values stand {title.lower()}")
            picker.activated.connect(lambda _, axis=axis: self._on_picked(axis))
            row.addWidget(text_label(icons.theme, title, TextRole.LABEL, "fg3"))
            row.addWidget(picker)
        row.addSpacing(12)
        row.addWidget(self._said, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 8)
        layout.addWidget(self._choice)
        layout.addWidget(self.card, 1)
        layout.addWidget(self._empty, 1)
        self.card.run_activated.connect(lambda key: self.point_activated.emit(int(key)))
        self.card.told.connect(self.told)

    def set_shown(self, shown: Shown) -> None:
        """Show a sweep; the arguments that were chosen stay where it varies them."""
        self._shown = shown
        names = varied(shown)
        for at, axis in enumerate(("x", "y")):
            picker = self._pickers[axis]
            picker.clear()
            picker.addItems(list(names))
            usual = names[at] if at < len(names) else ""
            picker.setCurrentText(self._wanted.get(axis) or usual)
        self._choice.setVisible(len(names) > 1)
        self._part(names)
        self._show()

    def _part(self, names: Sequence[str]) -> None:
        """Have another argument down than across."""
        across = self._pickers["x"].currentText()
        if self._pickers["y"].currentText() == across:
            self._pickers["y"].setCurrentText(next((n for n in names if n != across), across))

    def state(self) -> dict[str, Any]:
        """The arguments that were chosen."""
        return {"version": 1, **self._wanted}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring them back."""
        if state.get("version") == 1:
            self._wanted = {k: str(state[k]) for k in ("x", "y") if isinstance(state.get(k), str)}

    def _on_picked(self, axis: str) -> None:
        """Choose an argument; the other axis takes the one that this one had, if they meet."""
        other = "y" if axis == "x" else "x"
        before = self._wanted.get(axis, "")
        self._wanted[axis] = self._pickers[axis].currentText()
        if self._pickers[other].currentText() == self._wanted[axis]:
            names = [self._pickers[axis].itemText(i) for i in range(self._pickers[axis].count())]
            free = [name for name in (before, *names) if name and name != self._wanted[axis]]
            self._pickers[other].setCurrentText(free[0])
        self._wanted[other] = self._pickers[other].currentText()
        self._show()

    def _show(self) -> None:
        shown, x, y = self._shown, *(self._pickers[axis].currentText() for axis in ("x", "y"))
        has = shown is not None and bool(x) and bool(y) and x != y
        self.card.setVisible(has)
        self._empty.setVisible(not has)
        self._said.setVisible(has)
        if shown is None or not has:
            return
        found = map_of(shown, x, y)
        self.card.set_chart(heat_chart(found))
        self._said.set_conclusion(best_sentence(found))
