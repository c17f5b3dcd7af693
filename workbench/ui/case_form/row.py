"""One row of the form: its mark, name and editor, the way back, and its error below."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QWidget

from workbench.core.diagnostics import Severity
from workbench.ui.case_form.editors import editor_of
from workbench.ui.case_form.fields import MISSING, FieldSpec, differs
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.severity import SeverityMark

_NAME_WIDTH = 104
_DOT = 6


class FieldRow(QWidget):
    """Shows one argument."""

    #: The person gave another value: the name and the value.
    edited = Signal(str, object)
    #: What is typed was refused, or no longer is.
    refusal_changed = Signal()

    def __init__(self, icons: Icons, spec: FieldSpec) -> None:
        super().__init__()
        theme = icons.theme
        self.spec = spec
        self._value: Any = MISSING
        self._error = self._refusal = ""
        self._dot = ChangeDot(theme)
        self._name = ElidedLabel(theme, spec.name, TextRole.BODY, "fg2")
        self._name.setFont(theme.fonts.monospace(12))
        self._name.setFixedWidth(_NAME_WIDTH)
        self._editor = editor_of(spec)
        self._back = FlatToolButton(icons, f"Back to {spec.shown(spec.saved)}")
        self._trouble = QWidget()
        self._message = text_label(theme, "", TextRole.LABEL, "error")
        self._lay_out(icons)
        self._editor.edited.connect(self._on_edited)
        self._editor.refused.connect(self._on_refused)
        self._back.clicked.connect(self._on_back_clicked)

    @property
    def value(self) -> Any:
        """What is shown."""
        return self._value

    @property
    def refusal(self) -> str:
        """Why what is typed was not taken, "" where all is taken."""
        return self._refusal

    @property
    def is_needed(self) -> bool:
        """Whether nothing can run before a value is given."""
        return self.spec.hint == "needed" and self._value is MISSING

    @property
    def is_touched(self) -> bool:
        """Whether something is typed that is not finished."""
        return self._editor.is_touched

    def commit(self) -> None:
        """Take what is typed but not finished."""
        self._editor.commit()

    def discard(self) -> None:
        """Show what is in force in place of what was refused."""
        self._editor.discard()

    def focus_editor(self) -> None:
        """Put the cursor into the field."""
        self._editor.focus_field()

    @property
    def message(self) -> str:
        """The error shown, "" for none."""
        return self._refusal or self._error

    def set_value(self, value: Any) -> None:
        """Show a value, MISSING where there is none."""
        self._value = value
        self._editor.set_value(value)
        self._show_change()

    def set_error(self, message: str) -> None:
        """Say what is wrong with the value; "" where nothing is."""
        self._error = message
        self._show_message()

    def _lay_out(self, icons: Icons) -> None:
        self._back.set_icon("undo", "fg3", 14)
        self._back.setFixedSize(24, 24)
        keeps = self._back.sizePolicy()
        keeps.setRetainSizeWhenHidden(True)
        self._back.setSizePolicy(keeps)
        self._message.setWordWrap(True)
        self._message.setTextFormat(Qt.TextFormat.PlainText)
        trouble = QHBoxLayout(self._trouble)
        trouble.setContentsMargins(0, 0, 0, 4)
        trouble.setSpacing(6)
        mark = SeverityMark(icons, Severity.ERROR, 14)
        trouble.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        trouble.addWidget(self._message, 1)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 1, 0, 1)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(2)
        for column, part in enumerate((self._dot, self._name, self._editor)):
            grid.addWidget(part, 0, column)
        grid.addWidget(self._back, 0, 3)
        grid.addWidget(self._trouble, 1, 2, 1, 2)
        grid.setColumnStretch(2, 1)
        self._trouble.hide()

    def _on_edited(self, value: Any) -> None:
        self._value = value
        self._show_change()
        self.edited.emit(self.spec.name, value)

    def _on_refused(self, message: str) -> None:
        was, self._refusal = self._refusal, message
        self._show_message()
        self._show_change()
        if was != message:
            self.refusal_changed.emit()

    def _on_back_clicked(self) -> None:
        self.discard()
        if not differs(self.spec, self._value):
            return
        self.set_value(self.spec.saved)
        self.edited.emit(self.spec.name, self.spec.saved)

    def _show_change(self) -> None:
        changed = differs(self.spec, self._value)
        known = self.spec.saved is not MISSING
        self._dot.set_shown(changed)
        self._name.set_text(self.spec.name, "fg" if changed else "fg2")
        self._name.setToolTip(self.spec.tip)
        self._back.setVisible(bool(self._refusal) or (changed and known))

    def _show_message(self) -> None:
        message = self.message
        self._message.setText(message)
        self._trouble.setVisible(bool(message))
        self._editor.set_wrong(bool(message))


class ChangeDot(QWidget):
    """A dot before what is not saved."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._shown = theme, False
        self.setFixedWidth(_DOT)
        theme.changed.connect(self.update)

    @property
    def is_shown(self) -> bool:
        """Whether the dot is there."""
        return self._shown

    def set_shown(self, shown: bool) -> None:
        """Show the dot or not; its place stays."""
        self._shown = shown
        self.setAccessibleName("changed" if shown else "")
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(_DOT, _DOT)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        if not self._shown:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("accent"))
        painter.drawEllipse(QRectF(0, (self.height() - _DOT) / 2, _DOT, _DOT))
        painter.end()
