"""The sentences of a comparison: its conclusion, what runs have in common, what is noise."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.comparison.comparing import RunComparison
from workbench.core.comparison.noise import compare_times
from workbench.core.comparison.work import DIFFERENT_WORK
from workbench.core.runs import Run, RunKind
from workbench.session.charts.model import MEASURED, PREDICTED
from workbench.session.charts.resources import level_bytes
from workbench.session.charts.standing import Standing, standing
from workbench.session.charts.subject import ChartRun, ChartSubject
from workbench.session.charts.words import amount, listed, measure
from workbench.session.charts.work import does_different_work

_MINUS = "\N{MINUS SIGN}"
_WORTH_TELLING = 0.08
_IT, _THEY = "It moves", "They move"


def conclusion(found: RunComparison, subject: ChartSubject) -> str:
    """Who is fastest and by how much, and then what goes with it."""
    result = standing(subject)
    if result is None:
        return _without_times(found)
    if does_different_work(subject.columns):
        return f"{DIFFERENT_WORK} Compare their rates, or choose runs of one shape."
    head = _head(subject, result)
    why = _why(subject, result)
    return f"{head} {why}".strip()


def _head(subject: ChartSubject, result: Standing) -> str:
    runs = "Runs" if len(result.best) > 1 else "Run"
    be = "are" if len(result.best) > 1 else "is"
    if result.source is PREDICTED:
        be += " predicted to be"
    base = result.base
    same_target = base is None or all(each.label == base.label for each in result.best)
    where = "" if same_target else f" on {listed([each.label for each in result.best])}"
    if len(result.best) > 1:
        ratio = f", {amount(result.ratio)} × the baseline" if result.ratio is not None else ""
        return f"{runs} {result.letters} {be} equally fast{where}{ratio}."
    if result.ratio is not None and base is not None:
        return (
            f"{runs} {result.letters} {be} fastest{where}, "
            f"{amount(result.ratio)} × as fast as {base.letter}."
        )
    on = f" on {result.best[0].label}" if base is not None and not _is_one_target(subject) else ""
    time = measure(result.time_us, "us")
    return f"No run beats {result.letters}{on}: {time}, {result.source.value}."


def _is_one_target(subject: ChartSubject) -> bool:
    return len({run.label for run in subject.columns}) == 1


def _why(subject: ChartSubject, result: Standing) -> str:
    """The largest change for the better that goes with the speed: bytes, conflicts, occupancy."""
    base = result.base
    best = result.best[0]
    if base is None or result.ratio is None or best.label != base.label:
        return ""
    changes = sorted(_changes(base, best), key=lambda each: each[0])
    told = [text for change, text in changes if change <= -_WORTH_TELLING]
    if not told:
        return ""
    return f"{told[0] if len(result.best) == 1 else told[0].replace(_IT, _THEY)}."


def _changes(base: ChartRun, best: ChartRun) -> Iterator[tuple[float, str]]:
    """Relative falls of what costs time, each in words."""
    for key, name in (("hbm", "HBM"), ("l2", "L2")):
        for source in (MEASURED, PREDICTED):
            before, after = (level_bytes(run, key, source) for run in (base, best))
            if before and after is not None:
                change = after / before - 1
                yield change, f"It moves {_share(change)} less at {name} ({source.value})"
                break
    for source in (MEASURED, PREDICTED):
        before, after = (run.value("shared.wavefronts", source) for run in (base, best))
        if before and after is not None:
            change = after / before - 1
            yield change, f"Shared memory takes {_share(change)} fewer wavefronts ({source.value})"
            break


def _share(change: float) -> str:
    return f"{abs(change):.0%}".replace("%", " %")


def _without_times(found: RunComparison) -> str:
    """What can be said of runs without times: how many metrics differ, or how they ended."""
    failed = [chr(ord("A") + n) for n, run in enumerate(found.runs) if run.error]
    rows = [row for group in found.groups for row in group.rows]
    differing = sum(1 for row in rows if len({cell.value for cell in row.cells}) > 1)
    text = f"{differing} of {len(rows)} metrics differ, and fewer than two runs have a time."
    if not rows:
        text = "These runs have no metrics in common."
    return f"{text} {listed(failed)} failed." if failed else text


def facts(subject: ChartSubject) -> tuple[str, ...]:
    """What stands at the left of the heads: where, how, when, and how often."""
    columns = subject.columns
    labels = list(dict.fromkeys(run.label for run in columns))
    where = labels[0] if len(labels) == 1 else f"{len(labels)} targets"
    sources = [s.value for s in (MEASURED, PREDICTED) if any(_is_of(run, s) for run in columns)]
    days = list(dict.fromkeys(f"{run.run.created.astimezone():%Y-%m-%d}" for run in columns))
    day = days[0] if len(days) == 1 else f"{min(days)} to {max(days)}"
    counts = [len(run.samples_us) for run in columns if run.samples_us]
    parts = [day]
    if counts:
        low, high = min(counts), max(counts)
        parts.append(f"{low} samples each" if low == high else f"{low} to {high} samples")
    return f"{where} · {' and '.join(sources[:1] or ['no times'])}", " · ".join(parts)


def _is_of(run: ChartRun, source: object) -> bool:
    is_measured = run.run.kind in (RunKind.PROFILE, RunKind.VERIFY, RunKind.SWEEP_POINT)
    return is_measured if source is MEASURED else not is_measured


def note(subject: ChartSubject) -> str:
    """Why no winner is named among the fastest; "" where there is one."""
    result = standing(subject)
    if result is None or len(result.best) < 2 or result.source is PREDICTED:
        return ""
    first, second = result.best[:2]
    if not first.samples_us or not second.samples_us:
        return ""
    found = compare_times(first.samples_us, second.samples_us)
    if found.ratio is None or found.noise is None:
        return ""
    change = (found.ratio - 1) * 100
    sign = "+" if change > 0 else _MINUS
    return (
        f"{second.letter} against {first.letter}: {sign}{abs(change):.1f} % in time, inside what "
        f"chance explains (± {found.noise * 100:.1f} %), so no winner is named."
    )


def corner(run: Run) -> tuple[str, str]:
    """What stands at the corner of a head, and its tone: how it failed, else its time of day."""
    if run.error is not None or run.status.value != "done":
        return run.status.value, "error"
    return f"{run.created.astimezone():%H:%M}", "fg3"
