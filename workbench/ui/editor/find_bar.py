"""The bar above the text in which a search and its replacement are typed."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QLineEdit, QWidget

from workbench.ui.editor.search import Search
from workbench.ui.editor.searching import Query, from_selection
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, PushButton, push_button

MARGIN = 6
GAP = 4
FIELD_WIDTH = 220
STATUS_WIDTH = 110
SHIFT = Qt.KeyboardModifier.ShiftModifier


class FindBar(QFrame):
    """Enter finds the next match, Shift+Enter the previous one, Escape closes."""

    closed = Signal()

    def __init__(self, icons: Icons, search: Search, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, self._search = icons, search
        self.setAccessibleName("Find and replace")
        self.setAutoFillBackground(True)
        self.field = _field("Find")
        self.replacement = _field("Replace with")
        self._status = QLabel()
        self._status.setMinimumWidth(STATUS_WIDTH)
        self._case = self._switch("Aa", "Match upper and lower case")
        self._word = self._switch("W", "Whole words only")
        self._regex = self._switch(".*", "Regular expression")
        self._expander = self._button("chevron-right", "Show the replacement", self._toggle_replace)
        self._moves = (
            self._button("arrow-up", "Previous match (Shift+Enter)", self._previous),
            self._button("arrow-down", "Next match (Enter)", self._next),
        )
        self._close = self._button("close", "Close (Escape)", self.close_bar)
        self._replacing = (
            self._push(
                "Replace", "Replace this match and go to the next", self._on_replace_clicked
            ),
            self._push(
                "Replace all", "Replace every match, as one step of undo", self._on_all_clicked
            ),
        )
        self._second_row = self._replace_row()
        self._lay_out()
        self._order_tabs()
        self.field.textChanged.connect(self._on_query_changed)
        search.changed.connect(self._on_search_changed)
        self._second_row.hide()

    def open(self, selected: str, *, with_replace: bool) -> None:
        """Show the bar, with what is selected in the text as the query."""
        query = from_selection(self._query(), selected)
        self.field.setText(query.text)
        self._show_replace(with_replace or self._second_row.isVisible())
        self.show()
        self._search.start()
        self.field.setFocus()
        self.field.selectAll()

    def close_bar(self) -> None:
        """Hide the bar and take the marks away."""
        self.hide()
        self._search.stop()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        key, is_shifted = event.key(), bool(event.modifiers() & SHIFT)
        if key == Qt.Key.Key_Escape:
            self.close_bar()
        elif (
            key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.focusWidget() is self.replacement
        ):
            self._on_replace_clicked()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            (self._search.go_previous if is_shifted else self._search.go_next)()
        else:
            super().keyPressEvent(event)

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.setSpacing(GAP)
        first.addWidget(self.field, 1)
        for switch in (self._case, self._word, self._regex):
            first.addWidget(switch)
        first.addWidget(self._status)
        for button in self._moves:
            first.addWidget(button)
        first.addWidget(self._close)
        grid = QGridLayout(self)
        grid.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        grid.setSpacing(GAP)
        grid.addWidget(self._expander, 0, 0)
        grid.addLayout(first, 0, 1)
        grid.addWidget(self._second_row, 1, 1)

    def _replace_row(self) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        layout.addWidget(self.replacement, 1)
        for button in self._replacing:
            layout.addWidget(button)
        return row

    def _order_tabs(self) -> None:
        """What is typed comes first, then how it is meant, then what is done with it."""
        switches = (self._case, self._word, self._regex)
        chain: tuple[QWidget, ...] = (self.field, self.replacement, *switches)
        chain += (*self._moves, *self._replacing, self._expander, self._close)
        for before, after in itertools.pairwise(chain):
            QWidget.setTabOrder(before, after)

    def _push(self, text: str, tip: str, slot: Callable[[], object]) -> PushButton:
        button = push_button(self._icons, text)
        button.setToolTip(tip)
        button.clicked.connect(slot)
        return button

    def _button(self, icon: str, tip: str, slot: Callable[[], object]) -> FlatToolButton:
        button = FlatToolButton(self._icons, tip)
        button.set_icon(icon)
        button.clicked.connect(slot)
        return button

    def _switch(self, text: str, tip: str) -> FlatToolButton:
        button = FlatToolButton(self._icons, tip, text)
        button.setAccessibleName(tip)
        button.setCheckable(True)
        button.toggled.connect(self._on_query_changed)
        return button

    def _query(self) -> Query:
        return Query(
            text=self.field.text(),
            is_regex=self._regex.isChecked(),
            match_case=self._case.isChecked(),
            whole_word=self._word.isChecked(),
        )

    def _next(self) -> None:
        self._search.go_next()

    def _previous(self) -> None:
        self._search.go_previous()

    def _toggle_replace(self) -> None:
        self._show_replace(not self._second_row.isVisible())

    def _show_replace(self, is_shown: bool) -> None:
        self._second_row.setVisible(is_shown)
        self._expander.set_icon("chevron-down" if is_shown else "chevron-right")
        self._expander.setToolTip("Hide the replacement" if is_shown else "Show the replacement")

    def _on_query_changed(self) -> None:
        self._search.set_query(self._query())
        if self.isVisible():
            self._search.go_nearest()

    def _on_replace_clicked(self) -> None:
        self._search.replace(self.replacement.text())

    def _on_all_clicked(self) -> None:
        count = self._search.replace_all(self.replacement.text())
        if count:
            self._status.setText(f"{count:,} replaced")

    def _on_search_changed(self) -> None:
        error = self._search.error
        self._status.setText("wrong expression" if error else self._search.status)
        self._status.setProperty("tone", "error" if error else "fg3")
        self._status.setToolTip(error)
        self.field.setToolTip(error or "Find")
        self.field.setProperty("state", "error" if error else "")
        for widget in (self._status, self.field):
            widget.style().unpolish(widget)
            widget.style().polish(widget)


def _field(name: str) -> QLineEdit:
    field = QLineEdit()
    field.setPlaceholderText(name)
    field.setAccessibleName(name)
    field.setToolTip(name)
    field.setMinimumWidth(FIELD_WIDTH // 2)
    return field
