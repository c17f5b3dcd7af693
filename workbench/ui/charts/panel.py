"""All charts of a set of runs: a grid of them, and one large with its conclusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.session.charts.model import Chart
from workbench.ui.charts.card import ChartCard
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.labels import text_label

_CARD_HEIGHT, _CARD_WIDTH = 290, 430
_MOST_ACROSS = 3
_INSET = 8


class ChartsPanel(QWidget):
    """Charts with marks as a grid; those without one are a sentence each below it."""

    run_activated = Signal(str)
    run_hovered = Signal(str)
    told = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._charts: tuple[Chart, ...] = ()
        self._cards: list[ChartCard] = []
        self._across = 0
        self._large_key: str | None = None
        self._grid = QGridLayout()
        self._nothing = text_label(icons.theme, "", TextRole.LABEL, "fg3")
        self._nothing.setWordWrap(True)
        self._large = ChartCard(icons, can_enlarge=False)
        self._conclusion = ConclusionLabel(icons.theme, "")
        self._missing = text_label(icons.theme, "", TextRole.LABEL, "fg3")
        self._missing.setWordWrap(True)
        self._back = FlatToolButton(icons, "All charts (Esc)", "All charts")
        self._back.set_icon("chevron-left", "fg3")
        self._previous = FlatToolButton(icons, "Chart before (Page Up)")
        self._next = FlatToolButton(icons, "Next chart (Page Down)")
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect(self._large)
        self._back.clicked.connect(lambda: self.show_large(None))
        self._previous.clicked.connect(lambda: self.step(-1))
        self._next.clicked.connect(lambda: self.step(1))

    @property
    def charts(self) -> tuple[Chart, ...]:
        """All charts, those without a mark too."""
        return self._charts

    @property
    def cards(self) -> tuple[ChartCard, ...]:
        """What stands in the grid."""
        return tuple(self._cards)

    @property
    def large(self) -> ChartCard | None:
        """The large chart, None while the grid is shown."""
        return self._large if self._large_key is not None else None

    def set_charts(self, charts: Sequence[Chart]) -> None:
        """Show these; zoom and scales stay where the chart of a key stays."""
        self._charts = tuple(charts)
        shown = self._shown()
        while len(self._cards) < len(shown):
            card = ChartCard(self._icons)
            card.setFixedHeight(_CARD_HEIGHT)
            card.enlarge_requested.connect(self.show_large)
            self._connect(card)
            self._cards.append(card)
        for extra in self._cards[len(shown) :]:
            extra.setParent(None)
            extra.deleteLater()
        del self._cards[len(shown) :]
        for card, chart in zip(self._cards, shown, strict=True):
            card.set_chart(chart)
        empty = [f"{chart.title}: {chart.empty}" for chart in charts if chart.is_empty]
        self._nothing.setText("\n".join(empty))
        self._nothing.setVisible(bool(empty))
        self._across = 0
        self._arrange()
        self.show_large(self._large_key)

    def show_large(self, key: str | None) -> None:
        """Show one chart large; None, or a chart without a mark, shows the grid."""
        found = next((chart for chart in self._shown() if chart.key == key), None)
        self._large_key = found.key if found is not None else None
        if found is None:
            self._stack.setCurrentIndex(0)
            return
        self._large.set_chart(found)
        self._conclusion.set_conclusion(found.conclusion)
        self._missing.setText(" ".join(found.missing))
        self._missing.setVisible(bool(found.missing))
        self._stack.setCurrentIndex(1)
        self._large.view.setFocus()

    def step(self, by: int) -> None:
        """Show the large chart that follows, or goes before."""
        keys = [chart.key for chart in self._shown()]
        if self._large_key in keys:
            self.show_large(keys[(keys.index(self._large_key) + by) % len(keys)])

    def state(self) -> dict[str, Any]:
        """Which chart is large."""
        return {"version": 1, "large": self._large_key}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring it back; another version's state is left alone."""
        large = state.get("large")
        if state.get("version") == 1 and (large is None or isinstance(large, str)):
            self._large_key = large
            self.show_large(large)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._arrange()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        steps = {Qt.Key.Key_PageDown: 1, Qt.Key.Key_PageUp: -1}
        key = Qt.Key(event.key())
        if self._large_key is not None and key in steps:
            self.step(steps[key])
        elif self._large_key is not None and key == Qt.Key.Key_Escape:
            self.show_large(None)
        else:
            super().keyPressEvent(event)

    def _shown(self) -> list[Chart]:
        return [chart for chart in self._charts if not chart.is_empty]

    def _connect(self, card: ChartCard) -> None:
        card.run_activated.connect(self.run_activated)
        card.run_hovered.connect(self.run_hovered)
        card.told.connect(self.told)

    def _arrange(self) -> None:
        """As many columns as there is room for."""
        across = min(_MOST_ACROSS, max(1, self.width() // _CARD_WIDTH))
        if across == self._across:
            return
        self._across = across
        for at, card in enumerate(self._cards):
            self._grid.addWidget(card, at // across, at % across)
            card.show()
        for column in range(_MOST_ACROSS):
            self._grid.setColumnStretch(column, 1 if column < across else 0)

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(_INSET, 0, _INSET, _INSET)
        self._grid.setSpacing(4)
        column.addLayout(self._grid)
        self._nothing.setContentsMargins(16, 8, 16, 8)
        column.addWidget(self._nothing)
        column.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inside)
        self._stack.addWidget(area)
        self._stack.addWidget(self._large_page())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)

    def _large_page(self) -> QWidget:
        page = QWidget()
        for button, icon in ((self._previous, "arrow-up"), (self._next, "arrow-down")):
            button.set_icon(icon, "fg3")
        row = QHBoxLayout()
        row.setContentsMargins(12, 4, 12, 0)
        row.addWidget(self._back)
        row.addStretch(1)
        row.addWidget(self._previous)
        row.addWidget(self._next)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 8)
        column.addLayout(row)
        for label in (self._conclusion, self._missing):
            label.setContentsMargins(16, 0, 16, 0)
        column.addWidget(self._conclusion)
        column.addWidget(self._large, 1)
        column.addWidget(self._missing)
        return page
