"""A field of a step: its title, how it is chosen, why it is as it is, and what mends it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from workbench.session.patterns.fields_view import FieldView, MendView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import hairline, set_look, text_label
from workbench.ui.wizard.choice_strip import ChoiceStrip

LABEL_WIDTH = 132
_NUMBER_WIDTH, _OTHER_WIDTH = 118, 70
_PAIR_WIDTH = 166  # of one of two columns, so that rows of sizes stand below each other


class ValueField(QLineEdit):
    """A line that tells what was typed when it is left or Enter is pressed, and only then."""

    typed = Signal(str)

    def __init__(self, name: str, width: int | None) -> None:
        super().__init__()
        self.setAccessibleName(name)
        if width is not None:
            self.setFixedWidth(width)
        self._told = ""
        self.returnPressed.connect(self.commit)

    def show_text(self, text: str) -> None:
        """Show a value, unless something else is being typed."""
        self._told = text
        if not (self.hasFocus() and self.isModified()):
            self.setText(text)

    def commit(self) -> bool:
        """Tell what was typed; False where nothing was."""
        text = self.text().strip()
        self.setModified(False)
        if text == self._told:
            return False
        self._told = text
        self.typed.emit(text)
        return True

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802 - Qt's name
        super().focusOutEvent(event)
        self.commit()


class FieldRow(QWidget):
    """One field, or several numbers of one kind side by side."""

    value_chosen = Signal(str, object)
    text_typed = Signal(str, str)

    def __init__(self, icons: Icons, fields: Sequence[FieldView], above: int = 0) -> None:
        """`above` is how many fields the row above has."""
        super().__init__()
        self._icons, self._continues, self._above = icons, above > 1, above
        self._names = tuple(found.name for found in fields)
        self._strips: dict[str, ChoiceStrip] = {}
        self._lines: dict[str, ValueField] = {}
        self._reason = text_label(icons.theme, "", TextRole.LABEL, "fg2")
        self._problem = text_label(icons.theme, "", TextRole.LABEL, "error")
        self._mends = QHBoxLayout()
        self._shown_mends: tuple[MendView, ...] = ()
        self._lay_out(fields)
        self.show_fields(fields)

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that it shows."""
        return self._names

    @property
    def first(self) -> QWidget:
        """What gets the focus first."""
        for strip in self._strips.values():
            held = [b for b in strip.buttons if b.choice is not None and b.choice.is_current]
            if held:
                return held[0]
        return next(iter(self._lines.values()), self)

    def strip(self, name: str) -> ChoiceStrip:
        """The choices of a field. Raises KeyError where it has none."""
        return self._strips[name]

    def line(self, name: str) -> ValueField:
        """The line in which a field is typed. Raises KeyError where there is none."""
        return self._lines[name]

    def show_fields(self, fields: Sequence[FieldView]) -> None:
        """Show other values of the same fields."""
        for found in fields:
            if found.name in self._strips:
                self._strips[found.name].set_choices(found.choices)
            line = self._lines.get(found.name)
            if line is not None:
                line.show_text(found.text)
                line.setToolTip(found.problem or found.reason)
                stands_here = not found.choices or bool(found.text)
                wrong = (bool(found.problem) and stands_here) or found.is_asked
                set_look(line, "state", "error" if wrong else "")
        only = fields[0] if len(fields) == 1 else None
        asked = [found for found in fields if found.is_asked]
        reason = only.reason if only is not None else asked[0].reason if asked else ""
        problem = next((found.problem for found in fields if found.problem), "")
        self._reason.setText(reason)
        self._reason.setVisible(bool(reason) and not problem)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        self._show_mends(tuple(mend for found in fields for mend in found.mends))

    def commit(self) -> None:
        """Tell what is typed and not told yet."""
        for line in self._lines.values():
            line.commit()

    def _show_mends(self, mends: tuple[MendView, ...]) -> None:
        if mends == self._shown_mends:
            return
        self._shown_mends = mends
        while (item := self._mends.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for mend in mends:
            button = push_button(self._icons, f"Use {mend.text}")
            button.setToolTip(f"{mend.text} is the nearest value with which the rule holds")
            button.clicked.connect(
                lambda _=False, mend=mend: self.value_chosen.emit(mend.field, mend.value)
            )
            self._mends.addWidget(button)
        if mends:
            self._mends.addStretch(1)

    def _lay_out(self, fields: Sequence[FieldView]) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(0, 10, 0, 10)
        row.setSpacing(12)
        row.addWidget(self._label(fields), 0, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout()
        column.setSpacing(5)
        controls = QHBoxLayout()
        controls.setSpacing(8)
        for found in fields:
            self._add_control(controls, found, len(fields) > 1)
        if not any(found.is_wide for found in fields):
            controls.addStretch(1)
        column.addLayout(controls)
        for label in (self._reason, self._problem):
            label.setWordWrap(True)
            column.addWidget(label)
        column.addLayout(self._mends)
        row.addLayout(column, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(hairline())

    def _label(self, fields: Sequence[FieldView]) -> QWidget:
        several = len(fields) > 1
        title = _together(fields) if several else fields[0].title
        title = "" if several and self._continues else title
        note = "" if several else fields[0].note
        panel = QWidget()
        panel.setFixedWidth(LABEL_WIDTH)
        layout = QVBoxLayout(panel)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.setSpacing(2)
        heading = text_label(self._icons.theme, title, TextRole.HEADING, "fg")
        heading.setWordWrap(True)
        layout.addWidget(heading)
        if note:
            layout.addWidget(text_label(self._icons.theme, note, TextRole.LABEL, "fg3"))
        return panel

    def _add_control(self, controls: QHBoxLayout, found: FieldView, several: bool) -> None:
        if found.choices:
            strip = ChoiceStrip(self._icons, found.title)
            strip.chosen.connect(lambda value: self.value_chosen.emit(found.name, value))
            self._strips[found.name] = strip
            controls.addWidget(strip)
        if found.choices and not found.takes_other:
            return
        width = _OTHER_WIDTH if found.choices else None if found.is_wide else _NUMBER_WIDTH
        line = ValueField(found.title, width)
        line.setPlaceholderText(found.placeholder)
        line.typed.connect(lambda text: self.text_typed.emit(found.name, text))
        self._lines[found.name] = line
        captioned = _captioned(self._icons, line, found) if several else line
        if several and len(self._names) == 2 and self._above <= 2:
            captioned.setMinimumWidth(_PAIR_WIDTH)
        controls.addWidget(captioned)


def _together(fields: Sequence[FieldView]) -> str:
    return "Sizes" if all(found.note == found.name for found in fields) else "Numbers"


def _captioned(icons: Icons, line: QWidget, found: FieldView) -> QWidget:
    """A line under what it is called."""
    panel = QWidget()
    layout = QVBoxLayout(panel)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(3)
    name = f"{found.note} · {found.title}" if found.note == found.name else found.title
    caption: QLabel = text_label(icons.theme, name, TextRole.LABEL, "fg3")
    caption.setToolTip(found.reason)
    layout.addWidget(line)
    layout.addWidget(caption)
    return panel
