"""Fields whose insides the style sheet alone does not reach."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QSpinBox,
    QStyledItemDelegate,
    QWidget,
)

_TEXT_INSET = 7


class ComboBox(QComboBox):
    """A combo box whose list has the rows of a menu: Qt's own delegate ignores style sheets."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(QStyledItemDelegate(self))


class SpinBox(QSpinBox):
    """A field for a whole number, its text in from the edge."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _inset(self.lineEdit())


class DoubleSpinBox(QDoubleSpinBox):
    """A field for a real number, its text in from the edge."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        _inset(self.lineEdit())


def _inset(editor: QLineEdit) -> None:
    editor.setTextMargins(_TEXT_INSET, 0, 0, 0)
