"""The numbers of a chart as CSV or Markdown: a line a mark, and one for each that is unknown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping

from workbench.session.charts.model import Chart, Series

HEAD = ("series", "source", "place", "x", "value", "low", "high", "unit", "run")
Row = tuple[object, ...]
_NUMBERS = frozenset({"x", "value", "low", "high"})


def to_csv(chart: Chart) -> str:
    """The chart's numbers as they are; an unknown one is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(rows(chart))
    return out.getvalue()


def to_markdown(chart: Chart) -> str:
    """The chart's title, what it says, and its numbers as a table without empty columns."""
    told = [[_cell(value) for value in row] for row in rows(chart)]
    kept = [at for at in range(len(HEAD)) if any(row[at] for row in told)]
    head = [[HEAD[at] for at in kept], ["---:" if HEAD[at] in _NUMBERS else "---" for at in kept]]
    lines = [*head, *([row[at] for at in kept] for row in told)]
    table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"**{chart.title}**: {chart.conclusion}\n\n{table}\n"


def _cell(value: object) -> str:
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return " ".join(text.split()).replace("|", "\\|")


def rows(chart: Chart) -> Iterator[Row]:
    """Each mark as a row of `HEAD`'s columns."""
    series = {each.key: each for each in chart.series}
    for bar in chart.bars:
        own = series[bar.series]
        place = _place(chart, bar.place)
        value = bar.value - bar.start if chart.stacked else bar.value
        value = _uncut(bar.text, value) if bar.goes_on else value
        yield (own.label, own.source.value, place, "", value, *_spread(bar.low, bar.high),
               chart.unit, bar.key)  # fmt: skip
    for curve in chart.curves:
        own = series[curve.series]
        for point in curve.points:
            yield (own.label, own.source.value, "", point.x, point.y,
                   *_spread(point.low, point.high), chart.unit, point.key)  # fmt: skip
    yield from _cells(chart, series)
    for bundle in chart.bundles:
        own = series[bundle.series]
        for line in bundle.lines:
            name = chart.tip_of(line).partition("\n")[0]
            yield (own.label, own.source.value, name, "", line.value, "", "", chart.unit,
                   line.key)  # fmt: skip
    for gap in chart.gaps:
        own = series[gap.series]
        yield (
            own.label,
            own.source.value,
            _place(chart, gap.place),
            "",
            "",
            "",
            "",
            chart.unit,
            "",
        )


def _cells(chart: Chart, series: Mapping[str, Series]) -> Iterator[Row]:
    """The cells of a map by both their places; an unknown one is empty."""
    for cell in chart.cells:
        own = series[cell.series]
        place = f"{chart.x.places[cell.x].name} × {chart.y.places[cell.y].name}"
        value = "" if cell.value is None else cell.value
        yield (own.label, own.source.value, place, "", value, "", "", chart.unit, cell.key)


def _place(chart: Chart, at: int) -> str:
    place = chart.x.places[at]
    return f"{place.name} {place.detail}".strip()


def _spread(low: float | None, high: float | None) -> tuple[object, object]:
    return ("" if low is None else low, "" if high is None else high)


def _uncut(text: str, value: float) -> float:
    """The number of a bar that is drawn shorter than it is."""
    return float(text.replace(",", "")) if text.replace(",", "").isdigit() else value
