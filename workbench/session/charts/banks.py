"""The chart of bank conflicts by line: the lines of each run that lose most wavefronts."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.session.charts.model import (
    MEASURED,
    PREDICTED,
    Axis,
    Bar,
    Chart,
    Place,
    Series,
    empty_chart,
)
from workbench.session.charts.subject import ChartRun, ChartSubject
from workbench.session.charts.words import amount, listed, short
from workbench.session.profile.numbers import line_rows

_MOST = 14


@dataclass(frozen=True)
class _Line:
    """Wavefronts beyond the least, of one line of one run; None where they are not known."""

    run: ChartRun
    line: int | None
    buffer: str
    predicted: float | None
    measured: float | None

    @property
    def cost(self) -> float:
        """What is known of it."""
        return max(self.predicted or 0.0, self.measured or 0.0)

    @property
    def name(self) -> str:
        """Its run and its number."""
        return f"{self.run.letter} {self.line if self.line is not None else '?'}"


def bank_conflicts(subject: ChartSubject) -> Chart:
    """The lines with conflicts, by run and line, those that lose most where there are many."""
    title = "Bank conflicts by line"
    told = [run for run in subject.columns if _is_known(run)]
    unknown = [run.letter for run in subject.columns if not _is_known(run)]
    said: tuple[str, ...] = ()
    if unknown:
        said = (f"{listed(unknown)}: conflicts of lines are not known.",)
    if not told:
        why = "Nothing is known of lines: analyze the kernel, or profile it with `--lines`."
        return empty_chart("banks", title, why)
    lines = [line for run in told for line in _lines(run)]
    if not lines:
        who = listed([run.letter for run in told])
        text = f"No line of {who} has bank conflicts."
        return empty_chart("banks", title, text, said)
    chosen = sorted(sorted(lines, key=lambda line: -line.cost)[:_MOST], key=_order)
    most = max(line.cost for line in chosen)
    counted = [run.letter for run in told if not _counted(run)]
    if counted:
        said += (f"{listed(counted)}: conflicts were not counted by line.",)
    return Chart(
        "banks",
        title,
        "wavefronts beyond the least that what is moved needs",
        _sentence(lines),
        Axis("line", places=tuple(Place(line.name, line.buffer) for line in chosen)),
        Axis("wavefronts", 0.0, most * 1.12, may_log=True),
        _series(chosen),
        tuple(bar for at, line in enumerate(chosen) for bar in _bars(at, line)),
        missing=said,
        unit="wavefronts",
    )


def _is_known(run: ChartRun) -> bool:
    return (run.kernel is not None and run.kernel.shared is not None) or _counted(run)


def _counted(run: ChartRun) -> bool:
    return run.counters is not None and bool(run.counters.lines)


def _lines(run: ChartRun) -> list[_Line]:
    predicted: dict[int | None, float] = {}
    buffers: dict[int | None, dict[str, None]] = {}
    sites = run.kernel.shared.sites if run.kernel and run.kernel.shared else ()
    for site in sites:
        if site.conflicts:
            predicted[site.line] = predicted.get(site.line, 0.0) + site.conflicts
            buffers.setdefault(site.line, {})[site.buffer or "?"] = None
    measured: dict[int | None, float] = {}
    profile = run.content.profile
    if _counted(run) and profile is not None and profile.counters is not None:
        rows = line_rows(profile.counters)
        measured = {row.line: row.excess for row in rows if row.excess}
    return [
        _Line(
            run,
            line,
            ", ".join(buffers.get(line, {})),
            predicted.get(line),
            measured.get(line, 0.0) if _counted(run) else None,
        )
        for line in dict.fromkeys((*predicted, *measured))
    ]


def _order(line: _Line) -> tuple[int, int]:
    return line.run.place, line.line or 0


def _series(lines: list[_Line]) -> tuple[Series, ...]:
    found = []
    if any(line.measured is not None for line in lines):
        found.append(Series("measured", "measured", "shared", MEASURED))
    if any(line.predicted is not None for line in lines):
        found.append(Series("predicted", "predicted", "shared", PREDICTED))
    return tuple(found)


def _bars(at: int, line: _Line) -> list[Bar]:
    values = (("measured", MEASURED, line.measured), ("predicted", PREDICTED, line.predicted))
    return [
        Bar(
            key,
            at,
            value,
            short(value),
            f"{line.run.head(source)}\nline {line.line}, {line.buffer or 'unknown buffer'}: "
            f"{amount(value)} wavefronts too many",
            key=line.run.run.id,
            row=line.name,
        )
        for key, source, value in values
        if value is not None
    ]


def _sentence(lines: list[_Line]) -> str:
    worst = max(lines, key=lambda line: line.cost)
    source = "measured" if worst.measured else "predicted"
    of = f" at {worst.buffer}" if worst.buffer else ""
    total = sum(line.cost for line in lines if line.run.place == worst.run.place)
    share = worst.cost / total if total else 0.0
    part = "all" if share > 0.999 else f"{share:.0%}".replace("%", " %")
    return (
        f"Line {worst.line} of {worst.run.letter}{of} loses most: {short(worst.cost)} wavefronts "
        f"({source}), {part} of that kernel's conflicts."
    )
