"""The first page: one sentence, or one of the patterns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.welcome.grid import EvenGrid
from workbench.ui.welcome.rows import LinkRow
from workbench.ui.widgets.labels import hairline, text_label
from workbench.ui.wizard.pattern_card import PatternCard
from workbench.ui.wizard.sentence_field import SentenceField

_LEAST, _GAP, _WIDEST = 320, 8, 1120


@dataclass(frozen=True)
class PatternRow:
    """A pattern in the list; `is_begun` where something was chosen of it already."""

    id: str
    title: str
    summary: str
    is_begun: bool = False


class StartPage(QScrollArea):
    """Patterns stand in the order of the table."""

    pattern_chosen = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.sentence = SentenceField(icons)
        self._list = QVBoxLayout()
        self._list.setSpacing(6)
        self._rows: tuple[PatternRow, ...] = ()
        self.links: list[PatternCard] = []
        self.setProperty("ground", "bg1")
        self.setWidgetResizable(True)
        self.setAccessibleName("New kernel from a pattern")
        self._lay_out()

    def set_patterns(self, rows: Sequence[PatternRow]) -> None:
        """Show these patterns."""
        if tuple(rows) == self._rows:
            return
        self._rows, self.links = tuple(rows), []
        while (item := self._list.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        grid = EvenGrid(_LEAST, _GAP)
        grid.set_items([self._link(row) for row in rows])
        self._list.addWidget(grid)

    def _link(self, row: PatternRow) -> PatternCard:
        note = "begun" if row.is_begun else ""
        tip = f"{row.title}: {row.summary}"
        link = PatternCard(
            self._icons, LinkRow(row.id, "cube", "accent", row.title, row.summary, note, tip)
        )
        link.clicked.connect(lambda: self.pattern_chosen.emit(row.id))
        self.links.append(link)
        return link

    def _lay_out(self) -> None:
        theme = self._icons.theme
        column = QWidget()
        column.setMaximumWidth(_WIDEST)
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(text_label(theme, "New kernel from a pattern", TextRole.TITLE, "fg"))
        text = "Say it in one sentence, or choose a pattern; what is missing is asked for."
        layout.addWidget(text_label(theme, text, TextRole.CONCLUSION, "fg2"))
        layout.addSpacing(8)
        layout.addWidget(self.sentence)
        layout.addSpacing(12)
        layout.addWidget(text_label(theme, "Patterns", TextRole.HEADING, "fg"))
        layout.addWidget(hairline(strong=True))
        layout.addLayout(self._list)
        layout.addStretch(1)
        page = QWidget()
        page.setProperty("ground", "bg1")
        centre = QHBoxLayout(page)
        inset = METRICS.wizard_inset
        centre.setContentsMargins(inset + 8, inset, inset + 8, inset)
        centre.addStretch(1)
        centre.addWidget(column, 1000)
        centre.addStretch(1)
        self.setWidget(page)
