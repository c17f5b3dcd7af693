"""Offers the fixes of a line in a menu beside it, makes those that are chosen, and explains."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect, Signal

from workbench.core.diagnostics import Fix, Severity
from workbench.session.problems import Problem
from workbench.ui.editor.line_ends import split_text

if TYPE_CHECKING:
    from workbench.session.fix_choices import FixChoice
    from workbench.session.fix_effects import FixEffects
    from workbench.session.fixes import OfferedFix
    from workbench.session.open_document import OpenDocument
    from workbench.ui.controller import Controller
    from workbench.ui.editor.editor import CodeEditor
    from workbench.ui.editor.fix_menu import FixMenu
    from workbench.ui.editor_area import EditorTab

_TOPIC = "fix"


class Fixing(QObject):
    """Everything between a light bulb and the changed text; what it needs is loaded when used."""

    #: The person wants the page of a rule, by the code of its diagnostics.
    help_requested = Signal(str)

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._menu: FixMenu | None = None
        self._effects: FixEffects | None = None
        controller.window.editors.fixes_requested.connect(self.open_menu)
        problems = controller.panels.problems
        problems.fix_requested.connect(self.make_fix)
        problems.all_fixes_requested.connect(self.make_all)
        problems.help_requested.connect(self.help_requested)

    @property
    def menu(self) -> FixMenu | None:
        """The menu, None as long as nobody has opened it."""
        return self._menu

    def open_menu(self, line: int) -> None:
        """Offer what can be done about the problems of a line, from 1, of the text in front."""
        from workbench.session.fix_choices import choices_at

        tab = self._controller.tab
        if tab is None:
            return
        self._controller.files.flush(tab)
        choices = choices_at(self._controller.panels.problems.problems, line)
        if not choices:
            self._controller.tell(f"Line {line} has no problem.", topic=_TOPIC)
            return
        if tab.current.cursor_place[0] != line:
            tab.current.go_to(line)
        tab.current.view.setFocus()
        area = _area_in_window(tab.current)
        self._menu_of_window().open_at(choices, tab.buffer.source(), area)

    def make_fix(self, problem: Problem, fix: Fix) -> None:
        """Make a fix of a problem in the text in front."""
        from workbench.session.fixes import OfferedFix

        self.make(OfferedFix(fix, (problem,), revision=problem.revision))

    def make_lens_fix(self, fix: Fix, revision: int) -> None:
        """Make a change that a lens offers for a revision of the text in front."""
        from workbench.session.fixes import OfferedFix

        self.make(OfferedFix(fix, (), revision=revision))

    def make_all(self, code: str) -> None:
        """Make the best fixes of all problems of a code, as one step of undo."""
        from workbench.session.fixes import all_of_kind

        offered = all_of_kind(self._controller.panels.problems.problems, code)
        if offered is not None:
            self.make(offered)

    def make(self, offered: OfferedFix) -> None:
        """Make an offered fix in the text in front; one of an earlier text is refused."""
        from workbench.session.fixes import StaleFixError, made

        tab = self._controller.tab
        if tab is None:
            return
        try:
            text = made(tab.document, tab.buffer.source(), offered)
        except StaleFixError as error:
            self._controller.tell(str(error), Severity.WARNING, _TOPIC)
            return
        self._watched().begin(tab.document, offered)
        self._replace(tab, text)

    def _watched(self) -> FixEffects:
        """What remembers the figures from before a fix."""
        if self._effects is None:
            from workbench.session.findings import all_problems
            from workbench.session.fix_effects import FixEffects

            session = self._controller.session

            def problems(document: OpenDocument) -> Sequence[Problem]:
                targets = [session.targets.resolve(name) for name in document.targets]
                return all_problems(document, targets, session.settings.hints_off)

            self._effects = FixEffects(problems)
            session.results.changed.connect(self._tell_effect)
        return self._effects

    def _tell_effect(self, document: OpenDocument) -> None:
        """Say what the last fix did, once the results of the new text are there."""
        effect = self._effects.look(document) if self._effects is not None else None
        if effect is not None:
            self._controller.tell(effect.sentence, topic=_TOPIC)

    def _replace(self, tab: EditorTab, text: str) -> None:
        tab.buffer.replace_text("\n".join(split_text(text).lines))
        self._controller.files.flush(tab)
        tab.current.setFocus()

    def _menu_of_window(self) -> FixMenu:
        if self._menu is None:
            from workbench.ui.editor.fix_menu import FixMenu

            self._menu = FixMenu(self._controller.icons, self._controller.window)
            self._menu.chosen.connect(self._on_menu_chosen)
        return self._menu

    def _on_menu_chosen(self, choice: FixChoice) -> None:
        from workbench.session.fix_choices import ChoiceKind

        if choice.offered is not None:
            self.make(choice.offered)
        elif choice.kind is ChoiceKind.EXPLAIN:
            self.help_requested.emit(choice.problem.diagnostic.code)
        else:
            self.show_problem(choice.problem)

    def show_problem(self, problem: Problem) -> None:
        """Bring a problem to the front in the problem list, with its details."""
        self._controller.window.docks.show("problems")
        self._controller.panels.problems.reveal(problem)


def _area_in_window(editor: CodeEditor) -> QRect:
    """Where the line of the cursor is in the window, from the cursor on."""
    view = editor.view
    area = view.line_area(view.current_line()) or view.cursorRect()
    area.setLeft(view.cursorRect().left())
    origin = view.viewport().mapTo(view.window(), QPoint(0, 0))
    return area.translated(origin)
