"""The chart of why warps did not issue, as parts of the cycles of an instruction."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.counters.quantities import BY_KEY
from workbench.session.charts.bars import places
from workbench.session.charts.model import MEASURED, Axis, Bar, Chart, Gap, Series, empty_chart
from workbench.session.charts.subject import ChartRun, ChartSubject
from workbench.session.charts.words import amount, percent

_PREFIX, _TOTAL = "stall.", "stall.cycles_per_instruction"
_OTHERS = "others"
_SHOWN = 7
#: The hue of a reason: that of the memory level waited for, or of what it costs.
_TONES = {
    "long_scoreboard": "hbm",
    "lg_throttle": "l2",
    "short_scoreboard": "shared",
    "mio_throttle": "registers",
    "barrier": "warn",
    "gmma": "accent",
    "math_pipe_throttle": "info",
    "wait": "fg3",
    "selected": "good",
}
_SPARE = ("target5", "target4", "target2", "fg2")


def stalls(subject: ChartSubject) -> Chart:
    """The reasons of each run on top of each other; what is small is told together."""
    title = "Stall breakdown"
    found = {run.place: _reasons(run) for run in subject.columns}
    if not any(found.values()):
        why = (
            "No run counted why warps wait: profile with counters of the full set "
            "(`profile --counters --full`)."
        )
        return empty_chart("stalls", title, why)
    names = _largest(list(found.values()))
    series = _series(names)
    bars, gaps = [], []
    for at, run in enumerate(subject.columns):
        reasons = found[run.place]
        if reasons:
            bars += _stacked(at, run, reasons, names)
        else:
            gaps.append(Gap(series[0].key, at, "unknown", f"{run.head(MEASURED)}\nnot counted"))
    return Chart(
        "stalls",
        title,
        "part of the cycles between two instructions of a warp",
        _sentence(subject, found),
        Axis("", places=places(subject)),
        Axis("", 0.0, 1.0, is_percent=True),
        series,
        tuple(bars),
        gaps=tuple(gaps),
        stacked=True,
        unit="%",
    )


def _reasons(run: ChartRun) -> dict[str, float]:
    """Cycles by reason, those that took none left out."""
    return {
        name.removeprefix(_PREFIX): float(metric.value)
        for name, metric in run.run.metrics.items()
        if name.startswith(_PREFIX) and name != _TOTAL and metric.value
    }


def _largest(found: list[dict[str, float]]) -> tuple[str, ...]:
    sums: dict[str, float] = {}
    for reasons in found:
        total = sum(reasons.values())
        for name, value in reasons.items():
            sums[name] = sums.get(name, 0.0) + value / total
    ordered = sorted(sums, key=lambda name: -sums[name])
    return tuple(ordered[:_SHOWN])


def _series(names: tuple[str, ...]) -> tuple[Series, ...]:
    spare = iter(_SPARE)
    shown = [Series(name, title_of(name), _TONES.get(name) or next(spare, "fg2")) for name in names]
    return (*shown, Series(_OTHERS, "others", "fg4"))


def title_of(name: str) -> str:
    """A reason in words."""
    known = BY_KEY.get(f"{_PREFIX}{name}")
    title = known.title.removeprefix("Stalled: ") if known is not None else name.replace("_", " ")
    return title.removeprefix("waiting for ").removeprefix("waiting ")


def _stacked(
    at: int, run: ChartRun, reasons: Mapping[str, float], names: tuple[str, ...]
) -> list[Bar]:
    total = sum(reasons.values())
    parts = {name: reasons[name] for name in names if name in reasons}
    rest = total - sum(parts.values())
    if rest > total * 1e-6:
        parts[_OTHERS] = rest
    bars, start = [], 0.0
    for name, value in parts.items():
        end = start + value / total
        what = title_of(name) if name != _OTHERS else "other reasons"
        tip = f"{run.head(MEASURED)}\n{percent(value / total)}: {what}, {amount(value)} cycles"
        text = f"{value / total:.0%}".replace("%", " %")
        bars.append(Bar(name, at, end, text, tip, start, key=run.run.id, row=run.letter))
        start = end
    return bars


def _sentence(subject: ChartSubject, found: Mapping[int, Mapping[str, float]]) -> str:
    parts = []
    for run in subject.columns:
        reasons = {n: v for n, v in found[run.place].items() if n != "selected"}
        if reasons:
            name = max(reasons, key=reasons.__getitem__)
            share = reasons[name] / sum(found[run.place].values())
            parts.append(f"{run.letter} waits most for {title_of(name)}, {share:.0%}")
    return f"{'; '.join(parts)}.".replace("%", " %")
