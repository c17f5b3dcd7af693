"""The numbers of a chart as CSV: a line for each mark, and one for each that is unknown."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from workbench.session.charts.model import Chart

HEAD = ("series", "source", "place", "x", "value", "low", "high", "unit", "run")
Row = tuple[object, ...]


def to_csv(chart: Chart) -> str:
    """The chart's numbers as they are; an unknown one is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEAD)
    writer.writerows(rows(chart))
    return out.getvalue()


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


def _place(chart: Chart, at: int) -> str:
    place = chart.x.places[at]
    return f"{place.name} {place.detail}".strip()


def _spread(low: float | None, high: float | None) -> tuple[object, object]:
    return ("" if low is None else low, "" if high is None else high)


def _uncut(text: str, value: float) -> float:
    """The number of a bar that is drawn shorter than it is."""
    return float(text.replace(",", "")) if text.replace(",", "").isdigit() else value
