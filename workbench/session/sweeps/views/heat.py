"""A sweep as a map over two arguments: in each cell the best time over all others."""

from __future__ import annotations

import math
from collections.abc import Iterator

from workbench.core.sweeps.findings import Cell, HeatMap, heat_map
from workbench.session.charts.measuring import elided, text_width
from workbench.session.charts.scene import Box, Rect, Scene, Shape, Spot, Stroke, Text
from workbench.session.charts.words import measure
from workbench.session.sweeps.showing import Shown

_LEFT_ROOM, _TOP, _BELOW, _RIGHT = 18.0, 8.0, 46.0, 8.0
_GAP = 3.0
_MOST_WIDE, _MOST_TALL = 300.0, 150.0
_LEAST_WIDE, _LEAST_TALL = 28.0, 15.0  # of a cell with a text
_FAINT, _STRONG, _HATCH = 0.04, 0.42, 0.12


def map_of(shown: Shown, x: str, y: str) -> HeatMap:
    """The map of a sweep over two of its arguments."""
    return heat_map(shown.points, shown.sweep.records, x, y)


def varied(shown: Shown) -> tuple[str, ...]:
    """The arguments of more than one value, those that change the time most first."""
    names = [name for name in shown.sweep.plan.space.names if len(_values(shown, name)) > 1]
    return tuple(sorted(names, key=lambda name: -_effect(shown, name)))


def _values(shown: Shown, name: str) -> set[str]:
    return {repr(point.args.get(name)) for point in shown.points}


def _effect(shown: Shown, name: str) -> float:
    """How much the best time for each value differs, from 1."""
    best: dict[str, float] = {}
    for point, record in zip(shown.points, shown.sweep.records, strict=True):
        time = record.time_us or record.facts.predicted_us
        if time:
            key = repr(point.args.get(name))
            best[key] = min(time, best.get(key, time))
    return max(best.values()) / min(best.values()) if best else 0.0


def best_sentence(found: HeatMap) -> str:
    """Where the best cell of a map lies."""
    return _Best(found).sentence


def heat_scene(found: HeatMap, width: float, height: float, current: int | None = None) -> Scene:
    """The map in so many px. Measured cells are filled, predicted ones hatched.

    The more of its colour a cell has, the nearer its time is to the best one of its kind.
    """
    names = [str(value) for value in found.y_values]
    left = max((text_width(name, 12) for name in names), default=0.0) + _LEFT_ROOM + 14
    columns, rows = max(1, len(found.x_values)), max(1, len(found.y_values))
    wide = min(_MOST_WIDE, (width - left - _RIGHT) / columns)
    tall = min(_MOST_TALL, (height - _TOP - _BELOW) / rows)
    plot = Rect(left, _TOP, max(1.0, wide * columns), max(1.0, tall * rows))
    gap = min(_GAP, wide / 6, tall / 6)
    shapes: list[Shape] = [*_names(found, plot, wide, tall)]
    spots: list[Spot] = []
    best = _Best(found)
    for row, cells in enumerate(found.cells):
        for column, cell in enumerate(cells):
            place = Rect(plot.x + column * wide, plot.y + row * tall, wide - gap, tall - gap)
            shapes += _cell(cell, place, best, current)
            tip = f"{found.x}={found.x_values[column]} {found.y}={found.y_values[row]}"
            key = "" if cell.number is None else str(cell.number)
            spots.append(Spot(place, f"{tip}\n{_told(cell)}", key))
    title = f"Best time over {found.x} and {found.y}"
    return Scene(width, height, plot, tuple(shapes), tuple(spots), (), title, best.sentence)


class _Best:
    """The least measured and the least predicted time of a map."""

    def __init__(self, found: HeatMap) -> None:
        cells = [cell for row in found.cells for cell in row]
        self.measured = min((c.measured for c in cells if c.measured), default=None)
        self.predicted = min((c.predicted for c in cells if c.predicted), default=None)
        self._found = found

    def share(self, cell: Cell) -> float | None:
        """The best time of a cell's kind over its own, from 0 to 1."""
        if cell.measured and self.measured:
            return self.measured / cell.measured
        if cell.predicted and self.predicted:
            return self.predicted / cell.predicted
        return None

    def is_best(self, cell: Cell) -> bool:
        """Whether a cell has the best time there is, a measured one if any is."""
        if self.measured is not None:
            return cell.measured == self.measured
        return self.predicted is not None and cell.predicted == self.predicted

    @property
    def sentence(self) -> str:
        """Where the best cell lies."""
        found = self._found
        for row, cells in enumerate(found.cells):
            for column, cell in enumerate(cells):
                if self.is_best(cell):
                    time = cell.measured if self.measured is not None else cell.predicted
                    how = "measured" if self.measured is not None else "predicted"
                    place = f"{found.x}={found.x_values[column]} {found.y}={found.y_values[row]}"
                    return f"Fastest at {place}: {measure(time, 'us')} {how}."
        return "No time is known yet."


def _cell(cell: Cell, place: Rect, best: _Best, current: int | None) -> Iterator[Shape]:
    x, y = place.x + place.width / 2, place.y + place.height / 2
    share = best.share(cell)
    if share is None:
        yield Box(place, "bg3", alpha=0.5, radius=3, is_clipped=False)
        if place.width < _LEAST_WIDE or place.height < _LEAST_TALL:
            return
        word = "out" if cell.points and cell.out == cell.points else "unknown"
        yield Text(x, y, elided(word, 11, place.width - 4), "fg3", anchor="middle")
        return
    has_text = place.width >= _LEAST_WIDE and place.height >= _LEAST_TALL
    alpha = _FAINT + (_STRONG - _FAINT) * share**2
    is_predicted = not cell.measured
    if is_predicted:
        yield Box(place, "accent", True, _HATCH, 3, is_clipped=False)
    yield Box(place, "accent", False, alpha, 3, is_clipped=False)
    is_best = best.is_best(cell)
    time = measure(cell.measured or cell.predicted, "us") if has_text else ""
    has_note = place.height >= 42 and place.width >= 70
    text = elided(time, 12, place.width - 4) if has_text else ""
    if text:
        weight = 600 if is_best else 500
        yield Text(x, y - (8 if has_note else 0), text, "fg", 12, weight, "middle")
    if has_note:
        yield Text(x, y + 9, "predicted" if is_predicted else "measured", "fg2", anchor="middle")
    if is_best or (current is not None and cell.number == current):
        yield _frame(place, "good" if is_best else "accent")


def _frame(area: Rect, tone: str) -> Stroke:
    corners = (
        (area.x, area.y),
        (area.right, area.y),
        (area.right, area.bottom),
        (area.x, area.bottom),
        (area.x, area.y),
    )
    return Stroke(corners, tone, 2.0, is_clipped=False)


def _names(found: HeatMap, plot: Rect, wide: float, tall: float) -> Iterator[Shape]:
    """Each value beside its row or column; of very many those that have room."""
    widest = max((text_width(str(value), 12) for value in found.x_values), default=0.0) + 6
    every_x, every_y = math.ceil(widest / wide), math.ceil(_LEAST_TALL / tall)
    for column, value in enumerate(found.x_values):
        x = plot.x + (column + 0.5) * wide - _GAP / 2
        if column % every_x == 0:
            yield Text(x, plot.bottom + 12, str(value), "fg2", 12, 500, "middle")
    for row, value in enumerate(found.y_values):
        y = plot.y + (row + 0.5) * tall - _GAP / 2
        if row % every_y == 0:
            yield Text(plot.x - 8, y, str(value), "fg2", 12, 500, "end")
    yield Text(plot.x + plot.width / 2, plot.bottom + 32, found.x, "fg", 12, 600, "middle")
    yield Text(9, plot.y + plot.height / 2, found.y, "fg", 12, 600, "middle", -90)


def _told(cell: Cell) -> str:
    lines = []
    if cell.measured:
        lines.append(f"{measure(cell.measured, 'us')} measured")
    if cell.predicted:
        lines.append(f"{measure(cell.predicted, 'us')} predicted")
    if not lines:
        lines.append("no time is known")
    out = f", {cell.out} fell out" if cell.out else ""
    lines.append(f"best of {cell.points} points{out}")
    return "\n".join(lines)
