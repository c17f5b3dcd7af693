"""Keeps the window's views of the current document true: tool bar, problems, panes, signs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from workbench.session.open_document import OpenDocument
from workbench.session.session import Session
from workbench.ui.editor_area import EditorTab
from workbench.ui.main_window import MainWindow
from workbench.ui.panels import Panels
from workbench.ui.target_menu import TargetChoice, target_choices
from workbench.ui.toolbar import ToolbarView

if TYPE_CHECKING:
    from workbench.ui.findings_view import FindingsView


class KernelView(QObject):
    """Shows the session's document that is in front, and again whenever it changes."""

    def __init__(self, window: MainWindow, session: Session, panels: Panels) -> None:
        super().__init__(window)
        self._window, self._session, self._panels = window, session, panels
        self._choices = target_choices(session.targets)
        self._found: FindingsView | None = None
        self._is_waiting = self._is_starting = False
        #: Names the kernel that a page makes, with what the tool bar shows of it.
        self.draft: Callable[[], tuple[str, ToolbarView] | None] = lambda: None
        window.editors.current_changed.connect(self.show_current)
        window.editors.titles_changed.connect(self._show_name)
        window.editors.cursor_moved.connect(window.status.set_cursor)
        session.document_changed.connect(self._on_session_document_changed)
        session.results.changed.connect(self._on_session_document_changed)
        session.trust_changed.connect(self.show_current)
        self.show_current()

    @property
    def tab(self) -> EditorTab | None:
        """The tab in front."""
        return self._window.editors.current

    @contextmanager
    def starting(self) -> Iterator[None]:
        """Wait until everything is open, then show the document without what is found in it.

        `show_current` shows the rest; it is for when the window has been painted.
        """
        self._is_waiting = True
        try:
            yield
        finally:
            self._is_waiting = False
        self._is_starting = True
        self.show_current()
        self._is_starting = False

    def show_current(self) -> None:
        """Show the document in front, or that there is none."""
        if self._is_waiting:
            return
        tab = self.tab
        self._window.actions_table.set_document_open(tab is not None)
        self._window.docks.set_quiet(tab is None)
        self._window.docks.set_alone(self._window.editors.page is not None)
        self._show_name()
        if tab is None:
            self._show_nothing()
            return
        self._window.status.set_cursor(*tab.current.cursor_place)
        self._show(tab)

    def _show_name(self) -> None:
        tab, draft = self.tab, self._draft()
        name = self._window.editors.title_of(tab) if tab is not None else None
        name = draft[0] if draft is not None else name
        self._window.set_document_name(name)

    def _draft(self) -> tuple[str, ToolbarView] | None:
        return self.draft() if self._window.editors.page is not None else None

    @property
    def choices(self) -> tuple[TargetChoice, ...]:
        """Every target that can be chosen."""
        return self._choices

    def _show_nothing(self) -> None:
        draft = self._draft()
        self._window.toolbar.set_view(draft[1] if draft is not None else ToolbarView())
        self._window.status.set_cursor(0, 0)
        self._window.status.set_signs(None)
        self._panels.show_nothing()

    def _show(self, tab: EditorTab) -> None:
        document = tab.document
        self._window.toolbar.set_view(self._toolbar_view(document))
        kernel = document.chosen_kernel
        self._window.docks.set_needed("arguments", kernel is None or bool(kernel.parameters))
        if self._is_starting:
            self._panels.show_case(document)
            return
        targets = [self._session.targets.resolve(name) for name in document.targets]
        self._findings().show(tab, targets)

    def _findings(self) -> FindingsView:
        if self._found is None:
            from workbench.ui.findings_view import FindingsView  # what a start puts off

            self._found = FindingsView(self._window, self._session, self._panels)
        return self._found

    def _toolbar_view(self, document: OpenDocument) -> ToolbarView:
        return ToolbarView(
            document.kernel,
            tuple(k.name for k in document.readable.kernels),
            document.case,
            tuple(case.name for case in document.cases),
            bool(document.overrides),
            self._choices,
            document.targets,
        )

    def _on_session_document_changed(self, document: OpenDocument) -> None:
        tab = self.tab
        if tab is not None and tab.document is document and not self._is_waiting:
            self._show(tab)
