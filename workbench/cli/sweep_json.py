"""A sweep as JSON: its plan, what has become of every point, and what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from workbench.core.plain import to_plain
from workbench.core.sweeps import findings
from workbench.core.sweeps.model import Measured, PointRecord, Sweep
from workbench.core.sweeps.space import Point
from workbench.session.sweeps.states import state_of

SCHEMA = 1


def summary(folder: Path, sweep: Sweep) -> dict[str, Any]:
    """One sweep in a list."""
    plan = sweep.plan
    best = findings.fastest(sweep.records)
    return {
        "id": plan.id,
        "created": plan.created,
        "document": plan.document,
        "kernel": plan.kernel,
        "status": state_of(folder, sweep.ended, False).value,
        "seconds": sweep.seconds,
        "counts": to_plain(findings.tally(sweep.records)),
        "best_us": best.time_us if best is not None else None,
    }


def whole(sweep: Sweep) -> dict[str, Any]:
    """A sweep with its points."""
    plan, records = sweep.plan, sweep.records
    points = tuple(plan.space.points())
    accuracy = findings.accuracy(records)
    return {
        "schema": SCHEMA,
        "sweep": plan.id,
        "created": plan.created,
        "document": plan.document,
        "kernel": plan.kernel,
        "axes": {axis.name: list(axis.values) for axis in plan.axes},
        "configurations": [dict(each) for each in plan.configurations],
        "cases": list(plan.cases),
        "targets": list(plan.targets),
        "conditions": list(plan.conditions),
        "budget": to_plain(plan.budget),
        "ended": sweep.ended,
        "seconds": sweep.seconds,
        "counts": to_plain(findings.tally(records)),
        "best": _best(points, findings.fastest(records)),
        "best_predicted": _best(points, findings.best_predicted(records)),
        "accuracy": {"median_error": accuracy.median_error, "rank": accuracy.rank},
        "fell_out": [_fate(fate) for fate in findings.fates(records)],
        "points": [_point(point, record) for point, record in zip(points, records, strict=True)],
    }


def _best(points: Sequence[Point], record: PointRecord | None) -> dict[str, Any] | None:
    return None if record is None else _point(points[record.number], record)


def _fate(fate: findings.Fate) -> dict[str, Any]:
    return {
        "stage": fate.stage.value,
        "outcome": fate.outcome.value,
        "code": fate.code,
        "reason": fate.reason,
        "points": list(fate.numbers),
    }


def _point(point: Point, record: PointRecord) -> dict[str, Any]:
    return {
        "number": point.number,
        "args": dict(point.args),
        "case": point.case,
        "target": point.target,
        "stage": record.stage.value,
        "outcome": record.outcome.value,
        "code": record.code,
        "reason": record.reason,
        "line": record.line,
        "predicted": to_plain(record.facts),
        "measured": _measured(record.measured),
        "confirmed": _measured(record.confirmed),
        "attempts": record.attempts,
        "where": record.where,
        "seconds": record.seconds,
    }


def _measured(found: Measured | None) -> dict[str, Any] | None:
    return None if found is None else {**to_plain(found), "tflops": found.tflops}
