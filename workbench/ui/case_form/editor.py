"""What every editor of a single value has in common."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.ui.case_form.fields import FieldSpec
from workbench.ui.widgets.labels import set_look

FIELD_WIDTH = 136


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

    @property
    def is_touched(self) -> bool:
        """Whether something is typed that is not finished."""
        return False

    def commit(self) -> None:
        """Take what is typed but not finished, as Enter does; what cannot be taken is refused."""

    def discard(self) -> None:
        """Show again what is in force, in place of what was refused."""
        self.refused.emit("")

    def focus_field(self) -> None:
        """Put the cursor into what is edited."""
        for child in self.findChildren(QWidget):
            if child.focusPolicy() == Qt.FocusPolicy.StrongFocus:
                child.setFocus()
                return

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
