"""The numbers of a profile: one table at a time, with the sentence that it comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from workbench.session.profile.numbers import LineRow, Numbers
from workbench.session.profile.view import ProfileView
from workbench.ui.lenses.picture_view import PictureView
from workbench.ui.panes.profile.columns import COMPARED, COUNTERS, LINES, STALLS
from workbench.ui.panes.profile.series_painting import SeriesPainting
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.data_table import DataTable
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.search_field import SearchField
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch

_SEGMENTS = (
    Segment("compared", "Predicted", "What was predicted beside what was measured"),
    Segment("counters", "Counters", "What the hardware counted, by group"),
    Segment("stalls", "Stalls", "What warps waited for"),
    Segment("lines", "Lines", "What was counted for each line of the document"),
    Segment("series", "Shapes", "The time over the shapes that were measured"),
)
_SEARCHED = ("compared", "counters", "lines")
_SHORT = 4  # rows that need no search
_MOST_ROWS, _HEAD = 8, 88  # rows that are wanted in sight; the px above them
_NO_SERIES = "Measure the kernel with other arguments, or all its cases, to see its time over them."
_NOTHING = "No numbers yet."


@dataclass(frozen=True)
class _Lack:
    """Why a table is empty, and the action that fills it."""

    text: str
    action: str = ""


class NumbersPanel(QWidget):
    """Tables sort, filter and copy; a line of the document leads to the editor."""

    #: The person wants to see that line of the kernel.
    line_requested = Signal(int)
    #: The person wants the kernel measured with counters; True: with all that are known.
    counters_requested = Signal(bool)
    #: The person wants every case measured.
    cases_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view: ProfileView | None = None
        self._tables: dict[str, DataTable[Any]] = {
            "compared": DataTable(icons, "Predicted beside measured", COMPARED),
            "counters": DataTable(icons, "Counters", COUNTERS),
            "stalls": DataTable(icons, "Stalls of warps", STALLS),
            "lines": DataTable(icons, "Lines", LINES, lambda row: row.line),
        }
        self._series = PictureView(icons.theme)
        self._empty = EmptyState(icons, "table", _NOTHING)
        self._switch = SegmentedSwitch(icons, "Which numbers", _SEGMENTS)
        self._search = SearchField(icons, "Filter")
        self._count = push_button(icons, "With counters", "link")
        self._count.setToolTip("Measure again and read the counters of the hardware")
        self._sentence = ElidedLabel(icons.theme, "", TextRole.LABEL, "fg3")
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect()
        self._switch.set_current("compared")

    @property
    def current(self) -> str:
        """The key of the table in front."""
        return self._switch.current or "compared"

    @property
    def sentence(self) -> str:
        """What is said above the table."""
        return self._sentence.text

    @property
    def series(self) -> PictureView:
        """What the series of shapes is painted in."""
        return self._series

    @property
    def wanted_height(self) -> int:
        """The px that a table of few rows needs, and a long one to be read."""
        rows = min(self._tables["compared"].row_count(), _MOST_ROWS)
        return _HEAD + METRICS.row_height * max(rows, 1)

    def table(self, key: str) -> DataTable[Any]:
        """A table by its key; KeyError for the series and the unknown."""
        return self._tables[key]

    def show_view(self, view: ProfileView) -> None:
        """Show the numbers of another profile."""
        self._view = view
        numbers = view.numbers
        self._tables["compared"].set_rows(numbers.compared)
        self._tables["counters"].set_rows(numbers.counters)
        self._tables["stalls"].set_rows(numbers.stalls)
        self._tables["lines"].set_rows(numbers.lines)
        kernels = {row.kernel for row in numbers.counters}
        self._tables["counters"].setColumnHidden(len(COUNTERS) - 1, len(kernels) < 2)
        painting = SeriesPainting(view.series, view.mark) if view.series is not None else None
        words = view.series.conclusion if view.series is not None else ""
        self._series.set_picture(painting, f"Shapes: {words}" if words else "")
        self.choose(self.current)

    def choose(self, key: str) -> None:
        """Show one of the tables, or why there is nothing in it."""
        self._switch.set_current(key)
        lack = self._lack(key)
        self._search.setVisible(key in _SEARCHED and lack is None and self._is_long(key))
        self._count.setVisible(key == "compared" and self._can_count)
        if lack is not None:
            self._empty.set_content("table", lack.text, lack.action or None)
            self._stack.setCurrentWidget(self._empty)
        else:
            self._stack.setCurrentWidget(self._tables.get(key, self._series))
        self._sentence.set_text(self._words(key) if lack is None else "")

    def show_line(self, line: int) -> None:
        """Bring a line of the document into view where it is counted."""
        table = self._tables["lines"]
        for at, row in enumerate(table.rows()):
            if row.line == line:
                table.selectRow(at)

    def copy_markdown(self) -> None:
        """Put the table in front, or predicted beside measured, on the clipboard."""
        self._tables.get(self.current, self._tables["compared"]).copy_markdown()

    def state(self) -> dict[str, Any]:
        """The table in front and the columns of all, as JSON can hold them."""
        tables = {key: table.save_state() for key, table in self._tables.items()}
        return {"current": self.current, "tables": tables}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a saved state back."""
        tables = state.get("tables")
        for key, table in self._tables.items():
            saved = tables.get(key) if isinstance(tables, dict) else None
            if isinstance(saved, dict):
                table.restore_state(saved)
        current = state.get("current")
        if current in [segment.key for segment in _SEGMENTS]:
            self.choose(str(current))

    def _lack(self, key: str) -> _Lack | None:
        numbers = self._view.numbers if self._view is not None else Numbers()
        own = self._view is not None and not self._view.origin
        if key == "series":
            has = self._view is not None and self._view.series is not None
            return None if has else _Lack(_NO_SERIES, "Profile all cases" if own else "")
        rows = {
            "compared": numbers.compared,
            "counters": numbers.counters,
            "stalls": numbers.stalls,
            "lines": numbers.lines,
        }[key]
        if rows:
            return None
        what = "all counters" if key == "stalls" else "counters"
        action = f"Measure with {what}" if own else ""
        if key == "lines":
            return _Lack(numbers.no_lines or _NOTHING, action)
        return _Lack(numbers.no_counters or _NO_STALLS, action)

    @property
    def _can_count(self) -> bool:
        """Whether counters are missing that a further measurement may bring."""
        view = self._view
        if view is None or view.result is None or view.origin:
            return False
        return view.result.counters is None

    def _is_long(self, key: str) -> bool:
        return self._tables[key].row_count() > _SHORT or bool(self._search.text())

    def _words(self, key: str) -> str:
        if self._view is None:
            return ""
        if key == "compared":
            return self._view.numbers.verdict or self._view.numbers.no_counters
        if key == "counters":
            known = len(self._view.numbers.counters)
            return f"{known:,} counters"
        if key == "series" and self._view.series is not None:
            return self._view.series.conclusion
        return ""

    def _lay_out(self) -> None:
        self._search.setMaximumWidth(150)
        head = QHBoxLayout()
        head.setContentsMargins(12, 2, 12, 4)
        head.setSpacing(10)
        head.addWidget(self._switch)
        head.addWidget(self._sentence, 1)
        head.addWidget(self._count)
        head.addWidget(self._search)
        for table in self._tables.values():
            self._stack.addWidget(table)
        self._stack.addWidget(self._series)
        self._stack.addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(4, 4, 4, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self._switch.chosen.connect(self.choose)
        self._count.clicked.connect(lambda: self.counters_requested.emit(False))
        self._search.textChanged.connect(self._on_search_changed)
        self._empty.action_triggered.connect(self._on_empty_action)
        self._tables["lines"].current_changed.connect(self._on_line_changed)

    def _on_search_changed(self, text: str) -> None:
        for key in _SEARCHED:
            self._tables[key].set_filter(text)

    def _on_line_changed(self, row: LineRow | None) -> None:
        if row is not None and self._tables["lines"].hasFocus():
            self.line_requested.emit(row.line)

    def _on_empty_action(self) -> None:
        if self.current == "series":
            self.cases_requested.emit()
        else:
            self.counters_requested.emit(self.current == "stalls")


_NO_STALLS = "No stalls were read: they are in the full set of counters."
