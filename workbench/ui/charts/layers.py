"""All marks of a chart from back to front: made, laid into a frame, and found under the pointer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF

from workbench.session.charts.bar_shapes import bar_notes, bar_spots, slots_of
from workbench.session.charts.cell_shapes import cell_notes, cell_spots
from workbench.session.charts.frame import Frame
from workbench.session.charts.model import Chart, Series
from workbench.session.charts.point_shapes import guide_names, link_shapes, point_labels
from workbench.session.charts.scene import Shape, Spot
from workbench.ui.charts.blocks import BarLayer, CellLayer
from workbench.ui.charts.lines import BundleLayer, CurveLayer, GuideLayer
from workbench.ui.theme.theme import Theme


class Layers:
    """The marks of the series of a chart that are shown, as items of a plot.

    Bars would hide what they are held against, so guides lie above them; curves lie above guides.
    """

    def __init__(self, theme: Theme, chart: Chart, frame: Frame, shown: Sequence[Series]) -> None:
        self._chart, self._shown = chart, shown
        self._guides = GuideLayer(theme, chart, frame)
        self._bars = BarLayer(theme) if chart.bars or chart.gaps else None
        self._cells = CellLayer(theme, chart, shown) if chart.cells else None
        self.bundles = BundleLayer(theme, chart, frame, shown) if chart.bundles else None
        self.curves = CurveLayer(theme, chart, frame, shown) if chart.curves else None
        layers = (self._bars, self._cells, self.bundles, self._guides, self.curves)
        self.items: tuple[Any, ...] = tuple(
            item for layer in layers if layer is not None for item in layer.items
        )

    def fit(self, frame: Frame) -> list[Shape]:
        """Lay the marks into a frame; what is written among them, and drawn in px."""
        chart, shown = self._chart, self._shown
        shapes: list[Shape] = [*link_shapes(chart.links, frame)]
        if self._bars is not None:
            slots = slots_of(chart, frame, shown)
            self._bars.fit(chart, slots, shown)
            shapes += bar_notes(chart, slots, shown)
        if self._cells is not None:
            self._cells.fit(chart, frame)
            shapes += cell_notes(chart, frame, shown)
        return [*shapes, *guide_names(chart, frame), *point_labels(chart, frame, shown)]

    def spots(self, frame: Frame) -> list[Spot]:
        """All marks in reading order, in px of the frame."""
        lines = (self.bundles, self.curves)
        found = [spot for layer in lines if layer is not None for spot in layer.spots(frame)]
        return [*self._blocks(frame), *found]

    def spot_at(self, place: QPointF, units: QPointF, frame: Frame) -> Spot | None:
        """The mark at px of the frame, which are those units of the plot."""
        blocks = (s for s in reversed(self._blocks(frame)) if s.area.holds(place.x(), place.y()))
        found = next(blocks, None)
        if found is None and self.curves is not None:
            found = self.curves.spot_at(place, frame)
        if found is None:
            found = self._guides.spot_at(place, units)
        if found is None and self.bundles is not None:
            found = self.bundles.spot_at(place, frame)
        return found

    def show_current(self, spot: Spot | None) -> None:
        """Let the line of a spot stand out."""
        if self.bundles is not None:
            self.bundles.show_current(spot)

    def smooth(self, is_smooth: bool) -> None:
        """Draw all marks for a picture of more pixels than the screen has."""
        for layer in (self.bundles, self.curves):
            if layer is not None:
                layer.smooth(is_smooth)

    def _blocks(self, frame: Frame) -> list[Spot]:
        """The bars, gaps and cells."""
        chart, shown = self._chart, self._shown
        if self._bars is not None:
            return list(bar_spots(chart, slots_of(chart, frame, shown), shown))
        return list(cell_spots(chart, frame, shown))
