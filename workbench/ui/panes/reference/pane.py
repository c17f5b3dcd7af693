"""The pane of the reference: its head, the list of pages, and the page beside or below it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from workbench.core.reference.library import HOME, Library
from workbench.core.reference.model import PageKind
from workbench.ui.panes.reference.findings import Findings
from workbench.ui.panes.reference.header import ReferenceHeader
from workbench.ui.panes.reference.page_view import PageView
from workbench.ui.panes.reference.result_list import ResultList
from workbench.ui.panes.reference.rows import CLOSED, contents, found
from workbench.ui.panes.reference.trail import Trail
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.labels import divider

_WIDE = 820  # px from which on list and page have room side by side
_LIST_WIDTH = 300
_UNBOUNDED = 16_777_215  # Qt's QWIDGETSIZE_MAX


class ReferencePane(QWidget):
    """Shows a library; where it is narrow the list takes the page's place while it is wanted."""

    #: A page is read: its slug.
    page_shown = Signal(str)
    example_requested = Signal(str)
    source_requested = Signal(str, int)
    line_requested = Signal(int)
    panel_requested = Signal(str)
    fix_requested = Signal(object, object)
    code_copied = Signal()
    #: The names of TileLang are wanted once more.
    retry_requested = Signal()

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._library = Library(())
        self._trail = Trail()
        self._findings: tuple[str, Findings | None] = ("", None)
        self._open = set(PageKind) - CLOSED
        self._lists = False  # the person wants the list where there is room for one of both
        self._header = ReferenceHeader(icons)
        self._list = ResultList(icons)
        self._view = PageView(theme)
        self._empty = EmptyState(icons, "search", "Nothing found.")
        self._side = QStackedWidget()
        self._line = divider()
        self._line.setMinimumHeight(0)
        self._line.setMaximumHeight(_UNBOUNDED)
        self._lay_out()
        self._connect()

    @property
    def slug(self) -> str | None:
        """The page that is read."""
        return self._trail.current

    @property
    def view(self) -> PageView:
        """The page."""
        return self._view

    @property
    def result_list(self) -> ResultList:
        """The list of pages."""
        return self._list

    @property
    def header(self) -> ReferenceHeader:
        """The head."""
        return self._header

    def set_library(self, library: Library) -> None:
        """Show other pages; the one that is read stays, where it is still there."""
        self._library = library
        self._refresh_list()
        self._show_current()

    def set_names_state(self, text: str, is_reading: bool, has_failed: bool) -> None:
        """Say that the names of TileLang are read, or why they are not there."""
        self._header.set_notice(text if is_reading or has_failed else "", has_failed)

    def open_page(self, slug: str) -> bool:
        """Read the page of a slug, a code or a name; False where there is none."""
        page = self._library.page(slug)
        if page is None:
            return False
        self._trail.open(page.slug)
        self._lists = False
        self._show_current()
        self._arrange()
        return True

    def search(self, query: str) -> None:
        """Search for something, and show what is found."""
        self._header.set_query(query)
        self._on_query_changed()

    def focus_search(self) -> None:
        """Put the cursor into the search."""
        self._header.focus_search()

    def set_findings(self, slug: str, findings: Findings | None) -> None:
        """Say what a page has to do with the kernel in front."""
        self._findings = (slug, findings)
        self._show_page()

    def back(self) -> None:
        """Go to the page before."""
        self._trail.back()
        self._lists = False
        self._show_current()
        self._arrange()

    def forward(self) -> None:
        """Go to the page after."""
        self._trail.forward()
        self._lists = False
        self._show_current()
        self._arrange()

    def state(self) -> dict[str, Any]:
        """The page and what of the list is open, as JSON can hold them."""
        kinds = sorted(kind.value for kind in self._open)
        return {"version": 1, "page": self.slug, "open": kinds}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a saved state back; another version's is left alone."""
        if state.get("version") != 1:
            return
        kinds = state.get("open")
        if isinstance(kinds, list):
            self._open = {kind for kind in PageKind if kind.value in kinds}
        page = state.get("page")
        if isinstance(page, str):
            self._trail.open(page)
        self._refresh_list()
        self._show_current()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.matches(QKeySequence.StandardKey.Find):
            self.focus_search()
        elif event.matches(QKeySequence.StandardKey.Back):
            self.back()
        elif event.matches(QKeySequence.StandardKey.Forward):
            self.forward()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._arrange()

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        self._side.addWidget(self._list)
        self._side.addWidget(self._empty)
        body = QWidget()
        row = QHBoxLayout(body)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._side)
        row.addWidget(self._line)
        row.addWidget(self._view, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._header)
        layout.addWidget(body, 1)
        self.setFocusProxy(self._header)
        self.setTabOrder(self._header, self._list)
        self.setTabOrder(self._list, self._view)

    def _connect(self) -> None:
        header, view = self._header, self._view
        header.back_requested.connect(self.back)
        header.forward_requested.connect(self.forward)
        header.contents_toggled.connect(self._on_contents_toggled)
        header.query_changed.connect(self._on_query_changed)
        header.step_requested.connect(self._on_step_requested)
        header.choice_requested.connect(self._list.choose_current)
        header.retry_requested.connect(self.retry_requested)
        self._list.page_chosen.connect(self.open_page)
        self._list.heading_toggled.connect(self._on_heading_toggled)
        self._empty.action_triggered.connect(lambda: self._header.set_query(""))
        view.page_requested.connect(self.open_page)
        view.example_requested.connect(self.example_requested)
        view.source_requested.connect(self.source_requested)
        view.line_requested.connect(self.line_requested)
        view.panel_requested.connect(self.panel_requested)
        view.fix_requested.connect(self.fix_requested)
        view.copied.connect(self.code_copied)

    def _on_query_changed(self) -> None:
        self._lists = bool(self._header.query)
        self._refresh_list()
        self._arrange()

    def _on_contents_toggled(self, is_wanted: bool) -> None:
        self._lists = is_wanted
        self._arrange()

    def _on_step_requested(self, by: int) -> None:
        self._lists = True
        self._arrange()
        self._list.step(by)

    def _on_heading_toggled(self, kind: PageKind) -> None:
        self._open ^= {kind}
        place = self._list.verticalScrollBar().value()
        self._refresh_list()
        self._list.verticalScrollBar().setValue(place)

    def _refresh_list(self) -> None:
        query = self._header.query
        rows = found(self._library, query) if query else contents(self._library, self._open)
        self._list.set_rows(rows)
        if query:
            self._list.step(1)
        else:
            self._list.select(self.slug)
        if query and not rows:
            sentence = f"Nothing in the reference has to do with “{query}”. Try a shorter word."
            self._empty.set_content("search", sentence, "Show all pages")
        self._side.setCurrentWidget(self._list if rows or not query else self._empty)

    def _show_current(self) -> None:
        """Show the page that is read, else the first one."""
        if self.slug is None and self._library.page(HOME) is not None:
            self._trail.open(HOME)
        self._header.set_ways(self._trail.can_go_back, self._trail.can_go_forward)
        if not self._header.query:
            self._list.select(self.slug)
        self._show_page()
        if self.slug is not None and self._view.page is not None:
            self.page_shown.emit(self.slug)

    def _show_page(self) -> None:
        page = self._library.page(self.slug) if self.slug is not None else None
        if page is not None:
            slug, findings = self._findings
            self._view.show_page(page, findings if slug == page.slug else None)

    def _arrange(self) -> None:
        """Side by side where both have room, else the one that is wanted."""
        is_wide = self.width() >= _WIDE
        shows_list = is_wide or self._lists
        self._header.set_contents(self._lists, not is_wide)
        self._side.setVisible(shows_list)
        self._line.setVisible(is_wide)
        self._view.setVisible(is_wide or not self._lists)
        if is_wide:
            self._side.setFixedWidth(_LIST_WIDTH)
        else:
            self._side.setMinimumWidth(0)
            self._side.setMaximumWidth(_UNBOUNDED)
        self._list.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
