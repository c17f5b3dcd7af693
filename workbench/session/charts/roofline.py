"""The chart of a roofline: runs below the ceilings of their target, by the bytes of each level."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.core.analysis.roofline import MemoryLevel, Roofline, roofline_of
from workbench.core.runs import MetricSource
from workbench.session.charts.bars import tone_of
from workbench.session.charts.model import (
    MEASURED,
    PREDICTED,
    Axis,
    Chart,
    Curve,
    Guide,
    Link,
    Point,
    Series,
    empty_chart,
)
from workbench.session.charts.resources import level_bytes
from workbench.session.charts.standing import TIME
from workbench.session.charts.subject import ChartRun, ChartSubject
from workbench.session.charts.words import amount, listed, measure, percent
from workbench.session.lenses.roofline.facts import Computed, computed_by, with_assumed_l2

_LEVELS = (("l2", "L2", MemoryLevel.L2), ("hbm", "HBM", MemoryLevel.DRAM))
_DECADES = 4.5
RATE = "tflops"


@dataclass(frozen=True)
class _Spot:
    """Where a run stands: operations a byte of a level, and its rate in TFLOP/s."""

    run: ChartRun
    source: MetricSource
    level: str
    x: float
    y: float
    moved: float


def roofline(subject: ChartSubject) -> Chart:
    """The ceilings of the first target, the roofs of the others, and the runs below them."""
    title = "Roofline"
    computing = {run.run.id: used for run in subject.runs if (used := _computed(run)) is not None}
    spots = [spot for run in subject.runs for spot in _spots(run, computing.get(run.run.id))]
    said = tuple(_missing(subject.columns, {spot.run.run.id for spot in spots}))
    if not spots:
        why = "No run has both a time and operations: profile or analyze a kernel that computes."
        return empty_chart("roofline", title, why, said)
    first = next((spot.run for spot in spots if spot.run.run.id in computing), spots[0].run)
    used = computing.get(first.run.id)
    ceilings = _ceilings(first)
    peak = _peak(ceilings, used)
    x, y = _axes(spots, ceilings, peak)
    return Chart(
        "roofline",
        f"Roofline, {first.label}",
        f"{f'{used.operand}, ' if used else ''}TFLOP/s over FLOP/B, each level by its own bytes",
        _sentence(spots, peak, used),
        x,
        y,
        _series(spots),
        curves=tuple(_curves(spots)),
        guides=(
            *_other_roofs(subject, spots, first, computing, x),
            *(_guides(ceilings, peak, used, x, y) if ceilings is not None else ()),
        ),
        links=tuple(_links(spots)),
        missing=said,
        unit="TFLOP/s",
    )


def _computed(run: ChartRun) -> Computed | None:
    work = run.kernel.work if run.kernel is not None else None
    return computed_by(work) if work is not None else None


def _missing(columns: Sequence[ChartRun], placed: set[str]) -> Iterator[str]:
    """Why runs have no place: analyzed ones that compute nothing, and others."""
    without = [run for run in columns if run.run.id not in placed]
    idle = [run.letter for run in without if run.kernel is not None and _computed(run) is None]
    unknown = [run.letter for run in without if run.letter not in idle]
    if idle:
        yield f"{listed(idle)}: nothing that is counted is computed."
    if unknown:
        yield f"{listed(unknown)}: the time, the operations or the bytes are not known."


def _peak(ceilings: Roofline | None, used: Computed | None) -> float | None:
    if ceilings is None or used is None:
        return None
    return ceilings.peak_tflops(used.unit, used.operand, used.accumulator)


def _flops(run: ChartRun, used: Computed | None) -> float | None:
    """The operations that its code does; where it was not analyzed, those its case says."""
    if used is not None:
        return used.flops
    rate, time = run.value(RATE, MEASURED), run.value(TIME, MEASURED)
    return None if rate is None or time is None else rate * time * 1e6


def _ceilings(run: ChartRun) -> Roofline | None:
    if run.target is None:
        return None
    return with_assumed_l2(roofline_of(run.target), run.target)


def _spots(run: ChartRun, used: Computed | None) -> Iterator[_Spot]:
    flops = _flops(run, used)
    if flops is None:
        return
    for source in (MEASURED, PREDICTED):
        time = run.value(TIME, source)
        if time is None:
            continue
        for key, _, _ in _LEVELS:
            moved = level_bytes(run, key, source)
            if moved is None and source is MEASURED:
                moved = level_bytes(run, key, PREDICTED)
            if moved:
                yield _Spot(run, source, key, flops / moved, flops / time / 1e6, moved)


def _series(spots: Sequence[_Spot]) -> tuple[Series, ...]:
    found: dict[str, Series] = {}
    for spot in spots:
        key = f"{spot.run.label}/{spot.source.value}"
        label = f"{spot.run.label} {spot.source.value}"
        tone = tone_of(spot.run.mark)
        found.setdefault(key, Series(key, label, tone, spot.source, spot.run.mark))
    return tuple(found.values())


def _curves(spots: Sequence[_Spot]) -> Iterator[Curve]:
    """The places of each series; the rightmost of a run that was measured bears its letter."""
    labelled: dict[str, _Spot] = {}
    for spot in spots:
        known = labelled.get(spot.run.run.id)
        is_new = known is None or (spot.source is known.source and spot.x > known.x)
        if is_new:
            labelled[spot.run.run.id] = spot
    by_series: dict[str, list[Point]] = {}
    for spot in spots:
        label = spot.run.letter if labelled[spot.run.run.id] is spot else ""
        key = f"{spot.run.label}/{spot.source.value}"
        by_series.setdefault(key, []).append(_point(spot, label))
    for key, points in by_series.items():
        yield Curve(key, tuple(points), is_joined=False)


def _point(spot: _Spot, label: str) -> Point:
    level = next(name for key, name, _ in _LEVELS if key == spot.level)
    tip = (
        f"{spot.run.head(spot.source)}\n{amount(spot.y)} TFLOP/s\n"
        f"{amount(spot.x)} FLOP a byte of {level}, {measure(spot.moved, 'B')}"
    )
    return Point(spot.x, spot.y, label, tip, key=spot.run.run.id)


def _links(spots: Sequence[_Spot]) -> Iterator[Link]:
    """From each prediction to what was measured, and dots between the levels of one run."""
    known = {(s.run.run.id, s.source, s.level): s for s in spots}
    for (run, source, level), spot in known.items():
        twin = known.get((run, MEASURED, level))
        if source is PREDICTED and twin is not None:
            yield Link((spot.x, spot.y), (twin.x, twin.y), tone_of(spot.run.mark))
        other = known.get((run, source, "hbm"))
        is_shown = source is MEASURED or (run, MEASURED, level) not in known
        if level == "l2" and other is not None and is_shown:
            yield Link((spot.x, spot.y), (other.x, other.y), "fg4", is_arrow=False)


def _guides(
    ceilings: Roofline, peak: float | None, used: Computed | None, x: Axis, y: Axis
) -> Iterator[Guide]:
    """The slopes of the levels up to the peak in use, and the peak."""
    top = peak if peak is not None else y.high
    for key, name, level in _LEVELS:
        line = next(each for each in ceilings.bandwidths if each.level is level)
        if line.gb_s is None:
            continue
        slope = line.gb_s / 1e3
        start = max(x.low, y.low / slope)
        is_assumed = line.source is not None and line.source.startswith("assumed")
        label = f"{name} {amount(slope)} TB/s{', assumed' if is_assumed else ''}"
        points = ((start, start * slope), (top / slope, top))
        dash = (5.0, 3.0) if is_assumed else ()
        yield Guide(points, label, key, 1.6, dash, f"{label}\n{line.source or ''}".strip())
    if peak is not None and used is not None:
        ridges = [line.gb_s for line in ceilings.bandwidths if line.gb_s and line.level in _SLOPES]
        left = max(x.low, peak * 1e3 / max(ridges)) if ridges else x.low
        label = f"{used.unit.value} {amount(peak)}"
        tip = f"the peak of {used.name}, {amount(peak)} TFLOP/s"
        yield Guide(((left, peak), (x.high, peak)), label, "fg2", 2.0, tip=tip)


_SLOPES = (MemoryLevel.DRAM, MemoryLevel.L2)


def _other_roofs(
    subject: ChartSubject,
    spots: Sequence[_Spot],
    first: ChartRun,
    computing: dict[str, Computed],
    x: Axis,
) -> Iterator[Guide]:
    """HBM's slope and the peak of the other targets, thin, in their hue."""
    shown = {spot.run.label: spot.run for spot in spots if spot.run.label != first.label}
    for run in shown.values():
        ceilings, used = _ceilings(run), computing.get(run.run.id)
        peak = _peak(ceilings, used)
        ridge = ceilings.ridge(MemoryLevel.DRAM, peak) if ceilings and peak is not None else None
        if used is None or peak is None or ridge is None:
            continue
        low = min(x.low, ridge)
        points = ((low, peak * low / ridge), (ridge, peak), (max(x.high, ridge), peak))
        tip = f"{run.label}: HBM and the peak of {used.name}, {amount(peak)} TFLOP/s"
        yield Guide(points, "", tone_of(run.mark), 1.1, (4.0, 3.0), tip)


def _axes(
    spots: Sequence[_Spot], ceilings: Roofline | None, peak: float | None
) -> tuple[Axis, Axis]:
    xs = [spot.x for spot in spots]
    ys = [spot.y for spot in spots]
    if peak is not None:
        ys.append(peak)
        ridge = ceilings.ridge(MemoryLevel.DRAM, peak) if ceilings is not None else None
        xs += [ridge] if ridge is not None else []
    across = Axis("FLOP/B", min(xs) / 2.5, max(xs) * 2.2, True)
    low = max(min(ys) / 2.5, max(ys) / 10**_DECADES)
    return across, Axis("TFLOP/s", low, max(ys) * 1.7, True)


def _sentence(spots: Sequence[_Spot], peak: float | None, used: Computed | None) -> str:
    source = MEASURED if any(spot.source is MEASURED for spot in spots) else PREDICTED
    best = max((s for s in spots if s.source is source), key=lambda spot: spot.y)
    text = f"{best.run.letter} comes to {amount(best.y)} TFLOP/s, {source.value}"
    if peak and used:
        text += f": {percent(float(f'{best.y / peak:.2g}'))} of the peak of {used.name}"
    return f"{text}."
