"""Charts of a sweep: the best so far, time against a cost, and predicted against measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from workbench.core.sweeps import findings
from workbench.core.sweeps.model import PointRecord
from workbench.session.charts.model import (
    MEASURED,
    PREDICTED,
    Axis,
    Chart,
    Curve,
    Guide,
    Point,
    Series,
    empty_chart,
)
from workbench.session.charts.words import measure, percent
from workbench.session.sweeps.showing import Shown

#: What a time is weighed against: its title and the unit of a value.
COSTS = {
    "shared_bytes": ("Shared memory", "KiB a block"),
    "registers": ("Registers", "a thread"),
    "occupancy": ("Occupancy", "% of an SM's warps"),
}
_SCALES = {"shared_bytes": 1 / 1024, "occupancy": 100.0}
_LOG_FROM = 8.0
_ROOM = 0.012  # of the order, before its first and after its last
Place = tuple[float, float, int]
"""Where a point lies in a chart: across, up, and its number."""
_NOT_MEASURED = (
    "Nothing was measured yet: a GPU that runs the target's code measures the promising."
)
_NO_ESTIMATE = "No estimate is known of what was measured."
_NO_TIME = "No time is known yet: it comes with the first point that compiles."


def best_so_far_chart(shown: Shown) -> Chart:
    """Each measurement in its order, and the fastest after it; estimates where none was taken."""
    records = shown.sweep.records
    key, title = "sweep-best", "Best so far"
    times = [(n, t) for n in shown.order if (t := records[n].time_us) is not None]
    source = MEASURED if times else PREDICTED
    if not times:
        times = [(n, t) for n in shown.predicted if (t := records[n].estimate_us) is not None]
    if not times:
        return empty_chart(key, title, _NO_TIME)
    best = findings.running_least([time for _, time in times])
    word = "measured" if source is MEASURED else "predicted"
    series = (
        Series("each", f"each {word} time", "fg3", source),
        Series("best", f"fastest {word} so far", "accent", source),
    )
    room = max(1.0, len(times) * _ROOM)
    steps = [at for at, time in enumerate(best) if at == 0 or time < best[at - 1]]
    marks = _marks([(at + 1.0, time, number) for at, (number, time) in enumerate(times)])
    # The fastest times alone; the line between them is a guide.
    turns = _marks([(at + 1.0, best[at], times[at][0]) for at in steps])
    note = f"µs over the {'measurements' if source is MEASURED else 'estimates'} in their order"
    conclusion = (
        f"The fastest of {len(times):,} {word} times came as number {steps[-1] + 1:,}: "
        f"{measure(best[-1], 'us')}."
    )
    return Chart(
        key,
        title,
        note,
        conclusion,
        Axis("order", 1.0 - room, len(times) + room, is_whole=True),
        _time_axis([time for _, time in times], "µs"),
        series,
        curves=(
            Curve("each", marks, is_joined=False),
            Curve("best", turns, is_joined=False),
        ),
        guides=(Guide(_stairs(best), "", "accent", 1.6, () if source is MEASURED else (3, 3)),),
        unit="µs",
        tell=_teller(shown),
    )


def _stairs(best: Sequence[float]) -> tuple[tuple[float, float], ...]:
    """A line that falls at the numbers where the best fell, and is level between."""
    points = [(1.0, best[0])]
    for at in range(1, len(best)):
        if best[at] < best[at - 1]:
            points += [(at + 1.0, best[at - 1]), (at + 1.0, best[at])]
    points.append((len(best) + 0.5, best[-1]))
    return tuple(points)


def trade_off_chart(shown: Shown, cost: str) -> Chart:
    """Time against a cost, with the front of points that no other beats in both."""
    title, unit = COSTS[cost]
    key, name = f"sweep-pareto-{cost}", f"Time against {title.lower()}"
    records = shown.sweep.records
    is_measured = any(r.time_us is not None for r in records)
    time_of = findings.measured_time if is_measured else _estimated_time
    scale = _SCALES.get(cost, 1.0)
    told = findings.weighed(records, cost, time_of)
    known = [(price * scale, time, record.number) for time, price, record in told]
    if not known:
        return empty_chart(key, name, f"{title} and time are known of no point yet.")
    front = findings.pareto_front(told, cost)
    chosen = {r.number for r in front}
    source = MEASURED if is_measured else PREDICTED
    word = "measured" if is_measured else "predicted"
    others = [place for place in known if place[2] not in chosen]
    line = sorted(place for place in known if place[2] in chosen)
    marks = _marks(line)
    series = (
        Series("others", f"beaten in both, {word}", "fg3", source),
        Series("front", f"front, {word}", "accent", source),
    )
    least = next(price for price, _, number in known if number == front[0].number)
    verb = "is" if len(front) == 1 else "are"
    conclusion = (
        f"{len(front)} of {len(known):,} {word} points {verb} beaten by no other in both time and "
        f"{title.lower()}; the fastest needs {_price_text(least, cost)}."
    )
    prices = [price for price, _, _ in known]
    room = (max(prices) - min(prices) or max(prices) or 1.0) * 0.06
    return Chart(
        key,
        name,
        f"µs {word}",
        conclusion,
        Axis(f"{title}, {unit}", min(prices) - room, max(prices) + room),
        _time_axis([time for _, time, _ in known], "µs"),
        series,
        curves=(
            Curve("others", _marks(others), is_joined=False),
            Curve("front", marks, is_joined=True),
        ),
        unit="µs",
        tell=_teller(shown),
    )


def accuracy_chart(shown: Shown) -> Chart:
    """Predicted against measured; on the line both are equal."""
    key, title = "sweep-accuracy", "Predicted against measured"
    found = findings.accuracy(shown.sweep.records)
    if not found.points:
        is_measured = any(record.time_us is not None for record in shown.sweep.records)
        return empty_chart(key, title, _NO_ESTIMATE if is_measured else _NOT_MEASURED)
    marks = _marks(found.points)
    values = [value for p, m, _ in found.points for value in (p, m)]
    low, high = min(values) / 1.15, max(values) * 1.15
    rank = "" if found.rank is None else f", their ranks agree to {found.rank:.2f} of 1"
    error = "unknown" if found.median_error is None else percent(found.median_error)
    is_log = high / low >= _LOG_FROM
    return Chart(
        key,
        title,
        "below the line: faster than predicted",
        f"The median error of {len(found.points):,} estimates is {error}{rank}.",
        Axis("predicted, µs", low, high, is_log, True),
        Axis("measured, µs", low, high, is_log, True),
        (Series("points", "points", "accent"),),
        curves=(Curve("points", marks, is_joined=False),),
        guides=(
            Guide(((low, low), (high, high)), "equal", "fg3", 1.2, (4, 3), is_named_late=True),
        ),
        unit="µs",
        tell=_teller(shown),
    )


def _estimated_time(record: PointRecord) -> float | None:
    return record.estimate_us


def _price_text(value: float, cost: str) -> str:
    forms = {"shared_bytes": f"{value:.4g} KiB a block", "occupancy": f"{value:.3g} % of the warps"}
    return forms.get(cost, f"{value:.0f} registers a thread")


def tip_of(shown: Shown, number: int) -> str:
    """What hovering says of a point."""
    record, point = shown.sweep.records[number], shown.points[number]
    lines = [point.text]
    if record.time_us is not None and record.best is not None:
        lines.append(f"{measure(record.time_us, 'us')} {record.outcome.value}")
        lines.append(f"on {record.best.device}")
    predicted = record.facts.predicted_us
    if predicted is not None:
        lines.append(f"{measure(predicted, 'us')} predicted")
    if record.reason:
        lines.append(record.reason.partition("\n")[0])
    return "\n".join(lines)


def _time_axis(times: Sequence[float], title: str) -> Axis:
    low, high = min(times), max(times)
    if high / low >= _LOG_FROM:
        return Axis(title, low / 1.2, high * 1.2, True, True)
    return Axis(title, 0.0, high * 1.12, may_log=True)


def _marks(places: Sequence[Place]) -> tuple[Point, ...]:
    """Marks at places; what hovering says of one is made when it is asked for."""
    return tuple(Point(x, y, "", "", None, None, str(number)) for x, y, number in places)


def _teller(shown: Shown) -> Callable[[str], str]:
    return lambda key: tip_of(shown, int(key))
