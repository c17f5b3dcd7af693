"""The welcome page: a scrolled column of examples over three lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from workbench.core.data_files import find_data
from workbench.session.machine import Finding
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.welcome.card import ExampleCard
from workbench.ui.welcome.examples import Example, shipped_examples
from workbench.ui.welcome.grid import EvenGrid
from workbench.ui.welcome.rows import FindingRow, Hint, LinkButton, LinkRow, RecentFile, recent_row
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.labels import hairline, text_label

_WIDEST = 1158
_SIDE, _TOP, _BOTTOM = 32, 26, 12
_LOGO = 40
_LEAST_WIDTH = 400
_CARD_LEAST, _CARD_GAP = 176, 16
_LIST_LEAST, _LIST_GAP = 280, 24
_PATTERN_LEAST = 200
_MOST_RECENT = 5
_CLAIM = (
    "Design, check and compare GPU kernels, for any GPU, also for one that is not in this machine."
)
#: Keys are ids of the action table.
BEGIN = (
    LinkRow(
        "new-kernel",
        "file-plus",
        "accent",
        "New kernel from a pattern",
        "in one sentence, or choice by choice",
        "Ctrl+N",
    ),
    LinkRow("open", "open", "accent", "Open a file", "nothing runs before you trust it", "Ctrl+O"),
    LinkRow(
        "open-folder", "folder", "accent", "Open a folder", "its kernels appear beside", "Ctrl+K"
    ),
    LinkRow("quick-open", "search", "accent", "Go to a kernel", "of this folder", "Ctrl+P"),
    LinkRow(
        "palette", "list", "accent", "Search actions", "everything with its keys", "Ctrl+Shift+P"
    ),
)


class WelcomePage(QScrollArea):
    """Shows the shipped kernels; recent files and the machine are given to it."""

    #: The person wants a copy of the shipped kernel at that path.
    example_activated = Signal(str)
    #: The person wants the recent file at that path.
    file_activated = Signal(str)
    #: The person wants a kernel from the pattern of that id; "" leaves it open.
    pattern_activated = Signal(str)
    #: The person wants the action of that id.
    action_requested = Signal(str)

    def __init__(
        self,
        theme: Theme,
        icons: Icons,
        parent: QWidget | None = None,
        examples: Sequence[Example] | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._icons = theme, icons
        self._logo = QLabel()
        self._cards = EvenGrid(_CARD_LEAST, _CARD_GAP)
        self._patterns = EvenGrid(_PATTERN_LEAST, _CARD_GAP)
        self._patterns_panel = QWidget()
        self._begin, self._recent, self._machine = QWidget(), QWidget(), QWidget()
        self._lay_out()
        self._has_examples = examples is not None
        self.set_examples(examples or ())
        self.set_begin(BEGIN)
        self.set_recent(())
        self._fill(self._machine, [Hint(icons, "Looking at this machine…")])
        theme.changed.connect(self._on_theme_changed)
        self._show_logo()

    def set_examples(self, examples: Sequence[Example]) -> None:
        """Show these examples."""
        cards = [ExampleCard(self._theme, example) for example in examples]
        for card in cards:
            card.clicked.connect(self._on_card_clicked)
        self._cards.set_items(cards)

    def set_patterns(self, rows: Sequence[LinkRow]) -> None:
        """Offer these patterns; their keys are what `pattern_activated` tells."""
        self._patterns.set_items([self._link(row, self.pattern_activated.emit) for row in rows])
        self._patterns_panel.setVisible(bool(rows))

    def set_begin(self, rows: Sequence[LinkRow]) -> None:
        """Offer these actions; their keys are what `action_requested` tells."""
        self._fill(self._begin, [self._link(row, self.action_requested.emit) for row in rows])

    def set_recent(self, files: Sequence[RecentFile | Path]) -> None:
        """Show these files, the newest first; a few of them."""
        recent = [f if isinstance(f, RecentFile) else RecentFile(f) for f in files]
        links: list[QWidget] = [
            self._link(recent_row(file), self.file_activated.emit) for file in recent[:_MOST_RECENT]
        ]
        hint = "Nothing yet: files you open are listed here."
        self._fill(self._recent, links or [Hint(self._icons, hint)])

    def set_machine(self, findings: Sequence[Finding]) -> None:
        """Show what this machine has and what it lacks."""
        self._fill(self._machine, [FindingRow(self._icons, finding) for finding in findings])

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802 - Qt's name
        """Read the shipped kernels: a window that opens with a file in front does without."""
        if not self._has_examples:
            self._has_examples = True
            self.set_examples(shipped_examples(find_data("kernels")))
        super().showEvent(event)

    def event(self, event: QEvent) -> bool:
        """Draw the logo anew for a screen of another pixel ratio."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._show_logo()
        return super().event(event)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(_LEAST_WIDTH, 240)

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        self.setWidgetResizable(True)
        self.setAccessibleName("Welcome")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        column = QWidget()
        column.setMaximumWidth(_WIDEST)
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(self._head())
        layout.addSpacing(22)
        layout.addLayout(self._heading("Start from an example", "each opens as a copy of its own"))
        layout.addSpacing(10)
        layout.addWidget(self._cards)
        layout.addWidget(self._pattern_list())
        layout.addSpacing(22)
        layout.addWidget(self._lists())
        layout.addStretch(1)
        page = QWidget()
        page.setProperty("ground", "bg1")
        centre = QHBoxLayout(page)
        centre.setContentsMargins(_SIDE, _TOP, _SIDE, _BOTTOM)
        centre.addStretch(1)
        centre.addWidget(column, 1000)
        centre.addStretch(1)
        self.setWidget(page)

    def _pattern_list(self) -> QWidget:
        """Empty until the patterns are given."""
        layout = QVBoxLayout(self._patterns_panel)
        layout.setContentsMargins(0, 20, 0, 0)
        layout.setSpacing(8)
        layout.addLayout(self._heading("Start from a pattern", "each asks for what it needs"))
        layout.addWidget(hairline(strong=True))
        layout.addWidget(self._patterns)
        self._patterns_panel.hide()
        return self._patterns_panel

    def _head(self) -> QHBoxLayout:
        title = text_label(self._theme, "TileLang Workbench", TextRole.PAGE_TITLE, "fg")
        claim = text_label(self._theme, _CLAIM, TextRole.CONCLUSION, "fg2")
        claim.setWordWrap(True)
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(title)
        texts.addWidget(claim)
        head = QHBoxLayout()
        head.setSpacing(20)
        self._logo.setFixedSize(_LOGO, _LOGO)
        head.addWidget(self._logo, 0, Qt.AlignmentFlag.AlignVCenter)
        head.addLayout(texts, 1)
        return head

    def _heading(self, text: str, note: str) -> QHBoxLayout:
        heading = QHBoxLayout()
        heading.setSpacing(8)
        heading.addWidget(text_label(self._theme, text, TextRole.HEADING, "fg"))
        heading.addWidget(ElidedLabel(self._theme, note, TextRole.BODY, "fg3"), 1)
        return heading

    def _lists(self) -> QWidget:
        grid = EvenGrid(_LIST_LEAST, _LIST_GAP)
        self._lists_grid = grid
        titles = ("Begin", "Recent", "This machine")
        bodies = (self._begin, self._recent, self._machine)
        grid.set_items([self._list(t, body) for t, body in zip(titles, bodies, strict=True)])
        return grid

    def _list(self, title: str, body: QWidget) -> QWidget:
        panel = QWidget()
        layout = QVBoxLayout(panel)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(text_label(self._theme, title, TextRole.HEADING, "fg"))
        layout.addWidget(hairline(strong=True))
        rows = QVBoxLayout(body)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(0)
        layout.addWidget(body)
        layout.addStretch(1)
        return panel

    def _fill(self, body: QWidget, rows: Sequence[QWidget]) -> None:
        """Other rows for a list; those of before are deleted."""
        layout = body.layout()
        assert layout is not None
        while (item := layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        for row in rows:
            layout.addWidget(row)
        self._lists_grid.refresh()

    def _link(self, row: LinkRow, answer: Callable[[str], None]) -> LinkButton:
        link = LinkButton(self._icons, row)
        link.clicked.connect(lambda: answer(row.key))
        return link

    def _on_card_clicked(self) -> None:
        card = self.sender()
        assert isinstance(card, ExampleCard)
        self.example_activated.emit(str(card.example.path))

    def _on_theme_changed(self) -> None:
        self._show_logo()

    def _show_logo(self) -> None:
        self._logo.setPixmap(self._icons.logo(_LOGO, self.devicePixelRatioF()))
