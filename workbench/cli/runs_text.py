"""Runs for a person to read: as rows of a list, and one with all that it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from workbench.cli import output
from workbench.cli.compared_outputs import output_json, worst_lines
from workbench.core.figures import number
from workbench.core.history import History
from workbench.core.runs import MOST_OVERRIDES, SAMPLED, Metric, Run, RunKind, RunStatus
from workbench.session.profile.words import percent, ratio_text, signed_percent, three, time_text
from workbench.session.stored_values import stored_profile

HEADER = ("run", "created", "kind", "status", "kernel", "case", "target", "device", "result")
#: The figures of a profile after its time, and how each is told.
_PROFILED: dict[str, Callable[[float], str]] = {
    "tflops": lambda value: f"{three(value)} TFLOP/s",
    "gb_s": lambda value: f"{three(value)} GB/s",
    "share.matmul": lambda value: f"{percent(value)} of matmul",
    "share.copy": lambda value: f"{percent(value)} of copying",
    "baseline.ratio": lambda value: f"{ratio_text(value)} baseline",
}
#: Those of a launch that a profiler counted and nobody timed.
_COUNTED: dict[str, Callable[[float], str]] = {
    "registers": lambda value: f"{number(value)} registers",
    "achieved_occupancy": lambda value: f"{percent(value)} of the warps active",
    "shared.wavefronts": lambda value: f"{number(value)} wavefronts of shared memory",
}
_MOST_FIGURES = 3
_MOST_CHARACTERS = 80  # of an error


def row(run: Run) -> tuple[str, ...]:
    """One run in a list."""
    created = run.created.astimezone().strftime("%Y-%m-%d %H:%M:%S")
    names = (
        run.kernel or "-",
        run.case_title(MOST_OVERRIDES) or "-",
        run.target or "-",
        run.device or "-",
    )
    summary = _with_origin(run, _summary(run))
    return run.id, created, run.kind.value, run.status.value, *names, summary


def _summary(run: Run) -> str:
    if run.error:
        return _shortened(run.error.splitlines()[0])
    known = {name: m for name, m in run.metrics.items() if m.value is not None}
    if run.kind is RunKind.PROFILE and "time_us" in known:
        figures = ", ".join(_profiled(known))
        # nothing else fails a profile that has a time and no error
        return f"wrong result, {figures}" if run.status is RunStatus.FAILED else figures
    shown = [
        f"{name} {output.quantity(m.value, m.unit, 3)}"
        for name, m in known.items()
        if name not in SAMPLED
    ]
    return ", ".join([*([run.sample] if run.sample else []), *shown[:_MOST_FIGURES]])


def _shortened(line: str) -> str:
    """A line as far as there is room for it, up to the end of a word where that is not far back."""
    if len(line) <= _MOST_CHARACTERS:
        return line
    begin = line[: _MOST_CHARACTERS - 2]
    whole, blank, part = begin.rpartition(" ")
    return f"{whole if blank and len(part) < _MOST_CHARACTERS // 2 else begin} …"


def _profiled(known: dict[str, Metric]) -> Iterator[str]:
    """The median with its spread, and what it comes to."""
    values = {name: m.value for name, m in known.items() if m.value is not None}
    median = values["time_us"]
    ends = [values.get("time_us.p10"), values.get("time_us.p90")]
    spread = [signed_percent(end / median - 1) for end in ends if end is not None and median]
    yield f"{time_text(median)} ({' to '.join(spread)})" if len(spread) > 1 else time_text(median)
    told = _PROFILED if len(spread) > 1 else _COUNTED
    for name, words in told.items():
        if name in values:
            yield words(values[name])


def _with_origin(run: Run, summary: str) -> str:
    """A launch of which no document is known is told by the file that it came from."""
    if run.document is not None or run.origin is None:
        return summary
    return f"{summary}, from {run.origin}" if summary else f"from {run.origin}"


def print_run(run: Run, history: History) -> None:
    """Everything about one run: what was done, the figures, what to believe, what was found."""
    for name, value in _facts(run).items():
        if value is not None:
            print(f"{name:<10} {value}")
    width = max((len(name) for name in run.metrics), default=0)
    for name, metric in run.metrics.items():
        value = output.quantity(metric.value, metric.unit, 6)
        print(f"{name:<{max(width, 24)}} {value}  ({metric.source.value}: {metric.method})")
    profile = stored_profile(history, run)
    latency = profile.latency if profile is not None else None
    for sentence in latency.trust if latency is not None else ():
        print(sentence)
    output.print_diagnostics(run.document or "untitled", run.diagnostics)
    for compared in profile.outputs if profile is not None else ():
        for line in worst_lines(output_json(compared)):
            print(line)


def _facts(run: Run) -> dict[str, str | None]:
    return {
        "run": run.id,
        "created": run.created.astimezone().isoformat(timespec="seconds"),
        "kind": run.kind.value,
        "status": run.status.value,
        "document": run.document,
        "attached": ", ".join(run.attached_to) or None,
        "kernel": run.kernel,
        "case": run.case_title(),
        "arguments": ", ".join(f"{k}={v!r}" for k, v in run.args.items()) or None,
        "target": run.target,
        "host": run.host,
        "device": run.device,
        "origin": run.origin,
        "series": run.group,
        "tags": ", ".join(run.tags) or None,
        "note": run.note,
        "error": run.error,
        "versions": ", ".join(f"{k} {v}" for k, v in run.versions.items()) or None,
        "stored": ", ".join(artifact.name for artifact in run.artifacts) or None,
    }
