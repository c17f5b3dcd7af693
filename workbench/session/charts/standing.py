"""Which of several runs is the fastest, and whether that is more than noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.comparison.noise import PREDICTED_GRAIN, Verdict, compare_times
from workbench.core.comparison.work import DIFFERENT_WORK
from workbench.core.runs import MetricSource
from workbench.session.charts.model import MEASURED, PREDICTED
from workbench.session.charts.subject import ChartRun, ChartSubject
from workbench.session.charts.words import amount, listed, measure
from workbench.session.charts.work import does_different_work

TIME = "time_us"


@dataclass(frozen=True)
class Standing:
    """The fastest runs, several where noise does not tell them apart.

    `ratio` is the base's time over theirs, None where the base is among them or has no time.
    `of_noise` says that it is within what chance explains.
    """

    source: MetricSource
    best: tuple[ChartRun, ...]
    time_us: float
    base: ChartRun | None
    ratio: float | None
    is_noise: bool = False

    @property
    def letters(self) -> str:
        """The columns of the fastest, "C and D"."""
        return listed([each.letter for each in self.best])


def standing(subject: ChartSubject, runs: Sequence[ChartRun] | None = None) -> Standing | None:
    """The fastest of the measured runs, else of the predicted; None where fewer than two are."""
    among = subject.columns if runs is None else runs
    for source in (MEASURED, PREDICTED):
        timed = [(t, run) for run in among if (t := run.value(TIME, source)) is not None]
        if len(timed) > 1:
            return _standing(subject, source, timed)
    return None


def _standing(
    subject: ChartSubject, source: MetricSource, timed: Sequence[tuple[float, ChartRun]]
) -> Standing:
    time, first = min(timed, key=lambda each: each[0])
    best = tuple(run for other, run in timed if is_equal(source, first, run, time, other))
    base = subject.base
    base_time = base.value(TIME, source) if base is not None else None
    if base is None or base_time is None or any(each.run.id == base.run.id for each in best):
        return Standing(source, best, time, base, None)
    return Standing(source, best, time, base, base_time / time)


def is_equal(
    source: MetricSource, one: ChartRun, other: ChartRun, time: float, other_time: float
) -> bool:
    """Whether two times are alike: within their noise, or nearer than a prediction tells."""
    if one.run.id == other.run.id or time == other_time:
        return True
    if source is PREDICTED:
        return abs(other_time / time - 1) < PREDICTED_GRAIN
    if not one.samples_us or not other.samples_us:
        return False
    return compare_times(one.samples_us, other.samples_us).verdict is Verdict.EQUAL


def times_sentence(subject: ChartSubject) -> str:
    """Who is fastest, and by how much; "" where there is no time."""
    found = standing(subject)
    if found is None:
        return _one_time(subject)
    if does_different_work(subject.columns):
        return DIFFERENT_WORK
    be, which = ("are", "equally fast") if len(found.best) > 1 else ("is", "fastest")
    if found.source is PREDICTED:
        be += " predicted to be"
    text = f"{found.letters} {be} {which}, {measure(found.time_us, 'us')}"
    if found.ratio is not None and found.base is not None:
        text += f": {amount(found.ratio)} × as fast as {found.base.letter}"
    elif found.base is not None and any(b.run.id == found.base.run.id for b in found.best):
        text += _nothing_beats(found)
    return f"{text}."


def _nothing_beats(found: Standing) -> str:
    if len(found.best) > 1 or found.base is None:
        return ""
    return f": none beats {found.base.letter}, which the others are held against"


def _one_time(subject: ChartSubject) -> str:
    for run in subject.columns:
        for source in (MEASURED, PREDICTED):
            time = run.value(TIME, source)
            if time is not None:
                return f"{run.letter} takes {measure(time, 'us')}, {source.value}."
    return ""
