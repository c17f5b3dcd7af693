"""The overview of a comparison: the table, what is noise, and two charts below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from workbench.session.charts.model import Chart
from workbench.session.comparison_view.model import ComparisonView
from workbench.ui.charts.card import ChartCard
from workbench.ui.compare.table import ComparisonTable
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.labels import hairline
from workbench.ui.widgets.painting import paint_block

#: What stands below the table, the first of each that has a mark.
_LEFT = ("roofline", "traffic", "throughput", "reference", "occupancy")
_RIGHT = ("latency", "latency-shapes", "occupancy", "traffic")
_CHARTS_HEIGHT, _LEAST_CHARTS, _CHARTS_SHARE = 290, 200, 0.38


class Overview(QWidget):
    """What a comparison opens on."""

    run_activated = Signal(str)
    told = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table = ComparisonTable(icons)
        self.cards = (ChartCard(icons), ChartCard(icons))
        self._charts: tuple[Chart, ...] = ()
        self._chosen: list[str | None] = [None, None]
        self._note = ElidedLabel(icons.theme, "", TextRole.LABEL, "fg3")
        self._legend = _Legend(icons)
        self._below, self._lower = QWidget(), QWidget()
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._is_sized = False
        self._lay_out()
        for card in self.cards:
            card.run_hovered.connect(self.table.set_lit)
            card.run_activated.connect(self.run_activated)
            card.told.connect(self.told)
        self.cards[0].instead_chosen.connect(lambda key: self._choose(0, key))
        self.cards[1].instead_chosen.connect(lambda key: self._choose(1, key))

    def set_view(self, view: ComparisonView, charts: Sequence[Chart]) -> None:
        """Show a comparison with its charts."""
        self.table.set_view(view)
        self._note.set_text(view.note)
        self._charts = tuple(chart for chart in charts if not chart.is_empty)
        self._lower.setVisible(bool(self._charts))
        self._show_charts()
        self._share()

    def state(self) -> dict[str, Any]:
        """Which charts were chosen."""
        return {"charts": list(self._chosen)}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring them back."""
        chosen = state.get("charts")
        if isinstance(chosen, list) and len(chosen) == 2:
            self._chosen = [key if isinstance(key, str) else None for key in chosen]
            self._show_charts()

    def _choose(self, side: int, key: str) -> None:
        self._chosen[side] = key
        self._show_charts()

    def _show_charts(self) -> None:
        by_key = {chart.key: chart for chart in self._charts}
        shown: list[str] = []
        for card, chosen, order in zip(self.cards, self._chosen, (_LEFT, _RIGHT), strict=True):
            keys = (chosen, *order, *by_key)
            key = next((k for k in keys if k in by_key and k not in shown), None)
            card.setVisible(key is not None)
            if key is not None:
                shown.append(key)
                card.set_chart(by_key[key])
                card.set_others([(c.key, c.title) for c in self._charts])

    def _share(self) -> None:
        """The table gets what it needs, and the charts the rest, until the person says else."""
        if self._is_sized or not self.isVisible():
            return
        self._is_sized = True
        wanted = self.table.sizeHint().height() + self._note.height() + 14
        room = self.height()
        charts = min(_CHARTS_HEIGHT, max(_LEAST_CHARTS, int(room * _CHARTS_SHARE)))
        table = min(wanted, max(room - charts, room // 2))
        self._split.setSizes([table, room - table])

    def showEvent(self, event: object) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)  # type: ignore[arg-type]
        self._share()

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        above = QWidget()
        column = QVBoxLayout(above)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.table, 1)
        row = QHBoxLayout()
        row.setContentsMargins(16, 2, 16, 6)
        row.addWidget(self._note, 1)
        row.addWidget(self._legend)
        column.addLayout(row)
        charts = QHBoxLayout(self._below)
        charts.setContentsMargins(0, 0, 0, 4)
        charts.setSpacing(16)
        for card in self.cards:
            charts.addWidget(card, 1)
        lines = QVBoxLayout(self._lower)
        lines.setContentsMargins(0, 0, 0, 0)
        lines.setSpacing(0)
        lines.addWidget(hairline(strong=True))
        lines.addWidget(self._below, 1)
        self._split.addWidget(above)
        self._split.addWidget(self._lower)
        self._split.setChildrenCollapsible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._split)


class _Legend(QWidget):
    """What solid and hatched swatches mean."""

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._theme = icons.theme
        self.setFixedSize(QSize(196, 18))
        self.setAccessibleName("Solid: measured. Hatched: predicted.")
        icons.theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            font = self._theme.fonts.role(TextRole.LABEL)
            for x, text, predicted in ((0, "measured", False), (96, "predicted", True)):
                swatch = QRectF(x, 5, 12, 8)
                paint_block(painter, swatch, self._theme.colour("fg3"), predicted, 1.5)
                painter.setFont(font)
                painter.setPen(self._theme.colour("fg3"))
                align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(QRectF(x + 20, 0, 76, 18), int(align), text)
