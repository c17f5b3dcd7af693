"""Charts of what a launch takes: what limits its occupancy, and what it moves at each level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.counters.quantities import ZERO_SAID
from workbench.core.runs import MetricSource
from workbench.session.charts.bars import places, why_unknown
from workbench.session.charts.model import (
    MEASURED,
    PREDICTED,
    Axis,
    Bar,
    Chart,
    Gap,
    Series,
    empty_chart,
)
from workbench.session.charts.subject import ChartRun, ChartSubject
from workbench.session.charts.words import amount, listed, measure

_LIMITERS = (
    ("warps", "warps", "fg2"),
    ("blocks", "blocks", "fg3"),
    ("registers", "registers", "registers"),
    ("shared_memory", "shared memory", "shared"),
    ("barriers", "barriers", "fg4"),
    ("scalar_registers", "scalar registers", "target4"),
    ("cluster", "the size of a cluster", "target2"),
)
#: Where an analysis calls a limit by another name than counters do.
_ANALYZED = {"shared_mem": "shared_memory"}
_SECTOR, _WAVEFRONT = 32, 128  # bytes
_CUT = 4.0  # times the largest of the smallest limits, where longer bars are cut
#: The unit of bytes that fits the most that is moved, the largest first.
_UNITS = (("GiB", 1024.0**3), ("MiB", 1024.0**2), ("KiB", 1024.0))


@dataclass(frozen=True)
class _Level:
    key: str
    label: str
    metrics: tuple[str, ...]
    scale: float
    how: str


_LEVELS = (
    _Level("hbm", "HBM", ("dram.read_bytes", "dram.write_bytes"), 1, "read and written"),
    _Level("l2", "L2", ("l2.sm_sectors",), _SECTOR, "asked of it by the SMs, 32 bytes a sector"),
    _Level(
        "shared",
        "shared memory",
        ("shared.wavefronts",),
        _WAVEFRONT,
        "what its wavefronts could move, 128 bytes each",
    ),
)


def occupancy(subject: ChartSubject) -> Chart:
    """The blocks of an SM that each resource has room for, the least of them marked."""
    title = "Occupancy limiters"
    shown = [(at, run, _limits(run)) for at, run in enumerate(subject.columns)]
    known = [(at, run, limits) for at, run, limits in shown if limits]
    if not known:
        why = "No run tells what limits its blocks: analyze or profile the kernel."
        return empty_chart("occupancy", title, why)
    least = [min(value for value, _ in limits.values()) for _, _, limits in known]
    cut = max(4.0, _CUT * max(least))
    bars = [bar for at, run, limits in known for bar in _limit_bars(at, run, limits, cut)]
    sources = {key: source for _, _, found in known for key, (_, source) in found.items()}
    series = tuple(
        Series(name, label, tone, sources[name])
        for name, label, tone in _LIMITERS
        if name in sources
    )
    return Chart(
        "occupancy",
        title,
        "blocks of an SM by resource; the fewest is the limit",
        _limit_sentence(known),
        Axis("", places=places(subject)),
        Axis("blocks an SM", 0.0, cut * 1.08, is_whole=True),
        series,
        tuple(bars),
        gaps=tuple(_limit_gap(at, run, series) for at, run, limits in shown if not limits),
        unit="blocks",
    )


_Limits = dict[str, tuple[float, MetricSource]]


def _limits(run: ChartRun) -> _Limits:
    """The limits in blocks: counted ones, else those of the analysis.

    A 0 of a kernel that ran is none, whoever says it.
    """
    found: _Limits = {}
    has_run = run.value("time_us", MEASURED) is not None
    for name, _, _ in _LIMITERS:
        for source in (MEASURED, PREDICTED):
            value = run.value(f"occupancy_limit.{name}", source)
            is_false = value == 0 and (has_run or source is MEASURED)
            if value is not None and not is_false:
                found[name] = (value, source)
                break
    return found or _analyzed_limits(run)


def _analyzed_limits(run: ChartRun) -> _Limits:
    occupancy = run.kernel.occupancy if run.kernel is not None else None
    limits = occupancy.limits if occupancy is not None else ()
    return {
        _ANALYZED.get(each.resource.value, each.resource.value): (float(each.blocks), PREDICTED)
        for each in limits
        if each.blocks is not None
    }


def _limit_bars(at: int, run: ChartRun, limits: _Limits, cut: float) -> Iterator[Bar]:
    fewest = min(value for value, _ in limits.values())
    for name, label, _ in _LIMITERS:
        if name not in limits:
            continue
        value, source = limits[name]
        tip = f"{run.head(source)}\n{amount(value)} blocks of an SM by {label}"
        is_least = value == fewest
        tip += "\nthis is what limits them" if is_least else ""
        tip += f"\n{ZERO_SAID}" if run.value(f"occupancy_limit.{name}", MEASURED) == 0 else ""
        yield Bar(
            name,
            at,
            min(value, cut),
            amount(value),
            tip,
            goes_on=value > cut,
            is_marked=is_least,
            key=run.run.id,
            row=run.letter,
        )


def _limit_gap(at: int, run: ChartRun, series: tuple[Series, ...]) -> Gap:
    text, why = why_unknown(run, PREDICTED)
    return Gap(series[0].key, at, text, f"{run.head(PREDICTED)}\n{why}")


def _limit_sentence(known: list[tuple[int, ChartRun, _Limits]]) -> str:
    """What limits each run, those of one limit together."""
    labels = {name: label for name, label, _ in _LIMITERS}
    groups: dict[str, list[str]] = {}
    for _, run, limits in known:
        fewest = min(value for value, _ in limits.values())
        names = [labels[name] for name, (value, _) in limits.items() if value == fewest]
        blocks = "block" if fewest == 1 else "blocks"
        said = f"{listed(names)} to {amount(fewest)} {blocks} an SM"
        groups.setdefault(said, []).append(run.letter)
    parts = [
        f"{listed(who)} {'is' if len(who) == 1 else 'are'} limited by {said}"
        for said, who in groups.items()
    ]
    return f"{'; '.join(parts)}."


def traffic(subject: ChartSubject) -> Chart:
    """Bytes that a launch moves at each level of memory."""
    title = "Traffic by memory level"
    series, bars = [], []
    unit, scale = _unit_of(subject)
    for level in _LEVELS:
        for source in (MEASURED, PREDICTED):
            own = list(_level_bars(subject, level, source, scale))
            if own:
                key, label = f"{level.key}/{source.value}", f"{level.label} {source.value}"
                series.append(Series(key, label, level.key, source))
                bars += own
    if not bars:
        why = "No run tells its traffic: profile with counters, or analyze the kernel."
        return empty_chart("traffic", title, why)
    most = max(bar.value for bar in bars)
    return Chart(
        "traffic",
        title,
        f"{unit} of a launch",
        _traffic_sentence(subject),
        Axis("", places=places(subject)),
        Axis(unit, 0.0, most * 1.12, may_log=True),
        tuple(series),
        tuple(bars),
        missing=_untold(subject),
        unit=unit,
    )


def level_bytes(run: ChartRun, key: str, source: MetricSource) -> float | None:
    """Bytes at a level, "hbm", "l2" or "shared": counted, or computed of the code."""
    level = next(each for each in _LEVELS if each.key == key)
    known = run.total(level.metrics, source, level.scale)
    return known if known is not None or source is MEASURED else _analyzed_bytes(run, key)


def _analyzed_bytes(run: ChartRun, key: str) -> float | None:
    kernel = run.kernel
    if kernel is None:
        return None
    if key == "shared":
        totals = kernel.shared.totals if kernel.shared is not None else ()
        counts = [total.wavefronts for total in totals]
        known = [count for count in counts if count is not None]
        return float(sum(known)) * _WAVEFRONT if known and len(known) == len(counts) else None
    moved = kernel.global_memory.traffic if kernel.global_memory is not None else None
    if moved is None:
        return None
    pair = (
        (moved.dram_load_bytes, moved.dram_store_bytes)
        if key == "hbm"
        else (moved.l2_load_bytes, moved.l2_store_bytes)
    )
    return None if pair[0] is None or pair[1] is None else float(pair[0] + pair[1])


def _unit_of(subject: ChartSubject) -> tuple[str, float]:
    """The unit of bytes in which the most that is moved anywhere is at least one."""
    sources = (MEASURED, PREDICTED)
    values = (level_bytes(r, v.key, s) for r in subject.columns for v in _LEVELS for s in sources)
    most = max((value for value in values if value is not None), default=0.0)
    return next((each for each in _UNITS if most >= each[1]), _UNITS[-1])


def _level_bars(
    subject: ChartSubject, level: _Level, source: MetricSource, scale: float
) -> Iterator[Bar]:
    for at, run in enumerate(subject.columns):
        value = level_bytes(run, level.key, source)
        if value is not None:
            tip = f"{run.head(source)}\n{measure(value, 'B')} at {level.label}: {level.how}"
            key = f"{level.key}/{source.value}"
            text = amount(value / scale)
            yield Bar(key, at, value / scale, text, tip, key=run.run.id, row=run.letter)


def _traffic_sentence(subject: ChartSubject) -> str:
    """Which run moves least at the farthest level that is known of all."""
    for level in _LEVELS:
        for source in (MEASURED, PREDICTED):
            known = [
                (value, run)
                for run in subject.columns
                if (value := level_bytes(run, level.key, source)) is not None
            ]
            if len(known) > 1:
                least, most = min(v for v, _ in known), max(v for v, _ in known)
                who = listed([run.letter for value, run in known if value <= least * 1.01])
                verb = "moves" if " and " not in who else "move"
                much = "about as much as the others"
                if most > least * 1.05:
                    much = f"{1 - least / most:.0%} less than the most".replace("%", " %")
                text = f"{who} {verb} least at {level.label}, {measure(least, 'B')}: {much}"
                return f"{text} ({source.value})."
    return "What one run moves at each level."


def _untold(subject: ChartSubject) -> tuple[str, ...]:
    """Which levels were not counted of runs that were measured."""
    said = []
    for level in _LEVELS:
        who = [
            run.letter
            for run in subject.columns
            if run.value("time_us", MEASURED) is not None
            and level_bytes(run, level.key, MEASURED) is None
        ]
        if who:
            said.append(f"{listed(who)}: bytes at {level.label} were not counted.")
    return tuple(said)
