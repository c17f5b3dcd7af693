"""A sweep as a map over two arguments: in each cell the best time over all others."""

from __future__ import annotations

import math
from collections.abc import Sequence

from workbench.core.sweeps.findings import Cell, HeatMap, heat_map
from workbench.session.charts.model import PREDICTED, Axis, Chart, Place, Series
from workbench.session.charts.model import Cell as Mark
from workbench.session.charts.words import measure
from workbench.session.sweeps.showing import Shown

_UNKNOWN = "unknown"
_SERIES = (
    Series("measured", "measured", "accent"),
    Series("predicted", "predicted", "accent", PREDICTED),
    Series(_UNKNOWN, "no time is known", "bg4"),
)


def map_of(shown: Shown, x: str, y: str) -> HeatMap:
    """The map of a sweep over two of its arguments."""
    return heat_map(shown.points, shown.sweep.records, x, y)


def varied(shown: Shown) -> tuple[str, ...]:
    """The arguments of more than one value, those that change the time most first."""
    times = [record.time_us or record.facts.predicted_us for record in shown.sweep.records]
    names = shown.sweep.plan.space.names
    effects = {name: _effect(shown, name, times) for name in names}
    kept = (name for name in names if effects[name] is not None)
    return tuple(sorted(kept, key=lambda name: -(effects[name] or 0.0)))


def _effect(shown: Shown, name: str, times: Sequence[float | None]) -> float | None:
    """How much the best time for each value differs, from 1; None where it has only one."""
    best: dict[str, float] = {}
    for point, time in zip(shown.points, times, strict=True):
        key, own = repr(point.args.get(name)), time or math.inf
        if own < best.setdefault(key, own):
            best[key] = own
    known = [time for time in best.values() if time < math.inf]
    if len(best) < 2:
        return None
    return max(known) / min(known) if known else 0.0


def best_sentence(found: HeatMap) -> str:
    """Where the best cell of a map lies."""
    return _Best(found).sentence


def heat_chart(found: HeatMap) -> Chart:
    """The map as a chart of cells: measured ones are filled, predicted ones hatched.

    The more of its colour a cell has, the nearer its time is to the best one of its kind.
    """
    best = _Best(found)
    last = len(found.y_values) - 1
    cells = tuple(
        _cell(found, best, column, row, last)
        for row in range(last + 1)
        for column in range(len(found.x_values))
    )
    kinds = {cell.series for cell in cells}
    return Chart(
        f"sweep-map-{found.x}-{found.y}",
        f"Best time over {found.x} and {found.y}",
        "the stronger its colour, the nearer a cell comes to the fastest",
        best.sentence,
        Axis(found.x, places=tuple(Place(str(value)) for value in found.x_values)),
        Axis(found.y, places=tuple(Place(str(value)) for value in reversed(found.y_values))),
        tuple(series for series in _SERIES if series.key in kinds),
        cells=cells,
        unit="µs",
    )


def _cell(found: HeatMap, best: _Best, column: int, row: int, last: int) -> Mark:
    """A cell of the chart; the first row stands above."""
    cell = found.cells[row][column]
    share = best.share(cell)
    place = f"{found.x}={found.x_values[column]} {found.y}={found.y_values[row]}"
    key = "" if cell.number is None else str(cell.number)
    tip = f"{place}\n{_told(cell)}"
    if share is None:
        text = "out" if cell.points and cell.out == cell.points else "unknown"
        return Mark(_UNKNOWN, column, last - row, None, text, "", tip, key)
    kind = "measured" if cell.measured else "predicted"
    time = cell.measured or cell.predicted
    text = measure(time, "us")
    is_best = best.is_best(cell)
    return Mark(kind, column, last - row, share, text, kind, tip, key, is_best, time)


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
