"""The popup in which targets are ticked: several at once, grouped by vendor, found by typing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetTable
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.search_field import SearchField

_WIDTH, _HEIGHT = 380, 440
_NAME = Qt.ItemDataRole.UserRole


@dataclass(frozen=True)
class TargetChoice:
    """A target that can be ticked; `label` is its short name, `detail` its architecture."""

    name: str
    label: str
    title: str
    detail: str


def target_choices(table: TargetTable) -> tuple[TargetChoice, ...]:
    """Every model and architecture of the table."""
    return tuple(_choice(table.resolve(record.name)) for record in table.records())


def _choice(target: Target) -> TargetChoice:
    detail = target.arch.name if target.model is not None else ""
    return TargetChoice(target.name, short_label(target), target.title, detail)


class TargetMenu(QFrame):
    """A list of ticks; every change is told at once, and the popup stays until it is left."""

    chosen = Signal(tuple)

    def __init__(
        self,
        icons: Icons,
        choices: Sequence[TargetChoice],
        ticked: Sequence[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("kind", "popup")
        self._order = list(ticked)
        self._field = SearchField(icons, "Find a target")
        self._list = QListWidget()
        self._list.setAccessibleName("Targets")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 8, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self._field)
        layout.addWidget(self._list)
        self.resize(_WIDTH, _HEIGHT)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        places = {name: place for place, name in enumerate(self._order)}
        for choice in sorted(choices, key=lambda c: places.get(c.name, len(places))):
            self._list.addItem(_item(choice, choice.name in self._order))
        self._field.textChanged.connect(self._on_field_text_changed)
        self._list.itemChanged.connect(self._on_list_item_changed)

    def popup(self, where: QPoint) -> None:
        """Open at a place of the screen, ready to type."""
        self.move(where)
        self.show()
        self._field.setFocus()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.close()
            return
        super().keyPressEvent(event)

    def _on_field_text_changed(self, text: str) -> None:
        wanted = text.casefold()
        for row in range(self._list.count()):
            item = self._list.item(row)
            known = f"{item.text()} {item.data(_NAME)}".casefold()
            item.setHidden(wanted not in known)

    def _on_list_item_changed(self, item: QListWidgetItem) -> None:
        name = str(item.data(_NAME))
        if item.checkState() == Qt.CheckState.Checked and name not in self._order:
            self._order.append(name)
        elif item.checkState() == Qt.CheckState.Unchecked and name in self._order:
            if len(self._order) == 1:  # one target is needed to look at anything
                item.setCheckState(Qt.CheckState.Checked)
                return
            self._order.remove(name)
        self.chosen.emit(tuple(self._order))


def _item(choice: TargetChoice, ticked: bool) -> QListWidgetItem:
    known = choice.title if not choice.detail else f"{choice.title} · {choice.detail}"
    item = QListWidgetItem(known)
    item.setData(_NAME, choice.name)
    item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
    item.setCheckState(Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
    item.setToolTip(f"--target {choice.name}")
    return item
