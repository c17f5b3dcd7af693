"""The editors of single values: spin box with slider, switch, list, and text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QSlider, QWidget

from workbench.ui.case_form.fields import MISSING, FieldKind, FieldSpec, parse, shown
from workbench.ui.widgets.fields import ComboBox, SpinBox
from workbench.ui.widgets.labels import set_look

FIELD_WIDTH = 100
_INT_LIMIT = 2**31 - 1


class Editor(QWidget):
    """Edits the value of one field; what is set from outside makes no signal."""

    #: The person gave another value.
    edited = Signal(object)
    #: What was typed is no value: why, in a sentence; "" once it is one again.
    refused = Signal(str)

    def __init__(self, spec: FieldSpec) -> None:
        super().__init__()
        self.spec = spec
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(12)

    def set_value(self, value: Any) -> None:
        """Show a value."""
        raise NotImplementedError

    def set_wrong(self, wrong: bool) -> None:
        """Show on the field itself that its value is at fault."""
        for child in self.findChildren(QWidget):
            set_look(child, "state", "error" if wrong else "")

    def _add(self, widget: QWidget, stretch: int = 0) -> None:
        widget.setAccessibleName(self.spec.name)
        widget.setToolTip(self.spec.tip)
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        # A wheel that scrolls the form must not change what it passes over.
        widget.installEventFilter(self)
        self._line.addWidget(widget, stretch)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        is_wheel = event.type() == QEvent.Type.Wheel
        if is_wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()
            return True
        return super().eventFilter(watched, event)


class StepSpinBox(SpinBox):
    """A spin box whose arrows walk along steps, and which can be empty."""

    def __init__(self, steps: tuple[int, ...]) -> None:
        super().__init__()
        self._steps = steps
        self.setRange(-_INT_LIMIT, _INT_LIMIT)
        self.setGroupSeparatorShown(True)
        self.setKeyboardTracking(False)
        self.setFixedWidth(FIELD_WIDTH)

    def stepBy(self, steps: int) -> None:  # noqa: N802 - Qt's name
        if not self._steps:
            super().stepBy(steps)
            return
        for _ in range(abs(steps)):
            self.setValue(self._next(1 if steps > 0 else -1))

    def _next(self, direction: int) -> int:
        """The nearest step beyond the value; the value itself at the end of them."""
        value = self.value()
        beyond = [step for step in self._steps if (step - value) * direction > 0]
        return min(beyond, key=lambda step: abs(step - value), default=value)


class WholeEditor(Editor):
    """A spin box, and a slider over the steps where there are some."""

    def __init__(self, spec: FieldSpec) -> None:
        super().__init__(spec)
        self._spin = StepSpinBox(spec.steps)
        self._add(self._spin)
        self._slider = QSlider(Qt.Orientation.Horizontal) if spec.steps else None
        if self._slider is not None:
            self._slider.setRange(0, len(spec.steps) - 1)
            self._slider.setPageStep(1)
            self._slider.setMinimumWidth(48)
            self._add(self._slider, 1)
            self._slider.valueChanged.connect(self._on_slider_moved)
        else:
            self._line.addStretch(1)
        self._spin.valueChanged.connect(self._on_spin_changed)

    def set_value(self, value: Any) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            self._spin.clear()
            return
        self._silently(self._spin, lambda: self._spin.setValue(value))
        self._follow(value)

    def _on_slider_moved(self, at: int) -> None:
        value = self.spec.steps[at]
        self._silently(self._spin, lambda: self._spin.setValue(value))
        self.edited.emit(value)

    def _on_spin_changed(self, value: int) -> None:
        self._follow(value)
        self.edited.emit(value)

    def _follow(self, value: int) -> None:
        """Put the slider on the step nearest to a value."""
        slider, steps = self._slider, self.spec.steps
        if slider is not None:
            at = min(range(len(steps)), key=lambda i: abs(steps[i] - value))
            self._silently(slider, lambda: slider.setValue(at))

    def _silently(self, widget: QWidget, change: Callable[[], None]) -> None:
        blocked = widget.blockSignals(True)
        change()
        widget.blockSignals(blocked)


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
        self._box.setFixedWidth(FIELD_WIDTH + 24)
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


class TextEditor(Editor):
    """A line of text: a number, a string, or any literal."""

    def __init__(self, spec: FieldSpec) -> None:
        super().__init__(spec)
        self._field = QLineEdit()
        self._field.setPlaceholderText(spec.hint)
        self._value: Any = MISSING
        if spec.kind is FieldKind.NUMBER:
            self._field.setFixedWidth(FIELD_WIDTH)
            self._add(self._field)
            self._line.addStretch(1)
        else:
            self._add(self._field, 1)
        self._field.editingFinished.connect(self._on_finished)

    def set_value(self, value: Any) -> None:
        self._value = value
        if self._field.text() != shown(value):
            self._field.setText(shown(value))

    def _on_finished(self) -> None:
        text = self._field.text()
        if text == shown(self._value):
            self.refused.emit("")
            return
        try:
            value = parse(self.spec, text)
        except ValueError as error:
            self.refused.emit(str(error))
            return
        self._value = value
        self.refused.emit("")
        self.edited.emit(value)


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
