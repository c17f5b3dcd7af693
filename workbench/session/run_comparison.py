"""Reads runs of a history with their samples, and puts them beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.comparison.comparing import RunComparison, compare_runs
from workbench.core.comparison.gate import Condition
from workbench.core.history import History, HistoryError
from workbench.core.plain import PlainError
from workbench.core.runs import Run
from workbench.session.recording.profiles import PROFILE, profile_of
from workbench.session.told_cases import with_told_cases


@dataclass(frozen=True)
class GateResult:
    """What a condition says of one run beside the base; `failed` is None where it is unknown."""

    condition: Condition
    run: Run
    failed: bool | None
    sentence: str


def compare_ids(history: History, run_ids: Sequence[str], base: str | None = None) -> RunComparison:
    """Compare the runs of these ids, or beginnings of ids; `base` is one of them, else the first.

    Raises HistoryError for an id that names none or several, and ComparisonError.
    """
    runs = with_told_cases((history.get(run_id) for run_id in run_ids), history.blob)
    position = 0
    if base is not None:
        wanted = history.get(base).id
        position = next((i for i, run in enumerate(runs) if run.id == wanted), 0)
    return compare_runs(runs, samples_of(history, runs), position)


def samples_of(history: History, runs: Sequence[Run]) -> dict[str, tuple[float, ...]]:
    """The times of launches in µs, in the order taken, of each run that has kept them."""
    found = {}
    for run in runs:
        artifact = next((a for a in run.artifacts if a.name == PROFILE), None)
        if artifact is None:
            continue
        try:
            profile = profile_of(history.blob(artifact.blob))
        except (HistoryError, PlainError):
            continue  # its medians are compared without their spread
        if profile.latency is not None:
            found[run.id] = profile.latency.samples_us
    return found


def check_gate(found: RunComparison, conditions: Sequence[Condition]) -> tuple[GateResult, ...]:
    """What each condition says of each run beside the base."""
    return tuple(
        _gate(found, condition, position)
        for condition in conditions
        for position in range(len(found.runs))
        if position != found.base
    )


def _gate(found: RunComparison, condition: Condition, position: int) -> GateResult:
    run, row = found.runs[position], found.row(condition.metric)
    if row is None:
        return GateResult(condition, run, None, f"no run has a metric {condition.metric!r}")
    before, after = row.cells[found.base].value, row.cells[position].value
    if before is None or after is None:
        lacking = found.runs[found.base] if before is None else run
        return GateResult(
            condition, run, None, f"{row.title.lower()} of run {lacking.id} is unknown"
        )
    failed = condition.exceeded(before, after)
    change = row.cells[position].change
    moved = f"{before:g} to {after:g} {row.unit}".strip()
    share = "" if change is None else f" ({change:+.1%})"
    return GateResult(condition, run, failed, f"{row.title} {moved}{share}, {row.source.value}")
