"""Connects the wizard with the window: how one gets there, and what becomes of the kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QPoint
from PySide6.QtWidgets import QWidget

from workbench.core.diagnostics import Severity
from workbench.session.open_document import OpenDocument
from workbench.ui.deferred import Deferred
from workbench.ui.editor_area import EditorTab
from workbench.ui.navigator.nodes import PatternEntry
from workbench.ui.target_menu import TargetMenu
from workbench.ui.toolbar import ToolbarView

if TYPE_CHECKING:
    from workbench.session.patterns.controller import WizardController
    from workbench.ui.controller import Controller
    from workbench.ui.wizard.page import WizardPage

_TOPIC = "wizard"
#: Those that the welcome page has room for: what most people begin with.
_FIRST_PATTERNS = frozenset({"gemm", "flash-attention", "softmax", "norm"})


class Wizards(QObject):
    """Nothing of the wizard is loaded before it is opened."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        self._page: Deferred[WizardPage] = Deferred(self._build)
        self._page.place.setParent(controller.window)
        self._page.place.hide()
        self._kept: dict[str, Any] = {}
        controller.view.draft = self._draft
        controller.panels.navigator.pattern_activated.connect(self.choose)
        controller.starting.loaded.connect(self._on_starting_loaded)

    @property
    def page(self) -> WizardPage:
        """The page, which is built now unless it was."""
        return self._page.wake()

    @property
    def wizard(self) -> WizardController:
        """What the page shows."""
        return self._controller.session.wizard

    @property
    def is_in_front(self) -> bool:
        """Whether the page is what one sees."""
        return self._controller.window.editors.page is self._page.place

    def open(self) -> None:
        """Show what was begun, else the choice of a pattern."""
        self._show()
        page = self.page
        if page.view is None:
            page.start.sentence.setFocus()

    def open_pattern(self, pattern: str) -> None:
        """Make a kernel from a pattern, or go on where one was."""
        self.page  # noqa: B018 - builds it
        draft = self.wizard.draft
        if draft is None or draft.pattern != pattern or draft.reopened is not None:
            self.wizard.begin(pattern)
        self._show()

    def reopen(self, tab: EditorTab) -> None:
        """Choose anew what a generated document was made from."""
        self._from_document(tab, lambda document: self.wizard.reopen(document))

    def choose_port(self, tab: EditorTab) -> None:
        """Ask for a target to which the document in front is ported."""
        from workbench.core.patterns.model import PatternError
        from workbench.core.patterns.reopening import require_origin

        self._controller.files.flush(tab)
        try:
            require_origin(tab.document.parsed)
        except PatternError as error:
            self._refuse(str(error))
            return
        own = set(tab.document.targets[:1])
        choices = [each for each in self._controller.view.choices if each.name not in own]
        self._controller.pages.open_target_palette(choices, tab.document.title)

    def port(self, target: str) -> None:
        """Port the document in front to a target."""
        tab = self._controller.tab
        if tab is not None:
            self._from_document(tab, lambda document: self.wizard.port(document, target))

    def set_targets(self, names: tuple[str, ...]) -> None:
        """Generate for other targets."""
        self.wizard.set_targets(names)

    def leave(self) -> None:
        """Go back to the documents; what was chosen is kept."""
        self.page.commit()
        self.wizard.stop_checking()
        self._controller.window.editors.leave_page()
        self._controller.memory.note()

    def state(self) -> dict[str, Any]:
        """The drafts, and whether the page is in front."""
        if self._page.built is None:
            return self._kept
        return {**self.wizard.state(), "in_front": self.is_in_front}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Keep the state of an earlier window until the page is wanted."""
        self._kept = dict(state)

    def bring_back(self) -> None:
        """Show the page where it was in front when the window was closed."""
        if self._kept.get("in_front") is True:
            self.open()

    def _build(self) -> WizardPage:
        from workbench.ui.wizard.page import WizardPage  # what `Deferred` puts off

        wizard = self.wizard
        page = WizardPage(self._controller.icons, self._controller.files.lexer)
        page.start.pattern_chosen.connect(wizard.begin)
        page.start.sentence.given.connect(wizard.read)
        page.form.sentence_given.connect(wizard.read)
        page.form.value_chosen.connect(wizard.choose)
        page.form.text_typed.connect(wizard.type_text)
        page.form.goal_chosen.connect(self._on_goal_chosen)
        page.form.targets_requested.connect(self._on_targets_requested)
        page.costs.cards.target_dropped.connect(self._on_target_dropped)
        page.step_chosen.connect(wizard.go)
        page.next_requested.connect(self._on_next_requested)
        page.back_requested.connect(self._on_back_requested)
        page.recommended_requested.connect(wizard.use_recommended)
        page.other_requested.connect(self._open_result)
        page.started_over.connect(wizard.start_over)
        page.check.check_requested.connect(wizard.check_again)
        page.check.stop_requested.connect(wizard.stop_checking)
        page.left.connect(self.leave)
        page.costs.beside.told.connect(
            lambda text: self._controller.tell(text, Severity.INFO, _TOPIC)
        )
        wizard.restore(self._kept)
        wizard.changed.connect(self._on_wizard_changed)
        session = self._controller.session
        session.documents_changed.connect(lambda: wizard.note_documents(session.documents))
        self._fill(page)
        return page

    def _show(self) -> None:
        self.page  # noqa: B018 - builds it
        window = self._controller.window
        window.docks.set_quiet(
            True
        )  # before the page needs their room, so that they keep their sizes
        window.docks.set_alone(True)
        window.editors.show_page(self._page.place)
        self._on_wizard_changed()

    def _from_document(self, tab: EditorTab, what: Any) -> None:
        from workbench.core.patterns.model import PatternError
        from workbench.core.targets.table import TargetError

        self._controller.files.flush(tab)
        self.page  # noqa: B018 - builds it
        try:
            what(tab.document)
        except (PatternError, TargetError) as error:
            self._refuse(str(error))
            return
        self._show()

    def _refuse(self, text: str) -> None:
        self._controller.tell(text.replace("`", ""), Severity.WARNING, _TOPIC)

    def _on_wizard_changed(self) -> None:
        page = self._page.built
        if page is not None:
            self._fill(page)
            if self.is_in_front:
                self._controller.view.show_current()

    def _fill(self, page: WizardPage) -> None:
        from workbench.core.patterns.table import PATTERNS
        from workbench.ui.wizard.start_page import PatternRow

        view = self.wizard.view()
        if view is None:
            page.start.set_patterns(
                [PatternRow(p.id, p.title, p.summary, self.wizard.is_begun(p.id)) for p in PATTERNS]
            )
            page.start.sentence.show_sentence("", self.wizard.sentence_error)
        page.set_view(view)
        page.costs.beside.set_subject(self.wizard.lens_subject)

    def _draft(self) -> tuple[str, ToolbarView] | None:
        """What window and tool bar name while the page is in front."""
        draft = self.wizard.draft if self.is_in_front else None
        if draft is None:
            return ("New kernel", ToolbarView()) if self.is_in_front else None
        source = self.wizard.source
        name = source.title if source is not None else f"{draft.pattern} (new)"
        choices = self._controller.view.choices
        bar = ToolbarView(name, (name,), None, (), False, choices, draft.targets, is_draft=True)
        return "New kernel" if source is None else name, bar

    def choose(self, pattern: str) -> None:
        """Make a kernel from a pattern; "" leaves open from which."""
        if pattern:
            self.open_pattern(pattern)
        else:
            self.open()

    def _on_starting_loaded(self) -> None:
        """Name the patterns in navigator and welcome page: the table is loaded by now."""
        from workbench.core.patterns.table import PATTERNS
        from workbench.ui.welcome.rows import LinkRow

        entries = [PatternEntry(p.id, p.title, p.summary) for p in PATTERNS]
        self._controller.panels.navigator.set_patterns(entries)
        rows = [
            LinkRow(p.id, "grid", "accent", p.title, p.summary)
            for p in PATTERNS
            if p.id in _FIRST_PATTERNS
        ]
        more = f"{len(PATTERNS)} in all, or one sentence"
        all_rows = LinkRow("", "list", "accent", "All patterns", more, "Ctrl+N")
        self._controller.pages.show_patterns((*rows, all_rows))

    def _on_goal_chosen(self, goal: str) -> None:
        from workbench.core.patterns.model import Goal

        self.wizard.set_goal(Goal(goal))

    def _on_targets_requested(self, button: QWidget) -> None:
        draft = self.wizard.draft
        if draft is not None:
            choices = self._controller.view.choices
            menu = TargetMenu(self._controller.icons, choices, draft.targets, button)
            menu.chosen.connect(self.set_targets)
            menu.popup(button.mapToGlobal(QPoint(0, button.height() + 4)))

    def _on_target_dropped(self, name: str) -> None:
        draft = self.wizard.draft
        if draft is not None:
            self.set_targets(tuple(target for target in draft.targets if target != name))

    def _on_back_requested(self) -> None:
        if self.wizard.back():
            self.wizard.leave_pattern()

    def _on_next_requested(self) -> None:
        if not self.wizard.next():
            return
        view = self.page.view
        if view is not None and view.done is not None and view.done.other:
            self._replace()
        else:
            self._open_result()

    def _open_result(self) -> None:
        """Open the kernel as a document that is not saved yet."""
        generated = self.wizard.generated
        if generated is None:
            return
        controller = self._controller
        document = controller.session.open_text(generated.text, f"{generated.kernel}.py")
        self.wizard.finish()
        tab = controller.files.add_untitled(document)
        tab.buffer.document.setModified(True)  # it is nowhere else: closing it asks
        controller.memory.note()

    def _replace(self) -> None:
        """Put the text into the document that it came from, as one step of undo."""
        generated, document = self.wizard.generated, self.wizard.source
        tab = self._tab_of(document)
        if generated is None or tab is None:
            self._open_result()
            return
        tab.buffer.replace_text(generated.text)
        self.wizard.finish()
        self._controller.window.editors.show_tab(tab)
        self._controller.files.flush(tab)

    def _tab_of(self, document: OpenDocument | None) -> EditorTab | None:
        return self._controller.window.editors.tab_of(document) if document is not None else None
