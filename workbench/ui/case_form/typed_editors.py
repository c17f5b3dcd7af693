"""The editors in which a value is typed: whole numbers with arrows and slider, and text."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QSlider

from workbench.ui.case_form.editor import FIELD_WIDTH, Editor
from workbench.ui.case_form.fields import MISSING, FieldKind, FieldSpec, parse
from workbench.ui.case_form.whole import INT_MOST
from workbench.ui.widgets.fields import StepField


class TypedEditor(Editor):
    """Takes what is typed where it is a value; where it is none, it stays to be put right."""

    def __init__(self, spec: FieldSpec, field: QLineEdit) -> None:
        super().__init__(spec)
        self._field = field
        self._value: Any = MISSING
        self._is_refused = False
        field.setPlaceholderText(spec.hint)

    @property
    def text(self) -> str:
        """What stands in the field, right or wrong."""
        return self._field.text()

    @property
    def is_touched(self) -> bool:
        return self._field.isModified()

    def set_value(self, value: Any) -> None:
        is_same = type(value) is type(self._value) and value == self._value
        if is_same and (self._is_refused or self._field.isModified()):
            return  # it is still in force, and what is typed is the person's to put right
        self._value = value
        self._show(value)

    def discard(self) -> None:
        self._show(self._value)
        super().discard()

    def commit(self) -> None:
        self._field.deselect()
        if self._field.text() == self.spec.shown(self._value):
            self._accept()
            return
        try:
            value = parse(self.spec, self._field.text())
        except ValueError as error:
            self._is_refused = True
            self.refused.emit(f"{error}{self._in_force()}")
            return
        is_other = type(value) is not type(self._value) or value != self._value
        self._value = value
        self._show(value)
        self._accept()
        if is_other:
            self.edited.emit(value)

    def _show(self, value: Any) -> None:
        self._is_refused = False
        if self._field.text() != self.spec.shown(value):
            self._field.setText(self.spec.shown(value))
        self._field.setModified(False)

    def _accept(self) -> None:
        self._is_refused = False
        self._field.setModified(False)
        self.refused.emit("")

    def _in_force(self) -> str:
        return "" if self._value is MISSING else f" {self.spec.shown(self._value)} stays in force."


class WholeEditor(TypedEditor):
    """A field with arrows, and a slider over the steps where there are some."""

    def __init__(self, spec: FieldSpec) -> None:
        self._steps_field = StepField()
        self._steps_field.setFixedWidth(FIELD_WIDTH)
        super().__init__(spec, self._steps_field.field)
        self._add(self._steps_field)
        self._slider = QSlider(Qt.Orientation.Horizontal) if spec.steps else None
        if self._slider is not None:
            self._slider.setRange(0, len(spec.steps) - 1)
            self._slider.setPageStep(1)
            self._slider.setMinimumWidth(48)
            self._add(self._slider, 1)
            self._slider.valueChanged.connect(self._on_slider_moved)
        else:
            self._line.addStretch(1)
        self._steps_field.editingFinished.connect(self.commit)
        self._steps_field.stepped.connect(self._on_stepped)

    def _show(self, value: Any) -> None:
        super()._show(value)
        self._follow(value)

    def _on_slider_moved(self, at: int) -> None:
        self._take(self.spec.steps[at])

    def _on_stepped(self, steps: int) -> None:
        """Walk from what stands in the field, or from what is in force where that is wrong."""
        try:
            value = parse(self.spec, self._field.text())
        except ValueError:
            value = self._value if isinstance(self._value, int) else max(0, self.spec.least)
        for _ in range(abs(steps)):
            value = self._next(value, 1 if steps > 0 else -1)
        self._take(value)
        self._field.selectAll()

    def _next(self, value: int, direction: int) -> int:
        """The nearest step beyond the value; the value itself at the end of them."""
        if not self.spec.steps:
            return min(INT_MOST, max(self.spec.least, value + direction))
        beyond = [step for step in self.spec.steps if (step - value) * direction > 0]
        return min(beyond, key=lambda step: abs(step - value), default=value)

    def _take(self, value: int) -> None:
        """Take a number that the person chose without typing it."""
        is_other = value != self._value
        self._value = value
        self._show(value)
        self._accept()
        if is_other:
            self.edited.emit(value)

    def _follow(self, value: Any) -> None:
        """Put the slider on the step nearest to a value."""
        slider, steps = self._slider, self.spec.steps
        if slider is not None and isinstance(value, int):
            at = min(range(len(steps)), key=lambda i: abs(steps[i] - value))
            blocked = slider.blockSignals(True)
            slider.setValue(at)
            slider.blockSignals(blocked)


class TextEditor(TypedEditor):
    """A line of text: a number, a string, or any literal."""

    def __init__(self, spec: FieldSpec) -> None:
        super().__init__(spec, QLineEdit())
        if spec.kind is FieldKind.NUMBER:
            self._field.setFixedWidth(FIELD_WIDTH)
            self._add(self._field)
            self._line.addStretch(1)
        else:
            self._add(self._field, 1)
        self._field.editingFinished.connect(self.commit)
