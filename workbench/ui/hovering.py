"""Shows a card where the pointer rests on a problem or a buffer, and takes it away again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QTimer

from workbench.ui.editor.edits import place
from workbench.ui.fixing import Fixing

if TYPE_CHECKING:
    from workbench.session.hover_cards import BufferCard, ProblemCard
    from workbench.ui.controller import Controller
    from workbench.ui.editor.editor import CodeEditor
    from workbench.ui.editor.hover_card import HoverCard
    from workbench.ui.editor_area import EditorTab

_LEAVING_MS = 300
_MOST_PROBLEMS = 3
_WORD = re.compile(r"[A-Za-z_]\w*")
_ENDS = frozenset(
    {
        QEvent.Type.KeyPress,
        QEvent.Type.Wheel,
        QEvent.Type.MouseButtonPress,
        QEvent.Type.Resize,
        QEvent.Type.Hide,
    }
)


class Hovering(QObject):
    """One card for all editors; what it shows is computed and loaded when it is asked for."""

    def __init__(self, controller: Controller, fixing: Fixing) -> None:
        super().__init__(controller)
        self._controller, self._fixing = controller, fixing
        self._card: HoverCard | None = None
        self._watched: CodeEditor | None = None
        self._near = QRect()
        self._leaving = QTimer(self, singleShot=True, interval=_LEAVING_MS)
        self._leaving.timeout.connect(self.hide)
        controller.window.editors.hover = self.show_at
        controller.window.editors.current_changed.connect(self.hide)

    @property
    def card(self) -> HoverCard | None:
        """The card, None as long as none was shown."""
        return self._card

    def show_at_cursor(self) -> None:
        """Show what is known of the place of the cursor, else of its line."""
        tab = self._controller.tab
        if tab is not None:
            area = tab.current.view.cursorRect()
            at_cursor = self.show_at(tab.current, area.center())
            if not at_cursor and not self._show_line(tab.current):
                self._controller.tell("Nothing is known of the place of the cursor.", topic="hover")

    def show_at(self, editor: CodeEditor, point: QPoint) -> bool:
        """Show what is known of a point of an editor's viewport; False where that is nothing."""
        tab = self._controller.tab
        if tab is None or editor not in tab.editors:
            return False
        problems = self._problems(editor, point)
        buffer, word = self._buffer(tab, editor, point)
        if not problems and buffer is None:
            self.hide()
            return False
        view = editor.view
        line = view.cursorForPosition(point).blockNumber()
        origin = view.viewport().mapTo(view.window(), QPoint(0, 0))
        area = (view.line_area(line) or view.cursorRect()).translated(origin)
        area.setLeft(origin.x() + word)
        self._near = area
        self._card_of_window().show_cards(problems, buffer, area)
        self._watch(editor)
        return True

    def _show_line(self, editor: CodeEditor) -> bool:
        """Show the problems that begin in the cursor's line."""
        found = editor.view.problems.on_line(editor.view.current_line())
        if not found:
            return False
        editor.view.show_position(found[0].cursor.selectionStart())
        return self.show_at(editor, editor.view.cursorRect().center())

    def hide(self) -> None:
        """Take the card away."""
        self._leaving.stop()
        self._watch(None)
        if self._card is not None:
            self._card.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        """What the person does in the text: going away from the line, typing, scrolling."""
        kind = event.type()
        if kind in _ENDS:
            self.hide()
        elif kind == QEvent.Type.Leave:
            self._leaving.start()
        elif kind == QEvent.Type.MouseMove and self._watched is not None:
            viewport = self._watched.view.viewport()
            at = viewport.mapTo(viewport.window(), event.position().toPoint())  # type: ignore[attr-defined]
            if self._near.adjusted(-8, 0, 0, 0).contains(at):
                self._leaving.stop()
            elif not self._leaving.isActive():
                self._leaving.start()
        return False

    def _problems(self, editor: CodeEditor, point: QPoint) -> list[ProblemCard]:
        from workbench.session.fix_choices import problems_by_severity
        from workbench.session.hover_cards import problem_card

        found = {id(problem.diagnostic) for problem in editor.view.problems_under(point)}
        known = self._controller.panels.problems.problems
        session = self._controller.session
        targets = {p: session.targets.resolve(p) for problem in known for p in problem.targets}
        here = problems_by_severity(p for p in known if id(p.diagnostic) in found)
        return [problem_card(problem, targets) for problem in here[:_MOST_PROBLEMS]]

    def _buffer(
        self, tab: EditorTab, editor: CodeEditor, point: QPoint
    ) -> tuple[BufferCard | None, int]:
        """The buffer whose name is under a point, and where in the viewport that begins."""
        from workbench.session.hover_cards import buffer_card

        cursor = editor.view.cursor_under(point)
        if cursor is None:
            return None, point.x()
        where, left = place(cursor), editor.view.cursorRect(cursor).left()
        code = editor.buffer.highlighter.code(where.line)
        if code is None:  # not told apart from strings and comments yet
            code = editor.buffer.lines()[where.line]
        column = len(where.before)
        word = next((w for w in _WORD.finditer(code) if w.start() <= column <= w.end()), None)
        if word is None or tab.buffer.source() != tab.document.text:
            return None, left
        target = self._controller.session.targets.resolve(tab.document.targets[0])
        card = buffer_card(tab.document, target, word[0], where.line + 1)
        return card, editor.view.column_left(where.line, word.start())

    def _watch(self, editor: CodeEditor | None) -> None:
        if self._watched is editor:
            return
        for each, is_new in ((self._watched, False), (editor, True)):
            for part in (each.view, each.view.viewport()) if each is not None else ():
                if is_new:
                    part.installEventFilter(self)
                else:
                    part.removeEventFilter(self)
        self._watched = editor

    def _card_of_window(self) -> HoverCard:
        if self._card is None:
            from workbench.ui.editor.hover_card import HoverCard

            self._card = HoverCard(self._controller.icons, self._controller.window)
            self._card.entered.connect(self._leaving.stop)
            self._card.left.connect(self._leaving.start)
            self._card.fix_chosen.connect(self._fixing.make)
            self._card.help_chosen.connect(self._fixing.help_requested)
        return self._card
