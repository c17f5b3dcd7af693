"""The last page: why the kernel is as it is, how to test it, and what it replaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from workbench.core.patterns.model import Why
from workbench.session.code_inputs import Language
from workbench.session.code_unified import UnifiedText
from workbench.session.patterns.done_view import DoneView
from workbench.ui.panes.code.marks import UnifiedMarks
from workbench.ui.panes.code.unified_view import UnifiedView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.labels import hairline, set_look, text_label

_TITLE_WIDTH, _LEAST_DIFFERENCE, _SECTION = 132, 260, 28


class DonePanel(QWidget):
    """A difference, where there is one, stands above everything else."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.view: DoneView | None = None
        self.warning = text_label(icons.theme, "", TextRole.BODY, "warn")
        self.warning.setWordWrap(True)
        self._heading = text_label(icons.theme, "What changes", TextRole.HEADING, "fg")
        self.difference = UnifiedView(icons.theme)
        self.difference.setMinimumHeight(_LEAST_DIFFERENCE)
        self.difference.setAccessibleName("What changes in the document")
        self._text: UnifiedText | None = None
        self._opened: frozenset[int] = frozenset()
        self._body = QWidget()
        self._grid = QGridLayout(self._body)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(10)
        self._grid.setColumnMinimumWidth(0, _TITLE_WIDTH)
        self._grid.setColumnStretch(1, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 10, 0, 0)
        layout.setSpacing(8)
        for part in (self.warning, self._heading, self.difference, self._body):
            layout.addWidget(part)
        layout.addStretch(1)
        self.difference.fold_clicked.connect(self._on_fold_opened)
        self.difference.fold_entered.connect(self._on_fold_opened)

    def set_done(self, view: DoneView) -> None:
        """Show another page."""
        if view == self.view:
            return
        self.view = view
        self.warning.setText(view.warning)
        self.warning.setVisible(bool(view.warning))
        self._show_difference(view.difference)
        while (item := self._grid.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for row in range(self._grid.rowCount()):  # Qt keeps the rows of before
            self._grid.setRowMinimumHeight(row, 0)
        self._add_section("Why it is as it is", view.why)
        tests = tuple(Why(title, line) for title, line in zip(_TESTS, view.tests, strict=True))
        self._add_section("How to test it, once saved", tests, code=True)
        self._add_section("What to expect", (Why("Performance", view.performance),))

    def _show_difference(self, text: UnifiedText | None) -> None:
        for part in (self._heading, self.difference):
            part.setVisible(text is not None)
        self._text, self._opened = text, frozenset()
        if text is not None:
            self.difference.show_unified(text, Language.TIR)
            self.difference.set_marks(UnifiedMarks(text))

    def _on_fold_opened(self, number: int) -> None:
        if self._text is not None:
            self._opened |= {number}
            self.difference.set_marks(UnifiedMarks(self._text, self._opened))

    def _add_section(self, title: str, rows: Sequence[Why], code: bool = False) -> None:
        theme = self._icons.theme
        at = self._grid.rowCount()
        self._grid.setRowMinimumHeight(at, theme.fonts.pixels(_SECTION))
        self._grid.addWidget(text_label(theme, title, TextRole.HEADING, "fg"), at, 0, 1, 2)
        self._grid.addWidget(hairline(), at + 1, 0, 1, 2)
        for number, row in enumerate(rows, at + 2):
            name = text_label(theme, row.title, TextRole.STRONG, "fg")
            shown = row.text if code else _with_code(row.text, theme.fonts.monospace(11).family())
            text = text_label(theme, shown, TextRole.BODY, "fg2")
            if code:
                text.setFont(theme.fonts.monospace(11))
                set_look(text, "tone", "fg")
            for label in (name, text):
                label.setWordWrap(True)
                label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            self._grid.addWidget(name, number, 0)
            self._grid.addWidget(text, number, 1)


def _with_code(text: str, family: str) -> str:
    """A text whose pieces between backticks are set as code; plain where it has none."""
    if "`" not in text:
        return text
    marked = escape(text, quote=False)
    return re.sub(r"`([^`]+)`", rf"""<span style="font-family: '{family}'">\1</span>""", marked)


_TESTS = ("In the simulator", "With pytest", "On a GPU")
