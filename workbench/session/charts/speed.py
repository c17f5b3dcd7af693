"""Charts of time: latency, throughput, and speed-up against the baseline."""

from __future__ import annotations

from workbench.core.comparison.noise import Verdict
from workbench.core.comparison.work import DIFFERENT_WORK
from workbench.core.runs import MetricSource
from workbench.session.charts.bars import Bars, Figures, Tip, Value, bars_of, places, why_unknown
from workbench.session.charts.model import MEASURED, PREDICTED, Axis, Chart, Guide, empty_chart
from workbench.session.charts.standing import TIME, times_sentence
from workbench.session.charts.subject import ChartRun, ChartSubject
from workbench.session.charts.words import amount, listed, measure
from workbench.session.charts.work import does_different_work
from workbench.session.lenses.roofline.facts import computed_by

_LOW, _HIGH = "time_us.p10", "time_us.p90"
_RATES = (("tflops", "TFLOP/s"), ("gb_s", "GB/s"))
_NO_TIME = "No run has a time: profile the kernel, or analyze it for a target."


def latency(subject: ChartSubject) -> Chart:
    """Time of a launch by column and target, with what lies between the 10th and 90th."""
    found = bars_of(subject, Figures(_time, amount, _time_tip, time_spread))
    title = "Latency by target" if len(subject.targets) > 1 else "Latency"
    if not found.bars:
        return empty_chart("latency", title, _NO_TIME, found.missing)
    return Chart(
        "latency",
        title,
        "µs, median of a launch; whiskers from the 10th to the 90th percentile",
        times_sentence(subject),
        Axis("", places=places(subject)),
        found.axis("µs"),
        found.series,
        found.bars,
        gaps=found.gaps,
        missing=found.missing,
        unit="µs",
    )


def throughput(subject: ChartSubject) -> Chart:
    """Operations a second, or bytes where nothing that is counted is computed."""
    for name, unit in _RATES:
        value = _operations if name == "tflops" else _rate(name)
        found = bars_of(subject, Figures(value, amount, _rate_tip(unit)))
        if found.bars:
            break
    else:
        why = "No run has a rate: a profile has one, where it knows operations or bytes."
        return empty_chart("throughput", "Throughput", why)
    return Chart(
        "throughput",
        "Throughput",
        f"{unit}, over the median time",
        _most_sentence(subject, name, unit),
        Axis("", places=places(subject)),
        found.axis(unit),
        found.series,
        found.bars,
        gaps=found.gaps,
        missing=found.missing,
        unit=unit,
    )


def speed_up(subject: ChartSubject) -> Chart:
    """How many times as fast as the baseline each is: of one source and one target only."""
    title, base = "Speed-up", subject.base
    if base is None:
        why = "No run is pinned as the baseline: pin one, or choose a column to hold against."
        return empty_chart("speed-up", title, why)

    def ratio(run: ChartRun, source: MetricSource) -> float | None:
        held = subject.same_target(run)
        if _does_other_work(subject, run):
            return None
        mine = run.value(TIME, source)
        theirs = held.value(TIME, source) if held is not None else None
        return theirs / mine if theirs and mine else None

    def tip(run: ChartRun, source: MetricSource, value: float) -> str:
        lines = [f"{amount(value)} × as fast as {base.letter}"]
        difference = subject.differences.get(run.run.id)
        if source is MEASURED and difference is not None:
            lines.append(difference.sentence)
        return "\n".join(lines)

    def gap(run: ChartRun, source: MetricSource) -> tuple[str, str]:
        why = f"it does other work than {base.letter}, so their times say little of each other"
        return ("other work", why) if _does_other_work(subject, run) else why_unknown(run, source)

    found = bars_of(subject, Figures(ratio, lambda v: f"{amount(v)} ×", tip, gap=gap))
    if not found.bars:
        why = f"The baseline {base.letter} has no time on these targets to hold others against."
        return empty_chart("speed-up", title, why)
    return Chart(
        "speed-up",
        title,
        f"over {base.letter}, each against the same source, and the same target where it has one",
        _speed_sentence(subject),
        Axis("", places=places(subject)),
        found.axis("times as fast"),
        found.series,
        found.bars,
        guides=(_equal_line(subject, base.letter),),
        gaps=found.gaps,
        missing=found.missing,
        unit="×",
    )


def _does_other_work(subject: ChartSubject, run: ChartRun) -> bool:
    """Whether a run does other work than what it is held against."""
    held = subject.same_target(run)
    return held is not None and does_different_work((held, run))


def _equal_line(subject: ChartSubject, name: str) -> Guide:
    """Where a run is as fast as what it is held against."""
    last = len(subject.columns)
    return Guide(((-0.5, 1.0), (last - 0.5, 1.0)), f"{name} = 1", "fg2", dash=(5, 3))


def reference(subject: ChartSubject) -> Chart:
    """How many times as fast as the document's baseline function each is."""
    title = "Against the reference"
    name = next((_baseline_name(run) for run in subject.runs if _baseline_name(run)), "")

    def tip(run: ChartRun, source: MetricSource, value: float) -> str:
        time = run.value("baseline.time_us", source)
        return f"{amount(value)} × as fast as {_baseline_name(run)}, {measure(time, 'us')}"

    ratio = _rate("baseline.ratio")
    found = bars_of(subject, Figures(ratio, lambda v: f"{amount(v)} ×", tip))
    if not found.bars:
        why = "No run was timed beside a baseline: name one in the case (`baseline = ...`)."
        return empty_chart("reference", title, why)
    return Chart(
        "reference",
        title,
        f"over {name}, timed in the same run in both orders",
        _reference_sentence(found, name),
        Axis("", places=places(subject)),
        found.axis(f"times as fast as {name}"),
        found.series,
        found.bars,
        guides=(_equal_line(subject, name),),
        gaps=found.gaps,
        missing=found.missing,
        unit="×",
    )


def _reference_sentence(found: Bars, name: str) -> str:
    best = max(found.bars, key=lambda bar: bar.value)
    if best.value < 1:
        return f"{best.row} comes closest to {name}, with {best.value:.0%} of its speed.".replace(
            "%", " %"
        )
    return f"{best.row} is {amount(best.value)} × as fast as {name}."


def time_spread(run: ChartRun, source: MetricSource) -> tuple[float, float] | None:
    """The 10th and 90th percentile of what was measured."""
    low, high = run.value(_LOW, source), run.value(_HIGH, source)
    return None if low is None or high is None or source is not MEASURED else (low, high)


def _time(run: ChartRun, source: MetricSource) -> float | None:
    return run.value(TIME, source)


def _time_tip(run: ChartRun, source: MetricSource, value: float) -> str:
    lines = [measure(value, "us")]
    spread = time_spread(run, source)
    if spread is not None:
        lines[0] += f", p10 to p90: {measure(spread[0], 'us')} to {measure(spread[1], 'us')}"
    found = run.metric(TIME, source)
    return "\n".join([*lines, *([found.method] if found is not None and found.method else [])])


def _operations(run: ChartRun, source: MetricSource) -> float | None:
    """TFLOP/s: as it was measured, or the operations of the code over the predicted time."""
    known = run.value("tflops", source)
    time = run.value(TIME, source)
    work = run.kernel.work if run.kernel is not None else None
    if known is not None or source is MEASURED or not time or work is None:
        return known
    used = computed_by(work)
    return used.flops / time / 1e6 if used is not None else None


def _rate(name: str) -> Value:
    return lambda run, source: run.value(name, source)


def _rate_tip(unit: str) -> Tip:
    return lambda run, source, value: f"{amount(value)} {unit}"


def _most_sentence(subject: ChartSubject, name: str, unit: str) -> str:
    known = [(v, run) for run in subject.runs if (v := run.value(name, MEASURED)) is not None]
    if not known:
        rates = [(v, run) for run in subject.columns if (v := _operations(run, PREDICTED))]
        value, run = max(rates, key=lambda each: each[0])
        return f"{run.letter} is predicted to reach most, {amount(value)} {unit}."
    value, run = max(known, key=lambda each: each[0])
    share = run.value("share.matmul" if name == "tflops" else "share.copy", MEASURED)
    of = ""
    if share is not None:
        of = f", {share:.0%} of what this device was measured to reach".replace("%", " %")
    return f"{run.letter} reaches most, {amount(value)} {unit}{of}."


def _speed_sentence(subject: ChartSubject) -> str:
    """Who is faster than the base, who slower, and of whom it cannot be told."""
    base = subject.base
    told = subject.differences
    if base is None or not told:
        return times_sentence(subject)
    if all(_does_other_work(subject, run) for run in subject.columns if run is not base):
        return DIFFERENT_WORK
    words = {Verdict.FASTER: "faster", Verdict.EQUAL: "as fast", Verdict.SLOWER: "slower"}
    parts = []
    for verdict, name in words.items():
        runs = [run for run in subject.runs if _verdict(subject, run) is verdict]
        if runs:
            be = "is" if len(runs) == 1 else "are"
            than = f"than {base.letter}" if verdict is not Verdict.EQUAL else "within the noise"
            parts.append(f"{listed([run.letter for run in runs])} {be} {name} {than}")
    return f"{'; '.join(parts)}." if parts else times_sentence(subject)


def _verdict(subject: ChartSubject, run: ChartRun) -> Verdict | None:
    found = subject.differences.get(run.run.id)
    return None if found is None or _does_other_work(subject, run) else found.verdict


def _baseline_name(run: ChartRun) -> str:
    profile = run.content.profile
    if profile is not None and profile.baseline is not None:
        return profile.baseline.name
    found = run.metric("baseline.time_us", MEASURED)
    return (found.method or "the baseline").split(",")[0] if found is not None else ""
