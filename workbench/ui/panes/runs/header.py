"""The head of the list of runs: its conclusion, its filter, and what is done with all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from workbench.core.history import FileIdentity, RowProblem, RunFilter
from workbench.ui.panes.runs.filters import FilterButton
from workbench.ui.panes.runs.of_file import OfFile
from workbench.ui.panes.runs.wording import no_match, none_of
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.chip import Chip
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.search_field import SearchField

_HEIGHT = 36
_SEARCH_WIDTH = 200
_ROOM_FOR_SEARCH, _ROOM_FOR_WORDS = 420, 640
#: Words are looked for when so long nothing was typed.
_PAUSE_MS = 60


class RunsHeader(QWidget):
    """Holds the filter of the list; `of_file` is its part for the file in front."""

    #: Other runs are wanted.
    filter_changed = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._summary = ElidedLabel(icons.theme, "", TextRole.STRONG_LABEL, "fg")
        self._unreadable = Chip(icons.theme, "", "warn")
        self.search = SearchField(icons, "Filter runs")
        self.filter = FilterButton(icons)
        self.of_file = OfFile(icons, self.filter, self)
        self.compare = FlatToolButton(icons, "The selected runs side by side", "Compare")
        self.clean_up = FlatToolButton(icons, "Make room in the history…")
        self.details = FlatToolButton(icons, "Show details")
        self._typing = QTimer(self)
        self._typing.setSingleShot(True)
        self._typing.setInterval(_PAUSE_MS)
        self._lay_out()
        self.search.textChanged.connect(lambda _: self._typing.start())
        self._typing.timeout.connect(self.filter_changed)
        self.filter.changed.connect(self.filter_changed)

    @property
    def wanted(self) -> RunFilter:
        """Which runs the person wants to see."""
        return replace(self.filter.value, search=" ".join(self.search.text().split()) or None)

    @property
    def file(self) -> FileIdentity | None:
        """The file whose runs are listed, or those that are offered to it."""
        return self.filter.file if self.of_file.is_on else None

    @property
    def is_of_file_alone(self) -> bool:
        """Whether all runs of the file are wanted, and its button is all that filters."""
        return self.file is not None and self.wanted == RunFilter(document=self.file.path)

    @property
    def why_empty(self) -> str:
        """Why no run agrees with the filter."""
        wanted, file = self.wanted, self.file
        if file is not None and self.is_of_file_alone:
            return none_of(file.name)
        return no_match(", ".join(each for each in (wanted.search, self.filter.words) if each))

    def tell(self, summary: str, problems: Sequence[RowProblem]) -> None:
        """Say the conclusion of the list, and what of it cannot be read."""
        self._summary.set_text(summary)
        self._unreadable.setText(f"{len(problems)} unreadable")
        self._unreadable.setToolTip("\n".join(problem.message for problem in problems))
        self._unreadable.setVisible(bool(problems))

    def set_selected(self, count: int, can_compare: bool) -> None:
        """Offer to compare the runs that are selected."""
        self.compare.setText(f"Compare {count}")
        self.compare.setVisible(can_compare)

    def clear(self) -> None:
        """Want all runs."""
        self.search.clear()
        self.filter.clear()
        self.search.setFocus()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        typed = bool(self.search.text()) or self.search.hasFocus()
        self.search.setVisible(typed or self.width() >= _ROOM_FOR_SEARCH)
        self.of_file.set_slim(self.width() < _ROOM_FOR_WORDS)

    def _lay_out(self) -> None:
        self.filter.set_icon("filter", "fg2")
        self.compare.set_icon("compare", "fg2")
        self.compare.hide()
        self.clean_up.set_icon("trash", "fg3")
        self.details.set_icon("list", "fg3")
        self.details.setCheckable(True)
        self.search.setFixedWidth(_SEARCH_WIDTH)
        self.setFixedHeight(_HEIGHT)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 4, 12, 4)
        row.addWidget(self._summary, 1)
        parts: tuple[QWidget, ...] = (
            self.compare,
            self._unreadable,
            self.of_file.button,
            self.filter,
            self.search,
            self.clean_up,
            self.details,
        )
        for part in parts:
            row.addWidget(part)
