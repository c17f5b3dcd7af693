"""The details of one problem: why, where else, what mends it, and what the tool itself said."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QScrollArea, QVBoxLayout, QWidget

from workbench.core.diagnostics import Diagnostic, Fix
from workbench.session.problems import Problem
from workbench.ui.panes.problems.rows import place_text, stage_text
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton, flush_link, push_button
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.severity import SEVERITY_LOOKS, SeverityMark

_RAW_LINES = (4, 16)


class ProblemDetail(QScrollArea):
    """Shows one problem at a time; built anew for each, as each has other parts."""

    #: The person wants to go to a place: path, line, column.
    place_chosen = Signal(str, int, int)
    #: The person wants a fix applied: the problem and the fix.
    fix_chosen = Signal(object, object)
    #: The person wants the tool's text in a view of its own.
    raw_requested = Signal(object)
    #: The person wants the best fixes of all problems of a code.
    all_fixes_chosen = Signal(str)
    #: The person wants the page about a code.
    help_requested = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._problem: Problem | None = None
        self._wider_fix = ""
        self.setWidgetResizable(True)
        self.setAccessibleName("Details of the problem")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_problem(None)

    @property
    def problem(self) -> Problem | None:
        """What is shown."""
        return self._problem

    def show_problem(self, problem: Problem | None, wider_fix: str = "") -> None:
        """Show another problem, None asks to choose one.

        `wider_fix` is the title of what fixes all problems of its kind, "" where nothing does.
        """
        if problem is not None and (problem, wider_fix) == (self._problem, self._wider_fix):
            return
        self._problem, self._wider_fix = problem, wider_fix
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(16, 8, 16, 12)
        layout.setSpacing(8)
        for part in self._parts(problem):
            layout.addWidget(part)
        layout.addStretch(1)
        self.setWidget(body)

    def _parts(self, problem: Problem | None) -> list[QWidget]:
        if problem is None:
            return [
                text_label(self._icons.theme, "Choose a problem to see more of it.", tone="fg3")
            ]
        parts = [self._head(problem.diagnostic), self._place(problem)]
        parts.extend(self._reasons(problem.diagnostic))
        parts.extend(self._fixes(problem))
        parts.extend(self._related(problem))
        if problem.raw:
            parts.extend(self._raw(problem))
        return parts

    def _head(self, diagnostic: Diagnostic) -> QWidget:
        mark = SeverityMark(self._icons, SEVERITY_LOOKS[diagnostic.severity])
        text = ConclusionLabel(self._icons.theme, diagnostic.message, narrow=True)
        head = _row([mark], 10)
        head_layout = head.layout()
        assert isinstance(head_layout, QHBoxLayout)
        head_layout.setAlignment(mark, Qt.AlignmentFlag.AlignTop)
        mark.setContentsMargins(0, 2, 0, 0)
        head_layout.addWidget(text, 1)
        return head

    def _place(self, problem: Problem) -> QWidget:
        theme = self._icons.theme
        link = flush_link(self._icons, place_text(problem))
        link.setToolTip(f"Go to {place_text(problem)}")
        link.clicked.connect(self._on_place_clicked)
        chips = [Chip(theme, problem.diagnostic.code), Chip(theme, stage_text(problem.diagnostic))]
        if problem.targets:
            chips.append(Chip(theme, ", ".join(problem.targets)))
        if problem.stale:
            chips.append(Chip(theme, "of an earlier text", "warn"))
        return _row([link, *chips], 10)

    def _text(self, text: str) -> QLabel:
        label = text_label(self._icons.theme, text, TextRole.BODY, "fg2")
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _reasons(self, diagnostic: Diagnostic) -> list[QWidget]:
        """What to do, and the rule behind it with its source and the way to its page."""
        from workbench.session.explaining import explanation  # a window starts without the rules

        told = explanation(diagnostic)
        parts: list[QWidget] = [self._text(text) for text in (told.advice, told.reason) if text]
        if told.page is not None:
            link = flush_link(self._icons, f"Explain {diagnostic.code}")
            link.setToolTip(f"{told.title}: open its page. Source: {told.source}")
            link.clicked.connect(lambda: self.help_requested.emit(diagnostic.code))
            parts.append(_row([link], 0))
        return parts

    def _fixes(self, problem: Problem) -> list[QWidget]:
        fixes = [self._fix_button(problem, fix) for fix in problem.diagnostic.fixes]
        if self._wider_fix:
            button = push_button(self._icons, self._wider_fix, "normal", "bulb")
            button.setToolTip("Apply the first fix of each, as one step of undo")
            code = problem.diagnostic.code
            button.clicked.connect(lambda: self.all_fixes_chosen.emit(code))
            fixes.append(_row([button], 0))
        return fixes

    def _fix_button(self, problem: Problem, fix: Fix) -> QWidget:
        button = push_button(self._icons, fix.title, "normal", "bulb")
        button.setToolTip("Apply this fix to the document")
        if problem.stale:
            button.setEnabled(False)
            button.setToolTip("The document has changed since; check it again first")
        button.clicked.connect(lambda: self.fix_chosen.emit(problem, fix))
        return _row([button], 0)

    def _related(self, problem: Problem) -> list[QWidget]:
        if not problem.diagnostic.related:
            return []
        links: list[QWidget] = [self._heading("See also")]
        for item in problem.diagnostic.related:
            where = item.range
            link = flush_link(self._icons, f"Line {where.line}")
            link.setToolTip(f"Go to line {where.line}")
            link.clicked.connect(
                lambda _=False, at=where: self.place_chosen.emit(problem.path, at.line, at.column)
            )
            row = _row([link], 10)
            row_layout = row.layout()
            assert isinstance(row_layout, QHBoxLayout)
            row_layout.addWidget(self._text(item.text), 1)
            links.append(row)
        return links

    def _raw(self, problem: Problem) -> list[QWidget]:
        copy = FlatToolButton(self._icons, "Copy the raw text")
        copy.set_icon("copy", "fg3", 14)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(problem.raw or ""))
        view = FlatToolButton(self._icons, "Open the raw text in a view of its own")
        view.set_icon("external", "fg3", 14)
        view.clicked.connect(lambda: self.raw_requested.emit(problem))
        heading = _row([self._heading("Raw text"), copy, view], 4)
        return [heading, self._raw_text(problem.raw or "")]

    def _raw_text(self, text: str) -> QPlainTextEdit:
        shown = QPlainTextEdit(text.rstrip())
        shown.setReadOnly(True)
        shown.setAccessibleName("Raw text")
        shown.setFont(self._icons.theme.fonts.monospace(12))
        shown.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        lines = min(max(_RAW_LINES[0], text.count("\n") + 1), _RAW_LINES[1])
        shown.setMinimumHeight(QFontMetrics(shown.font()).lineSpacing() * lines + 22)
        return shown

    def _heading(self, text: str) -> QLabel:
        return text_label(self._icons.theme, text, TextRole.STRONG_LABEL, "fg3")

    def _on_place_clicked(self) -> None:
        if self._problem is None:
            return
        where = self._problem.diagnostic.range
        line, column = (where.line, where.column) if where is not None else (1, 1)
        self.place_chosen.emit(self._problem.path, line, column)


def _row(parts: Sequence[QWidget], gap: int) -> QWidget:
    """Parts from the left, with what is left of the width behind them."""
    row = QWidget()
    layout = QHBoxLayout(row)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(gap)
    for part in parts:
        layout.addWidget(part)
    layout.addStretch(0)
    return row
