"""What charts are made of: runs with their profiles and analyses, each with its letter and mark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.comparison.noise import TimeDifference, compare_times
from workbench.core.profiles import KernelCounters, ProfileResult
from workbench.core.runs import Metric, MetricSource, Run, RunStatus
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.session.charts.model import MEASURED, PREDICTED

PREDICTED_PREFIX = "predicted."
_OF_A_LAUNCH = ("time_us", "tflops", "gb_s")
Resolve = Callable[[str], Target | None]


@dataclass(frozen=True)
class Content:
    """What a run stores besides its metrics, as far as it could be read."""

    profile: ProfileResult | None = None
    analysis: AnalyzeResult | None = None


@dataclass(frozen=True)
class ChartRun:
    """One run in a chart: `place` is the number of its column, which its letter names.

    Runs of one column are of the same text, kernel and arguments on other targets. `mark` is the
    place of its target among those of the charts. `title` is what tells it from the others.
    """

    run: Run
    place: int
    letter: str
    title: str
    target: Target | None
    mark: int
    content: Content = Content()

    @property
    def label(self) -> str:
        """The short name of its target."""
        return short_label(self.target) if self.target is not None else self.run.target or "unknown"

    @cached_property
    def kernel(self) -> KernelAnalysis | None:
        """What was computed of its first kernel."""
        analysis = self.content.analysis
        return analysis.kernels[0] if analysis is not None and analysis.kernels else None

    @property
    def counters(self) -> KernelCounters | None:
        """The counters of its first kernel."""
        profile = self.content.profile
        report = profile.counters if profile is not None else None
        return report.kernels[0] if report is not None and report.kernels else None

    @property
    def samples_us(self) -> tuple[float, ...]:
        """The times of its launches in the order taken."""
        profile = self.content.profile
        return profile.latency.samples_us if profile is not None and profile.latency else ()

    def metric(self, name: str, source: MetricSource) -> Metric | None:
        """A figure that is known, measured or predicted; None where it is not."""
        if source is PREDICTED and self.run.status is not RunStatus.DONE and name in _OF_A_LAUNCH:
            return None  # what cannot be launched takes no time
        names = [name] if source is MEASURED else [PREDICTED_PREFIX + name, name]
        found = (self.run.metrics.get(each) for each in names)
        return next((m for m in found if m and m.source is source and m.value is not None), None)

    def value(self, name: str, source: MetricSource) -> float | None:
        """The value of such a figure."""
        found = self.metric(name, source)
        return None if found is None or found.value is None else float(found.value)

    def total(self, names: Sequence[str], source: MetricSource, scale: float = 1) -> float | None:
        """A sum of figures; None where one of them is not known."""
        values = [self.value(name, source) for name in names]
        known = [value for value in values if value is not None]
        return sum(known) * scale if len(known) == len(values) else None

    def head(self, source: MetricSource) -> str:
        """The first line of a tip: which run, measured on what or predicted for what."""
        where = self.run.device or self.label if source is MEASURED else self.label
        word = "measured on" if source is MEASURED else "predicted for"
        return f"{self.letter} · {self.title or self.run.kernel or ''}: {word} {where}"


@dataclass(frozen=True)
class ChartSubject:
    """The runs of a set of charts; `base` is the one that the others are held against.

    `columns` are the titles of the columns in their order.
    """

    runs: tuple[ChartRun, ...]
    base: ChartRun | None = None

    @cached_property
    def columns(self) -> tuple[ChartRun, ...]:
        """The first run of each column."""
        found: dict[int, ChartRun] = {}
        for each in self.runs:
            found.setdefault(each.place, each)
        return tuple(found[place] for place in sorted(found))

    @property
    def targets(self) -> tuple[ChartRun, ...]:
        """One run of each target, in the order of their marks."""
        found: dict[str, ChartRun] = {}
        for each in self.runs:
            found.setdefault(each.label, each)
        return tuple(found.values())

    @cached_property
    def differences(self) -> Mapping[str, TimeDifference]:
        """What may be said of the measured time of each run beside the base's, by its id."""
        base = self.base
        if base is None or not base.samples_us:
            return {}
        return {
            each.run.id: compare_times(base.samples_us, each.samples_us)
            for each in self.runs
            if each.run.id != base.run.id and each.samples_us
        }

    def same_target(self, run: ChartRun) -> ChartRun | None:
        """What a run is held against: the base's column on its target, else the base itself."""
        if self.base is None:
            return None
        own = [each for each in self.runs if each.place == self.base.place]
        return next((each for each in own if each.label == run.label), self.base)
