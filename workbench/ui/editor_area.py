"""The middle of the window: a tab for each open document, the welcome page while there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import (
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.session.open_document import OpenDocument
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor.completion import CompletionProvider
from workbench.ui.editor.editor import CodeEditor
from workbench.ui.tab_titles import tab_titles
from workbench.ui.theme.icons import Icons

MOST_VIEWS = 3


@dataclass
class EditorTab:
    """One document's tab: its buffer, and the views of it side by side."""

    document: OpenDocument
    buffer: DocumentBuffer
    splitter: QSplitter
    editors: list[CodeEditor] = field(default_factory=list)

    @property
    def current(self) -> CodeEditor:
        """The view that has or last had the focus."""
        focused = [e for e in self.editors if e.isAncestorOf(e.window().focusWidget() or e)]
        return focused[0] if focused else self.editors[0]


class EditorArea(QWidget):
    """Tabs that move and close; the state of a document shows in its tab."""

    current_changed = Signal()
    #: Tabs say something else than before.
    titles_changed = Signal()
    close_requested = Signal(object)
    cursor_moved = Signal(int, int)
    fixes_requested = Signal(int)

    def __init__(
        self,
        icons: Icons,
        welcome: QWidget,
        provider: CompletionProvider | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icons, self._provider = icons, provider
        self._tabs = QTabWidget()
        self._tabs.setDocumentMode(True)
        self._tabs.setMovable(True)
        self._tabs.setTabsClosable(True)
        self._tabs.setElideMode(Qt.TextElideMode.ElideMiddle)
        self._tabs.tabBar().setAccessibleName("Open documents")
        self._entries: dict[QWidget, EditorTab] = {}
        #: Shows what is known of a place of an editor; False where there is nothing to show.
        self.hover: Callable[[CodeEditor, QPoint], bool] | None = None
        self._welcome = welcome
        self._stack = QStackedWidget()
        self._stack.addWidget(welcome)
        self._stack.addWidget(self._tabs)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)
        self._tabs.currentChanged.connect(self._on_tabs_current_changed)
        self._tabs.tabCloseRequested.connect(self._on_tabs_tab_close_requested)

    @property
    def tabs(self) -> list[EditorTab]:
        """The open tabs in their order."""
        widgets = [self._tabs.widget(i) for i in range(self._tabs.count())]
        return [self._entries[widget] for widget in widgets if widget is not None]

    @property
    def current(self) -> EditorTab | None:
        """The tab in view; None while the welcome page or another is."""
        if self._stack.currentWidget() is not self._tabs:
            return None
        widget = self._tabs.currentWidget()
        return self._entries.get(widget) if widget is not None else None

    @property
    def behind(self) -> EditorTab | None:
        """The tab in view, or the one that a page stands before; None without any."""
        return self._entries.get(self._tabs.currentWidget()) if self._tabs.count() else None

    def tab_of(self, document: OpenDocument) -> EditorTab | None:
        """The tab of a document."""
        return next((t for t in self._entries.values() if t.document is document), None)

    def open(self, document: OpenDocument, buffer: DocumentBuffer) -> EditorTab:
        """Show a document in a new tab."""
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        tab = EditorTab(document, buffer, splitter)
        self._entries[splitter] = tab
        self._add_view(tab)
        buffer.modification_changed.connect(lambda *_: self.update_tab(tab))
        buffer.path_changed.connect(lambda: self.update_tab(tab))
        self._tabs.addTab(splitter, document.title)
        self.update_tab(tab)
        self.show_tab(tab)
        return tab

    def show_tab(self, tab: EditorTab) -> None:
        """Bring a tab to the front and the cursor into it."""
        self._tabs.setCurrentWidget(tab.splitter)
        self._bring(self._tabs)
        tab.current.setFocus()
        self.current_changed.emit()

    def show_welcome(self) -> None:
        """Show the welcome page; the tabs stay."""
        self._bring(self._welcome)
        self._welcome.setFocus()
        self.current_changed.emit()

    @property
    def page(self) -> QWidget | None:
        """The page that stands in place of the tabs, other than the welcome page."""
        shown = self._stack.currentWidget()
        return None if shown in (self._welcome, self._tabs) else shown

    def show_page(self, page: QWidget) -> None:
        """Show a page in place of the tabs, which stay."""
        if self._stack.indexOf(page) < 0:
            self._stack.addWidget(page)
        self._bring(page)
        page.setFocus()
        self.current_changed.emit()

    def _bring(self, widget: QWidget) -> None:
        """Bring it to the front; a page behind takes no room from the panels."""
        for at in range(self._stack.count()):
            page = self._stack.widget(at)
            if page not in (self._tabs, self._welcome, None):
                shown = page is widget
                policy = QSizePolicy.Policy.Preferred if shown else QSizePolicy.Policy.Ignored
                page.setSizePolicy(policy, policy)
        self._stack.setCurrentWidget(widget)

    def leave_page(self) -> None:
        """Go back to the tabs, or to the welcome page where there are none."""
        if self.behind is not None:
            self.show_tab(self.behind)
        else:
            self.show_welcome()

    def remove(self, tab: EditorTab) -> None:
        """Take a tab away; its document is closed by whoever owns it."""
        self._tabs.removeTab(self._tabs.indexOf(tab.splitter))
        del self._entries[tab.splitter]
        tab.splitter.deleteLater()
        tab.buffer.deleteLater()
        self._retitle()
        if not self._entries and self.page is None:
            self.show_welcome()

    def split(self, tab: EditorTab) -> None:
        """Show the document once more beside itself."""
        if len(tab.editors) >= MOST_VIEWS:
            return
        line, column = tab.current.cursor_place
        editor = self._add_view(tab)
        editor.go_to(line, column)
        tab.splitter.setSizes([1] * len(tab.editors))
        editor.setFocus()

    def close_view(self, tab: EditorTab) -> bool:
        """Take the current view of several away; False where there is only one."""
        if len(tab.editors) < 2:
            return False
        editor = tab.current
        tab.editors.remove(editor)
        editor.setParent(None)
        editor.deleteLater()
        tab.current.setFocus()
        return True

    def update_tab(self, tab: EditorTab) -> None:
        """Tell in the tab whether there is something to save."""
        self._retitle()
        index = self._tabs.indexOf(tab.splitter)
        modified = tab.buffer.is_modified or tab.document.path is None
        self._tabs.setTabIcon(index, self._icons.icon("dot" if modified else "file", "fg3", 12))
        where = str(tab.document.path) if tab.document.path else "not saved yet"
        self._tabs.setTabToolTip(index, where)

    def title_of(self, tab: EditorTab) -> str:
        """What a tab says: the name of its document, told apart from equal ones."""
        return self._tabs.tabText(self._tabs.indexOf(tab.splitter))

    def _retitle(self) -> None:
        """Name every tab anew: one that opens or closes may change what tells others apart."""
        documents = [(tab.document.title, tab.document.path) for tab in self.tabs]
        before = [self._tabs.tabText(index) for index in range(self._tabs.count())]
        titles = tab_titles(documents)
        for index, title in enumerate(titles):
            self._tabs.setTabText(index, title)
        if titles != before:
            self.titles_changed.emit()

    def _add_view(self, tab: EditorTab) -> CodeEditor:
        editor = CodeEditor(self._icons, tab.buffer, self._provider)
        editor.cursor_moved.connect(self.cursor_moved)
        editor.fixes_requested.connect(self.fixes_requested)
        editor.view.hover = lambda point: self.hover is not None and self.hover(editor, point)
        tab.splitter.addWidget(editor)
        tab.editors.append(editor)
        return editor

    def _on_tabs_current_changed(self) -> None:
        self.current_changed.emit()

    def _on_tabs_tab_close_requested(self, index: int) -> None:
        widget = self._tabs.widget(index)
        if widget is not None:
            self.close_requested.emit(self._entries[widget])
