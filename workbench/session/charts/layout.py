"""Lays a chart into a rectangle as a scene: heading, legend, frame and marks."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.session.charts.bar_shapes import bar_notes, bar_shapes, bar_spots, slots_of
from workbench.session.charts.cell_shapes import (
    bundle_shapes,
    bundle_spots,
    cell_shapes,
    cell_spots,
    line_dash,
)
from workbench.session.charts.frame import LABEL, NOTE, Frame, View, frame_of, grid
from workbench.session.charts.measuring import elided, text_width
from workbench.session.charts.model import Chart, Series
from workbench.session.charts.point_shapes import (
    curve_shapes,
    guide_shapes,
    guide_spots,
    link_shapes,
    point_spots,
)
from workbench.session.charts.scene import (
    Box,
    Mark,
    Rect,
    Scene,
    Shape,
    Spot,
    Stroke,
    Text,
)

_TITLE, _ROW = 20.0, 18.0
_SWATCH, _AFTER_SWATCH, _AFTER_ENTRY = 13.0, 7.0, 16.0
_HIDDEN = 0.35
_LINE = 15.0

AS_IT_IS = View()


def lay_out(
    chart: Chart,
    width: float,
    height: float,
    view: View = AS_IT_IS,
    has_title: bool = True,
) -> Scene:
    """The chart in `width` by `height` px; one without a mark is its sentence."""
    shapes: list[Shape] = []
    top = _heading(chart, width, shapes) if has_title else 0.0
    if chart.is_empty:
        return _empty(chart, width, height, top, shapes)
    top = _legend(chart, width, top, view, shapes)
    below = _missing(chart, width, height)
    area = Rect(0, top, width, max(60.0, height - top - _LINE * len(below)))
    frame = frame_of(chart, area, view)
    shown = [each for each in chart.series if each.key not in view.hidden]
    marks, spots = _marks(chart, frame, shown)
    shapes += [*grid(frame), *marks, *below]
    description = " ".join((chart.conclusion, *chart.missing))
    return Scene(
        width,
        height,
        frame.plot,
        tuple(shapes),
        tuple(spots),
        chart.title,
        description,
    )


def _marks(chart: Chart, frame: Frame, shown: Sequence[Series]) -> tuple[list[Shape], list[Spot]]:
    guides = list(guide_shapes(chart, frame))
    spots = [*guide_spots(chart, frame)]
    if chart.bars or chart.gaps:
        # Bars over the baseline hide it, so it lies above them; curves lie above their ceilings.
        slots = slots_of(chart, frame, shown)
        bars = [*bar_shapes(chart, slots, shown)]
        notes = bar_notes(chart, slots, shown)
        return [*bars, *notes, *guides], [*bar_spots(chart, slots, shown), *spots]
    lines = [*cell_shapes(chart, frame, shown), *bundle_shapes(chart, frame, shown)]
    links, curves = link_shapes(chart.links, frame), curve_shapes(chart, frame, shown)
    spots += [*cell_spots(chart, frame, shown), *bundle_spots(chart, frame, shown)]
    return [*lines, *guides, *links, *curves], [*point_spots(chart, frame, shown), *spots]


def _heading(chart: Chart, width: float, shapes: list[Shape]) -> float:
    title = text_width(chart.title, 13, 600)
    shapes.append(Text(0, _TITLE / 2, chart.title, "fg", 13, 600))
    room = width - title - 12
    note = elided(chart.note, NOTE, room) if room > 80 else ""
    if note:
        shapes.append(Text(title + 12, _TITLE / 2, note))
    return _TITLE


def _legend(chart: Chart, width: float, top: float, view: View, shapes: list[Shape]) -> float:
    """The series with a swatch each, in as many rows as they need; where they end."""
    if not chart.has_legend:
        return top
    x, y = 0.0, top + 4.0
    for series in chart.series:
        wide = _SWATCH + _AFTER_SWATCH + text_width(series.label, LABEL)
        if x and x + wide > width:
            x, y = 0.0, y + _ROW
        shapes += _entry(chart, series, x, y + _ROW / 2, series.key in view.hidden)
        x += wide + _AFTER_ENTRY
    return y + _ROW


def _entry(chart: Chart, series: Series, x: float, y: float, hidden: bool) -> list[Shape]:
    alpha = _HIDDEN if hidden else 1.0
    swatch: Shape
    if chart.bars or chart.cells:
        area = Rect(x, y - 4, _SWATCH, 8)
        swatch = Box(area, series.tone, series.is_predicted, alpha, is_clipped=False)
    elif chart.bundles:
        ends = ((x, y), (x + _SWATCH, y))
        dash = line_dash(series)
        swatch = Stroke(ends, series.tone, 2.0, dash, alpha, is_clipped=False)
    else:
        hollow = series.is_predicted
        middle = x + _SWATCH / 2
        swatch = Mark(middle, y, series.mark or 0, series.tone, 9.0, hollow, is_clipped=False)
    text = Text(x + _SWATCH + _AFTER_SWATCH, y, series.label, "fg3" if hidden else "fg2", LABEL)
    return [swatch, text]


def _missing(chart: Chart, width: float, height: float) -> list[Shape]:
    """What is not in the chart, below it, where there is height for it."""
    if not chart.missing or height < 220:
        return []
    text = elided(" ".join(chart.missing), NOTE, width)
    return [Text(0, height - _LINE / 2, text)]


def _empty(chart: Chart, width: float, height: float, top: float, shapes: list[Shape]) -> Scene:
    """The reason why there is nothing, in lines."""
    lines: list[str] = [""]
    for word in chart.empty.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, LABEL) > width - 24 and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    y = top + max(30.0, (height - top - 18 * len(lines)) / 2)
    shapes += [
        Text(width / 2, y + 18 * at, line, "fg2", LABEL, anchor="middle")
        for at, line in enumerate(lines)
    ]
    plot = Rect(0, top, width, height - top)
    return Scene(width, height, plot, tuple(shapes), title=chart.title, description=chart.empty)
