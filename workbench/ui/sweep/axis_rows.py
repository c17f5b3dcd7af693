"""The rows of the form of a sweep: a parameter, whether it is varied, and over which values."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QWidget

from workbench.core.sweeps.space import SpaceError
from workbench.session.sweeps.form import AxisField
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.labels import set_look

_FORM = "64, 128, 256 or 1..4, 32..256:32 in steps, 32..256*2 by powers of two"


class AxisRows(QWidget):
    """One row a parameter; those that are varied have a field of values."""

    #: The name, the values as typed, and whether it is varied.
    edited = Signal(str, str, bool)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = icons.theme
        self._fields: tuple[AxisField, ...] = ()
        self._listed: frozenset[str] = frozenset()
        self._boxes: dict[str, QCheckBox] = {}
        self._texts: dict[str, QLineEdit] = {}
        self._notes: dict[str, ElidedLabel] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnMinimumWidth(2, 130)

    def set_fields(self, fields: Sequence[AxisField], listed: frozenset[str] = frozenset()) -> None:
        """Show these parameters; the texts of the same ones are not touched while one types.

        Those `listed` are given by the configurations of a decorator.
        """
        if [each.name for each in fields] != [each.name for each in self._fields]:
            self._build(fields)
        self._fields, self._listed = tuple(fields), listed
        for each in fields:
            self._show(each)

    def _build(self, fields: Sequence[AxisField]) -> None:
        for group in (self._boxes, self._texts, self._notes):
            for widget in group.values():
                widget.setParent(None)
                widget.deleteLater()
            group.clear()
        for row, each in enumerate(fields):
            self._add(row, each)

    def _add(self, row: int, each: AxisField) -> None:
        box, text = QCheckBox(each.name), QLineEdit()
        note = ElidedLabel(self._theme, "", TextRole.NOTE, "fg3")
        box.setAccessibleName(f"Vary {each.name}")
        box.setToolTip(f"Vary {each.name}, which is {each.own!r} now")
        text.setFont(self._theme.fonts.monospace(12))
        text.setAccessibleName(f"Values of {each.name}")
        text.setToolTip(f"Values of {each.name}: {_FORM}")
        box.toggled.connect(lambda _, name=each.name: self._on_edited(name))
        text.textEdited.connect(lambda _, name=each.name: self._on_edited(name))
        for column, widget in enumerate((box, text, note)):
            self._grid.addWidget(widget, row, column)
        self._boxes[each.name], self._texts[each.name], self._notes[each.name] = box, text, note

    def _show(self, each: AxisField) -> None:
        box, text = self._boxes[each.name], self._texts[each.name]
        is_own = each.name not in self._listed
        box.blockSignals(True)
        box.setChecked(each.is_varied and is_own)
        box.blockSignals(False)
        box.setEnabled(is_own)
        if text.text() != each.text:
            text.setText(each.text)
        text.setEnabled(each.is_varied and is_own)
        set_look(text, "state", "error" if each.problem and is_own else "")
        self._notes[each.name].set_text(_note(each) if is_own else "by the decorator")
        self._notes[each.name].setToolTip(each.problem if is_own else "")

    def _on_edited(self, name: str) -> None:
        self.edited.emit(name, self._texts[name].text(), self._boxes[name].isChecked())


def _note(each: AxisField) -> str:
    if not each.is_varied:
        return f"stays {each.own}"
    if each.problem:
        return each.problem
    try:
        count = len(each.axis.values)
    except SpaceError:
        return each.problem
    return f"{count} values, now {each.own}" if count != 1 else f"1 value, now {each.own}"
