"""The editor of one document as the window uses it: a view, its bars, marks, and completion."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.core.diagnostics import Diagnostic
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.commands import BY_NAME, COMMANDS
from workbench.ui.editor.completer import Completer
from workbench.ui.editor.completion import CompletionProvider
from workbench.ui.editor.edits import place
from workbench.ui.editor.end_notes import Annotations
from workbench.ui.editor.find_bar import FindBar
from workbench.ui.editor.folding import enclosing_region
from workbench.ui.editor.go_to_bar import GoToBar
from workbench.ui.editor.line_data import Cost
from workbench.ui.editor.problems import Annotate, Problem, first_clause, position
from workbench.ui.editor.search import Search
from workbench.ui.editor.view import CodeView
from workbench.ui.theme.icons import Icons


class CodeEditor(QWidget):
    """Edits one `DocumentBuffer`; several editors may show the same one. Lines count from 1."""

    cursor_moved = Signal(int, int)
    problem_reached = Signal(object)
    fixes_requested = Signal(int)
    zoomed = Signal(int)

    view: CodeView
    search: Search

    def __init__(
        self,
        icons: Icons,
        buffer: DocumentBuffer,
        provider: CompletionProvider | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.view = CodeView(icons.theme, buffer, self)
        self.search = Search(self.view)
        theme = icons.theme
        self.completer = Completer(theme, self.view, provider) if provider is not None else None
        self._find_bar = FindBar(icons, self.search, self)
        self._go_to_bar = GoToBar(self)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (self._find_bar, self._go_to_bar, self.view):
            layout.addWidget(part)
        self._find_bar.hide()
        self._go_to_bar.hide()
        self.setFocusProxy(self.view)
        self.view.key_actions = {
            key: partial(command.run, self) for command in COMMANDS for key in command.keys
        }
        self._connect_signals()

    def _connect_signals(self) -> None:
        self.view.cursorPositionChanged.connect(self._on_view_cursor_position_changed)
        self.view.fixes_requested.connect(lambda line: self.fixes_requested.emit(line + 1))
        self.view.zoomed.connect(self.zoomed)
        self._find_bar.closed.connect(self.view.setFocus)
        self._go_to_bar.closed.connect(self.view.setFocus)
        self._go_to_bar.wanted.connect(self.go_to)

    @property
    def buffer(self) -> DocumentBuffer:
        """The document."""
        return self.view.buffer

    @property
    def cursor_place(self) -> tuple[int, int]:
        """Line and column of the cursor, both from 1, the column in characters."""
        where = place(self.view.textCursor())
        return where.line + 1, len(where.before) + 1

    def run(self, name: str) -> None:
        """Do what a command of `COMMANDS` says; KeyError for an unknown name."""
        BY_NAME[name].run(self)

    def set_diagnostics(
        self, diagnostics: Iterable[Diagnostic], annotate: Annotate = first_clause
    ) -> None:
        """Mark these diagnostics; `annotate` gives what may be written behind a line, or None."""
        self.view.problems.set(diagnostics, annotate)

    def set_annotations(self, annotations: Annotations) -> None:
        """Choose the lines on which annotations are written."""
        self.view.notes.annotations = annotations
        self.view.update_all()

    def set_costs(self, costs: Mapping[int, Cost], header: str = "", hue: str = "shared") -> None:
        """Show costs by line in the strip at the right, which goes away where there are none.

        `header` says what is counted, `hue` is the colour token of the bars.
        """
        self.view.data.set_costs(costs, header, hue)

    def fade_costs(self) -> None:
        """Grey the costs: they are of an earlier text, and stay at the lines that they were for."""
        self.view.data.fade_costs()

    def set_inlay_hints(self, hints: Mapping[int, str]) -> None:
        """Write hints behind the text of lines."""
        self.view.data.set_hints(hints)

    def show_inlay_hints(self, is_shown: bool) -> None:
        """Show the hints, or hide them."""
        if self.view.notes.shows_hints != is_shown:
            self.view.notes.shows_hints = is_shown
            self.view.update_all()

    def set_linked_lines(self, links: Mapping[int, QColor]) -> None:
        """Colour lines that belong to a statement in another pane."""
        self.view.data.set_links(links)

    def set_read_only(self, is_read_only: bool) -> None:
        """Forbid edits, or allow them."""
        self.view.set_read_only(is_read_only)

    def go_to(self, line: int, column: int = 1) -> None:
        """Put the cursor there, cut to the document, and show it."""
        self.view.show_position(position(self.buffer.document, line, column))

    def next_problem(self) -> None:
        """Go to the next problem, after the last to the first."""
        self._reach(self.view.problems.after(self.view.textCursor().selectionStart()))

    def previous_problem(self) -> None:
        """Go to the problem before, before the first to the last."""
        self._reach(self.view.problems.before(self.view.textCursor().selectionStart()))

    def request_fixes(self) -> None:
        """Ask for the fixes of the cursor's line."""
        self.fixes_requested.emit(self.cursor_place[0])

    def complete_now(self) -> None:
        """Show what may stand at the cursor, where there is a provider."""
        if self.completer is not None:
            self.completer.complete()

    def fold(self) -> None:
        """Fold the innermost region around the cursor."""
        line = self.view.current_line()
        buffer = self.buffer
        region = enclosing_region(buffer.lines(), line, buffer.highlighter.is_inside_string)
        if region:
            self.view.show_line(region.start)
            buffer.folds.fold_at(line)

    def unfold(self) -> None:
        """Unfold what is folded into the cursor's line."""
        if self.view.current_line() in self.buffer.folds.folded:
            self.buffer.folds.toggle(self.view.current_line())

    def open_find(self, *, with_replace: bool = False) -> None:
        """Open the find bar on what is selected."""
        self._go_to_bar.hide()
        selected = self.view.textCursor().selectedText().replace("\u2029", "\n")
        self._find_bar.open(selected, with_replace=with_replace and not self.view.isReadOnly())

    def open_go_to_line(self) -> None:
        """Open the bar in which a line is typed."""
        self._find_bar.hide()
        self.search.stop()
        self._go_to_bar.open(self.cursor_place[0], self.buffer.document.blockCount())

    def close_bars(self) -> bool:
        """Close what is open; False where nothing is."""
        bars = [bar for bar in (self._find_bar, self._go_to_bar) if bar.isVisible()]
        for bar in bars:
            bar.close_bar()
        return bool(bars)

    def _reach(self, problem: Problem | None) -> None:
        if problem is not None:
            self.view.show_position(problem.cursor.selectionStart())
            self.problem_reached.emit(problem.diagnostic)

    def _on_view_cursor_position_changed(self) -> None:
        self.cursor_moved.emit(*self.cursor_place)
