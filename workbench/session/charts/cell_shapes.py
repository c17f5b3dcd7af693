"""Lays cells of a map, and bundles of lines, into the frame of a chart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.session.charts.frame import LABEL, NOTE, Frame
from workbench.session.charts.measuring import elided
from workbench.session.charts.model import Cell, Chart, Series
from workbench.session.charts.scene import Box, Rect, Shape, Spot, Stroke, Text

HATCH = 0.12
"""The opacity of the hatch of a cell that was predicted, below its own."""
RADIUS = 3.0
_GAP = 3.0
_LEAST_WIDE, _LEAST_TALL = 28.0, 15.0  # of a cell with a text
_NOTE_WIDE, _NOTE_TALL = 70.0, 42.0  # of a cell with a second line
_FAINT, _STRONG, _UNKNOWN = 0.04, 0.42, 0.5


def strength(cell: Cell) -> float:
    """The opacity of a cell: the nearer it comes to the best, the more."""
    return _UNKNOWN if cell.share is None else _FAINT + (_STRONG - _FAINT) * cell.share**2


class CellGrid:
    """Where cells lie: the sides of each column and of each row, computed once."""

    def __init__(self, chart: Chart, frame: Frame) -> None:
        places = range(len(chart.x.places)), range(len(chart.y.places))
        columns = [(frame.across(at - 0.5), frame.across(at + 0.5)) for at in places[0]]
        rows = [(frame.down(at + 0.5), frame.down(at - 0.5)) for at in places[1]]
        wide, tall = (side[0][1] - side[0][0] for side in (columns, rows))
        self.gap = min(_GAP, wide / 6, tall / 6)
        self._columns, self._rows = columns, rows

    def area(self, cell: Cell) -> Rect:
        """Where a cell lies."""
        (left, right), (top, bottom) = self._columns[cell.x], self._rows[cell.y]
        gap = self.gap
        return Rect(left + gap / 2, top + gap / 2, right - left - gap, bottom - top - gap)


def shown_cells(chart: Chart, shown: Sequence[Series]) -> Iterator[tuple[Cell, Series]]:
    """The cells of the series that are shown."""
    series = {each.key: each for each in shown}
    return ((cell, series[cell.series]) for cell in chart.cells if cell.series in series)


def cell_shapes(chart: Chart, frame: Frame, shown: Sequence[Series]) -> Iterator[Shape]:
    """The cells with what is written in them."""
    if not chart.cells:
        return
    grid = CellGrid(chart, frame)
    for cell, own in shown_cells(chart, shown):
        area = grid.area(cell)
        if cell.share is not None and own.is_predicted:
            yield Box(area, own.tone, True, HATCH, RADIUS)
        yield Box(area, own.tone, False, strength(cell), RADIUS)
    yield from cell_notes(chart, frame, shown)


def cell_notes(chart: Chart, frame: Frame, shown: Sequence[Series]) -> Iterator[Shape]:
    """What is written in cells where it has room, and a frame around the best."""
    if not chart.cells:
        return
    grid = CellGrid(chart, frame)
    for cell, _ in shown_cells(chart, shown):
        area = grid.area(cell)
        x, y = area.x + area.width / 2, area.y + area.height / 2
        if cell.is_best:
            yield _outline(area)
        if not frame.plot.holds(x, y) or area.width < _LEAST_WIDE or area.height < _LEAST_TALL:
            continue
        has_note = bool(cell.note) and area.height >= _NOTE_TALL and area.width >= _NOTE_WIDE
        tone, weight = ("fg3", 400) if cell.share is None else ("fg", 600 if cell.is_best else 500)
        text = elided(cell.text, LABEL, area.width - 4)
        yield Text(x, y - (8 if has_note else 0), text, tone, LABEL, weight, "middle")
        if has_note:
            yield Text(x, y + 9, cell.note, "fg2", NOTE, anchor="middle")


def cell_spots(chart: Chart, frame: Frame, shown: Sequence[Series]) -> Iterator[Spot]:
    """Where each cell answers."""
    if not chart.cells:
        return
    grid = CellGrid(chart, frame)
    for cell, own in shown_cells(chart, shown):
        area = grid.area(cell)
        if frame.plot.holds(area.x + area.width / 2, area.y + area.height / 2):
            yield Spot(area, chart.tip_of(cell), cell.key, own.key)


def _outline(area: Rect) -> Stroke:
    corners = (
        (area.x, area.y),
        (area.right, area.y),
        (area.right, area.bottom),
        (area.x, area.bottom),
        (area.x, area.y),
    )
    return Stroke(corners, "good", 2.0)


def line_width(series: Series) -> float:
    """The width in px of the lines of a bundle: faint ones are thin."""
    return 1.6 if series.alpha > _UNKNOWN else 1.0


def line_dash(series: Series) -> tuple[float, ...]:
    """The dash in px of the lines of a bundle."""
    return (4.0, 3.0) if series.is_predicted else ()


def bundle_shapes(chart: Chart, frame: Frame, shown: Sequence[Series]) -> Iterator[Shape]:
    """A stroke for each line."""
    series = {each.key: each for each in shown}
    for bundle in chart.bundles:
        own = series.get(bundle.series)
        for line in bundle.lines if own is not None else ():
            assert own is not None
            points = tuple(frame.at(at, value) for at, value in enumerate(line.heights))
            yield Stroke(points, own.tone, line_width(own), line_dash(own), own.alpha)


def bundle_spots(chart: Chart, frame: Frame, shown: Sequence[Series]) -> Iterator[Spot]:
    """Each line answers at its right end."""
    keys = {each.key for each in shown}
    for bundle in chart.bundles:
        for line in bundle.lines if bundle.series in keys else ():
            x, y = frame.at(len(line.heights) - 1, line.heights[-1])
            if frame.plot.holds(x, y):
                area = Rect(x - 10, y - 4, 20, 8)
                yield Spot(area, chart.tip_of(line), line.key, bundle.series)
