"""The page that is read: rich text whose links say what they do."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, QUrl, Signal
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from workbench.core.reference.guide_pages import PANEL
from workbench.core.reference.model import Page
from workbench.ui.panes.reference import applied_html, page_html
from workbench.ui.panes.reference.dress import NO_LIGATURE, Dress
from workbench.ui.panes.reference.findings import Findings
from workbench.ui.theme.theme import Theme

_INSET = 16


class PageView(QTextBrowser):
    """Shows one page; never leaves it by itself and loads nothing."""

    #: The person wants to read the page of that slug.
    page_requested = Signal(str)
    #: The person wants a copy of the shipped kernel in that file.
    example_requested = Signal(str)
    #: The person wants to see a file of TileLang at a line.
    source_requested = Signal(str, int)
    #: The person wants to go to a line of the document in front.
    line_requested = Signal(int)
    #: The person wants to see a panel of the window, by its key.
    panel_requested = Signal(str)
    #: The person wants the fix of the problem made.
    fix_requested = Signal(object, object)
    #: A piece of code is in the clipboard.
    copied = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: page_html.Shown | None = None
        self.setOpenLinks(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("kind", "plain")
        self.setAccessibleName("Page")
        # A bar that comes with the text takes its width after tables have theirs.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.document().setDocumentMargin(_INSET)
        self.anchorClicked.connect(self._on_anchor_clicked)
        theme.changed.connect(self._write)

    @property
    def page(self) -> Page | None:
        """The page shown."""
        return self._shown.page if self._shown is not None else None

    def show_page(self, page: Page, findings: Findings | None = None) -> None:
        """Show a page from its top; the same page again stays where it is."""
        wanted = page_html.Shown(page, findings)
        if wanted == self._shown:
            return
        is_same = self.page is not None and self.page.slug == page.slug
        self._shown = wanted
        place = self.verticalScrollBar().value() if is_same else 0
        self._write()
        self.verticalScrollBar().setValue(place)

    def loadResource(self, kind: int, name: QUrl | str) -> object:  # noqa: N802 - Qt's name
        """Nothing: a page is whole, and no link reaches out of the window."""
        return None

    def createMimeDataFromSelection(self) -> QMimeData:  # noqa: N802 - Qt's name
        """What is selected, without the marks that keep ligatures apart."""
        data = super().createMimeDataFromSelection()
        plain = QMimeData()
        plain.setText(data.text().replace(NO_LIGATURE, ""))
        return plain

    def _write(self) -> None:
        if self._shown is None:
            return
        dress = Dress(self._theme)
        place = self.verticalScrollBar().value()
        document: QTextDocument = self.document()
        document.setDefaultStyleSheet(dress.body())
        self.setHtml(page_html.page_html(self._shown, dress))
        self.verticalScrollBar().setValue(place)

    def _on_anchor_clicked(self, url: QUrl) -> None:
        self.follow(url.toString(QUrl.ComponentFormattingOption.FullyDecoded))

    def follow(self, link: str) -> None:
        """Do what a link says."""
        kind, _, rest = link.partition(":")
        handlers = {
            page_html.PAGE: self.page_requested.emit,
            PANEL: self.panel_requested.emit,
            page_html.COPY: self._copy,
            page_html.OPEN: self.example_requested.emit,
            page_html.SOURCE: self._show_source,
            applied_html.LINE: lambda line: self.line_requested.emit(int(line)),
            applied_html.FIX: self._fix,
        }
        handler = handlers.get(f"{kind}:")
        if handler is not None:
            handler(rest)

    def _copy(self, number: str) -> None:
        if self.page is not None:
            QGuiApplication.clipboard().setText(self.page.codes[int(number)].text)
            self.copied.emit()

    def _show_source(self, rest: str) -> None:
        line, _, file = rest.partition(":")
        self.source_requested.emit(file, int(line))

    def _fix(self, number: str) -> None:
        if self._shown is not None and self._shown.findings is not None:
            offered = self._shown.findings.fixes[int(number)]
            self.fix_requested.emit(offered.problem, offered.fix)
