"""How runs are told: their kind, how they ended, their headline figure and their conclusion."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from workbench.core.figures import Figure, figure
from workbench.core.runs import Metric, MetricSource, Run, RunKind, RunStatus
from workbench.ui.widgets.severity import SeverityLook

KIND_WORDS = {
    RunKind.COMPILE: "Compile",
    RunKind.VERIFY: "Verify",
    RunKind.PROFILE: "Profile",
    RunKind.PREDICT: "Predict",
    RunKind.SWEEP_POINT: "Sweep point",
    RunKind.SCRIPT: "Script",
}
STATUS_LOOKS = {
    RunStatus.DONE: SeverityLook("check", "good", "Done"),
    RunStatus.FAILED: SeverityLook("error", "error", "Failed"),
    RunStatus.CANCELLED: SeverityLook("stop", "fg3", "Cancelled"),
    RunStatus.LOST: SeverityLook("warning", "warn", "Lost"),
}
SOURCE_WORDS = {MetricSource.MEASURED: "measured", MetricSource.PREDICTED: "predicted"}

# Which metrics stand for a run: (pattern of the name, what it is called), the first found counts.
# The kernel's own time comes first: a slower baseline's or a predicted one's is another's.
_TIME_US = (
    ("time_us", "time"),
    ("*median_us", "median"),
    ("*time_us", "time"),
    ("*_us", "time"),
)
_HEADLINES = {
    RunKind.COMPILE: (("registers", "registers"), ("shared_dynamic_bytes", "shared memory")),
    RunKind.VERIFY: (("*.rel_fro", "relative error"), ("*.max_abs", "largest error")),
    RunKind.PROFILE: _TIME_US,
    RunKind.PREDICT: _TIME_US,
    RunKind.SWEEP_POINT: _TIME_US,
    RunKind.SCRIPT: (("launches", "launches"),),
}
_WANTED = {
    kind: [(re.compile(fnmatch.translate(pattern)).match, label) for pattern, label in wanted]
    for kind, wanted in _HEADLINES.items()
}
_ABRUPT = {
    RunStatus.CANCELLED: "Cancelled before it ended.",
    RunStatus.LOST: "Lost: the worker went away before the job ended.",
}


@dataclass(frozen=True)
class Headline:
    """The figure that stands for a run: what it is called, and the metric it is."""

    label: str
    metric: Metric

    @property
    def figure(self) -> Figure:
        """The number as shown; a plain count has its name for a unit."""
        shown = figure(self.metric.value, self.metric.unit)
        return shown if shown.unit else Figure(shown.text, self.label)

    @property
    def origin(self) -> str:
        """Measured or predicted, and how: "predicted · ptxas"."""
        word = SOURCE_WORDS[self.metric.source]
        return f"{word} · {self.metric.method}" if self.metric.method else word


def headline(run: Run) -> Headline | None:
    """The figure that stands for a run, the largest where several outputs have it."""
    for matches, label in _WANTED[run.kind]:
        known = [
            metric
            for name, metric in run.metrics.items()
            if metric.value is not None and matches(name)
        ]
        if known:
            return Headline(label, max(known, key=lambda metric: metric.value or 0.0))
    return None


def conclusion(run: Run) -> str:
    """What a run came to, in one sentence."""
    if run.status in _ABRUPT:
        return _ABRUPT[run.status]
    if run.status is RunStatus.FAILED:
        return _failure(run)
    took = f" in {figure(run.seconds, 's')}" if run.seconds is not None else ""
    best = headline(run)
    if run.kind is RunKind.COMPILE:
        return f"Compiles for {run.target}{took}."
    if run.kind is RunKind.VERIFY:
        error = f": {best.label} {best.figure.text}" if best else ""
        sampled = f", {run.sample}" if run.sample else ""
        return f"Matches its reference{sampled}{error}."
    if run.kind is RunKind.SCRIPT:
        return f"Ran to its end{took}{f': {best.figure.text} {best.label}' if best else ''}."
    return f"Takes {best.figure}, {best.origin}." if best else "Done."


def _failure(run: Run) -> str:
    first_line = (run.error or "").strip().partition("\n")[0]
    if run.kind is RunKind.COMPILE:
        return f"Does not compile for {run.target}: {first_line or 'see its problems'}"
    if run.kind is RunKind.VERIFY and not first_line:
        best = headline(run)
        error = f": {best.label} {best.figure.text}" if best else ""
        return f"Does not match its reference{error}."
    if run.kind is RunKind.PROFILE and not first_line:
        best = headline(run)
        return f"Its result is wrong{f'; it takes {best.figure}' if best else ''}."
    return f"Failed: {first_line or 'no reason was given.'}"


def when(created: datetime, today: date) -> str:
    """When a run was, in local time: "14:04", "yesterday 9:30", "3 Nov 14:04", "3 Nov 2025"."""
    local = created.astimezone()
    clock = f"{local:%H:%M}"
    if local.date() == today:
        return clock
    if local.date() == today - timedelta(days=1):
        return f"yesterday {clock}"
    day = f"{local.day} {local:%b}"
    return f"{day} {clock}" if local.year == today.year else f"{day} {local.year}"


def arguments_text(run: Run) -> str:
    """The arguments in one line: "M = 1024, N = 1024"."""
    return ", ".join(f"{name} = {value!r}" for name, value in run.args.items())


def summary(loaded: int, total: int | None, failed: int) -> str:
    """The conclusion of a list of runs, of which a part may be loaded; None: not counted yet."""
    if total is None:
        return f"More than {_runs(loaded)}; {failed:,} of these failed."
    partly = "" if loaded >= total else f", {loaded:,} loaded"
    return f"{_runs(total)}{partly}; {failed:,} failed."


def no_match(words: str) -> str:
    """What was looked for, and that there is none."""
    return f"No run matches \u201c{' '.join(words.split())}\u201d."


def none_of(name: str) -> str:
    """That a file has no run yet."""
    return f"No run is of {name} yet."


def _runs(count: int) -> str:
    return f"{count:,} run{'' if count == 1 else 's'}"
