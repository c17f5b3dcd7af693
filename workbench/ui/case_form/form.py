"""The form's widget: its head with what is not saved, and the rows in their groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from workbench.core.documents.model import Case, Kernel
from workbench.ui.case_form.fields import MISSING, FieldSpec, changed_names, specs_of
from workbench.ui.case_form.ranges import Group
from workbench.ui.case_form.row import FieldRow
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.labels import hairline, text_label

_NONE = "The arguments of the open kernel stand here. A slider lowers the kernel anew as it moves."
_NO_ARGUMENTS = "This kernel takes no arguments: there is nothing to set."
_NEEDED = "A value is needed."


class CaseForm(QWidget):
    """Edits arguments without saving them: the session keeps them, the person saves them."""

    #: Another value is to be tried: the argument's name and the value; also while a slider moves.
    value_changed = Signal(str, object)
    #: The present values are to become the case's.
    save_requested = Signal()
    #: The case's values are wanted back.
    reset_requested = Signal()

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._specs: tuple[FieldSpec, ...] = ()
        self._rows: dict[str, FieldRow] = {}
        self._args: dict[str, Any] = {}
        self._case_name = ""
        self._errors: dict[str, str] = {}
        self._title = ElidedLabel(theme, "", TextRole.HEADING, "fg")
        self._changes = ElidedLabel(theme, "", TextRole.LABEL, "fg3")
        self._reset = push_button(icons, "Reset", "flat")
        self._save = push_button(icons, "Keep", "primary")
        self._scroll = QScrollArea()
        self._empty = EmptyState(icons, "layers", _NONE)
        self._stack = QStackedWidget()
        self._lay_out()
        self._reset.clicked.connect(self._on_reset_clicked)
        self._save.clicked.connect(self.save_requested)

    @property
    def rows(self) -> Mapping[str, FieldRow]:
        """The rows by the names of their arguments."""
        return self._rows

    def show_arguments(
        self,
        kernel: Kernel | None,
        case: Case | None,
        args: Mapping[str, Any],
        errors: Mapping[str, str] | None = None,
    ) -> None:
        """Show a kernel's arguments; None: no kernel is open.

        While kernel and case stay, the rows stay too, so that a slider can be held. `errors` are
        sentences by the name of the argument that they are about.
        """
        specs = specs_of(kernel, case) if kernel is not None else ()
        self._args, self._errors = dict(args), dict(errors or {})
        self._case_name = case.name if case is not None else "default"
        if specs != self._specs:
            self._build(specs)
        self._fill()
        self._empty.set_content("layers", _NONE if kernel is None else _NO_ARGUMENTS)
        self._stack.setCurrentIndex(0 if specs else 1)

    def set_errors(self, errors: Mapping[str, str]) -> None:
        """Say what is wrong with which argument."""
        self._errors = dict(errors)
        self._show_errors()

    def commit(self) -> None:
        """Take what is typed but not finished; what cannot be taken is among `refused` then."""
        for row in self._rows.values():
            if row.is_touched:
                row.commit()

    def focus_field(self, name: str) -> None:
        """Put the cursor into the field of an argument, where there is one."""
        if name in self._rows:
            self._scroll.ensureWidgetVisible(self._rows[name])
            self._rows[name].focus_editor()

    @property
    def refused(self) -> tuple[FieldRow, ...]:
        """The rows in which something stands that cannot be taken."""
        return tuple(row for row in self._rows.values() if row.refusal)

    def state(self) -> dict[str, Any]:
        """There is nothing to remember: everything shown is the document's."""
        return {"version": 1}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Nothing is remembered."""

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._reset.setToolTip("Back to the saved values of the case")
        self._save.setToolTip("Write these values into the case, in the document")
        head = QHBoxLayout()
        head.setContentsMargins(16, 10, 12, 10)
        head.setSpacing(8)
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(self._title)
        texts.addWidget(self._changes)
        head.addLayout(texts, 1)
        head.addWidget(self._reset)
        head.addWidget(self._save)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(hairline())
        layout.addWidget(self._scroll, 1)
        self._stack.addWidget(body)
        self._stack.addWidget(self._empty)
        self._stack.setCurrentIndex(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._stack)

    def _build(self, specs: tuple[FieldSpec, ...]) -> None:
        """Other rows for other fields."""
        self._specs = specs
        self._rows = {spec.name: FieldRow(self._icons, spec) for spec in specs}
        content = QWidget()
        layout = QVBoxLayout(content)
        layout.setContentsMargins(16, 4, 12, 12)
        layout.setSpacing(2)
        for group in Group:
            rows = [self._rows[spec.name] for spec in specs if spec.group is group]
            if rows:
                layout.addWidget(self._heading(group))
                for row in rows:
                    row.edited.connect(self._on_row_edited)
                    row.refusal_changed.connect(self._show_changes)
                    layout.addWidget(row)
        layout.addStretch(1)
        self._scroll.setWidget(content)

    def _heading(self, group: Group) -> QWidget:
        heading = text_label(self._theme, group.value, TextRole.STRONG_LABEL, "fg3")
        heading.setContentsMargins(0, 10, 0, 4)
        return heading

    def _fill(self) -> None:
        for name, row in self._rows.items():
            row.set_value(self._args.get(name, MISSING))
        self._show_errors()
        self._show_changes()

    def _show_errors(self) -> None:
        for name, row in self._rows.items():
            row.set_error(self._errors.get(name, _NEEDED if row.is_needed else ""))

    def _show_changes(self) -> None:
        count, refused = len(changed_names(self._specs, self._args)), len(self.refused)
        self._title.set_text(f"Case {self._case_name}")
        needed = sum(row.is_needed for row in self._rows.values())
        self._changes.set_text(*_said(count, refused, needed))
        self._reset.setEnabled(count + refused > 0)
        self._save.setEnabled(count > 0 and not refused)

    def _on_reset_clicked(self) -> None:
        for row in self.refused:
            row.discard()
        self.reset_requested.emit()

    def _on_row_edited(self, name: str, value: Any) -> None:
        if value is MISSING:
            return
        self._args[name] = value
        self._show_errors()
        self._show_changes()
        self.value_changed.emit(name, value)


def _said(tried: int, refused: int, needed: int) -> tuple[str, str]:
    """How many values are refused, lack or are tried, and the colour to say it in."""
    if refused:
        return f"{_count(refused)} cannot be taken", "error"
    if needed:
        return f"{_count(needed)} needed before anything can run", "error"
    if tried:
        return f"{_count(tried)} tried, not saved", "accent"
    return "as saved in the document", "fg3"


def _count(values: int) -> str:
    return "1 value" if values == 1 else f"{values} values"
