"""The editors of single values by the kind of their field, and those in which one chooses."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QCheckBox

from workbench.ui.case_form.editor import FIELD_WIDTH, Editor
from workbench.ui.case_form.fields import FieldKind, FieldSpec, shown
from workbench.ui.case_form.typed_editors import TextEditor, WholeEditor
from workbench.ui.widgets.fields import ComboBox


class SwitchEditor(Editor):
    """A check box that says on or off."""

    def __init__(self, spec: FieldSpec) -> None:
        super().__init__(spec)
        self._box = QCheckBox("off")
        self._add(self._box)
        self._line.addStretch(1)
        self._box.clicked.connect(self._on_clicked)

    def set_value(self, value: Any) -> None:
        self._box.setChecked(value is True)
        self._box.setText("on" if value is True else "off")

    def _on_clicked(self, checked: bool) -> None:
        self._box.setText("on" if checked else "off")
        self.edited.emit(checked)


class ChoiceEditor(Editor):
    """A list of the values that are known; another one that the file has is added to it."""

    def __init__(self, spec: FieldSpec) -> None:
        super().__init__(spec)
        self._box = ComboBox()
        self._box.addItems(list(spec.choices))
        self._box.setFixedWidth(FIELD_WIDTH)
        self._add(self._box)
        self._line.addStretch(1)
        self._box.activated.connect(self._on_activated)

    def set_value(self, value: Any) -> None:
        text = shown(value)
        if self._box.findText(text) < 0:
            self._box.insertItem(0, text)
        self._box.setCurrentText(text)

    def _on_activated(self) -> None:
        self.edited.emit(self._box.currentText())


_EDITORS: dict[FieldKind, type[Editor]] = {
    FieldKind.WHOLE: WholeEditor,
    FieldKind.SWITCH: SwitchEditor,
    FieldKind.CHOICE: ChoiceEditor,
    FieldKind.NUMBER: TextEditor,
    FieldKind.TEXT: TextEditor,
}


def editor_of(spec: FieldSpec) -> Editor:
    """The editor for a field."""
    return _EDITORS[spec.kind](spec)
