"""Fields whose insides the style sheet alone does not reach."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QStyledItemDelegate, QWidget

_TEXT_INSET = 7


class ComboBox(QComboBox):
    """A combo box whose list has the rows of a menu: Qt's own delegate ignores style sheets."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(QStyledItemDelegate(self))


class StepField(QAbstractSpinBox):
    """A line with arrows; it keeps whatever is typed, where Qt's own would bend it into range."""

    #: The person wants to go that many steps up or, below 0, down.
    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = self.lineEdit()
        self.field.setTextMargins(_TEXT_INSET, 0, 0, 0)

    def stepBy(self, steps: int) -> None:  # noqa: N802 - Qt's name
        self.stepped.emit(steps)

    def stepEnabled(self) -> QAbstractSpinBox.StepEnabledFlag:  # noqa: N802 - Qt's name
        flags = QAbstractSpinBox.StepEnabledFlag
        return flags.StepUpEnabled | flags.StepDownEnabled
