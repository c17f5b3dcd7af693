"""A sweep for a person to read: how far it is, its best points, and why others fell out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from workbench.cli import output, sweep_json
from workbench.core.sweeps import findings
from workbench.core.sweeps.model import Outcome, PointRecord, Sweep
from workbench.core.sweeps.space import Point
from workbench.session.profile.words import percent, three, time_text
from workbench.session.sweeps.work import Progress

_SHOWN = 10
_REASON_WIDTH = 110


def progress_line(progress: Progress) -> str:
    """What goes on, on one line."""
    parts = [progress.text or "waiting"]
    if progress.allowed is not None and progress.measured:
        parts.append(f"{progress.measured} of at most {progress.allowed} measured")
    if progress.best_us is not None:
        parts.append(f"best {time_text(progress.best_us)}")
    return f"{'; '.join(parts)}; {progress.seconds:.0f} s"


def print_list(found: Sequence[tuple[Path, Sweep]]) -> None:
    """The sweeps of a workspace."""
    if not found:
        print("no sweeps yet")
        return
    rows = [_row(sweep_json.summary(*each), each[1]) for each in found]
    output.print_table(("sweep", "created", "kernel", "status", "points", "best"), rows)


def _row(told: dict[str, object], sweep: Sweep) -> tuple[str, ...]:
    best = findings.fastest(sweep.records)
    time = time_text(best.time_us) if best is not None and best.time_us is not None else "-"
    counts = findings.tally(sweep.records).text
    return sweep.plan.id, sweep.plan.created, sweep.plan.kernel, str(told["status"]), counts, time


def print_sweep(sweep: Sweep, state: str, is_trial: bool = False) -> None:
    """Conclusion, best points, what fell out, and how it stands; of a trial nothing was begun."""
    points = tuple(sweep.plan.space.points())
    print(conclusion(sweep, points))
    _print_best(sweep, points)
    _print_fates(sweep.records)
    accuracy = findings.accuracy(sweep.records)
    if accuracy.median_error is not None:
        rank = "" if accuracy.rank is None else f", rank correlation {accuracy.rank:.2f}"
        print(f"predicted against measured: median error {percent(accuracy.median_error)}{rank}")
    if is_trial:
        print("a dry run: nothing was begun, and no sweep is kept")
        return
    print(f"sweep {sweep.plan.id}, {sweep.seconds:.0f} s: {state}")


def conclusion(sweep: Sweep, points: Sequence[Point]) -> str:
    """What the sweep has found, in one sentence."""
    counts = findings.tally(sweep.records).text_of(sweep.plan.space.product_text)
    best = findings.fastest(sweep.records)
    if best is not None and best.time_us is not None:
        rate = best.best.tflops if best.best is not None else None
        flops = f", {three(rate)} TFLOP/s" if rate is not None else ""
        how = "confirmed" if best.outcome is Outcome.CONFIRMED else "measured"
        checked = _verified(best)
        text = f"fastest {how}: {points[best.number].text} with {time_text(best.time_us)}{flops}"
        return f"{text}{checked}. {counts}"
    predicted = findings.best_predicted(sweep.records)
    if predicted is not None and predicted.facts.predicted_us is not None:
        time = time_text(predicted.facts.predicted_us)
        return f"predicted, not measured: {points[predicted.number].text} with {time}. {counts}"
    return counts


def _verified(record: PointRecord) -> str:
    if record.confirmed is None or record.confirmed.verified is None:
        return ""
    return ", equal to its reference"


def _print_best(sweep: Sweep, points: Sequence[Point]) -> None:
    known = [r for r in sweep.records if r.time_us is not None]
    shown = sorted(known, key=lambda r: r.time_us or 0.0)[:_SHOWN]
    if not shown:
        alive = [r for r in sweep.records if r.estimate_us is not None]
        shown = sorted(alive, key=lambda r: r.estimate_us or 0.0)[:_SHOWN]
    if not shown:
        return
    header = ("point", "case", "target", "outcome", "time", "predicted", "shared", "registers")
    output.print_table(header, [_cells(points[r.number], r) for r in shown])


def _cells(point: Point, record: PointRecord) -> tuple[str, ...]:
    facts = record.facts
    return (
        point.text,
        point.case,
        point.target,
        record.outcome.value,
        time_text(record.time_us) if record.time_us is not None else "-",
        time_text(facts.predicted_us) if facts.predicted_us is not None else "-",
        output.quantity(facts.shared_bytes, "B", 3) if facts.shared_bytes is not None else "-",
        str(facts.registers) if facts.registers is not None else "-",
    )


def _print_fates(records: Sequence[PointRecord]) -> None:
    for fate in findings.fates(records):
        count = len(fate.numbers)
        code = f" [{fate.code}]" if fate.code else ""
        reason = fate.reason.partition("\n")[0][:_REASON_WIDTH]
        print(f"{count} {fate.outcome.value} at {fate.stage.value}{code}: {reason}")
