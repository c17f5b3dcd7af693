"""The points of a sweep as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from workbench.core.sweeps import findings
from workbench.core.sweeps.model import Outcome, PointRecord, Stage
from workbench.session.sweeps.showing import Shown


class PointRow(NamedTuple):
    """One point. Times are microseconds, None where unknown; `share` is the best time over its.

    `is_best` marks the fastest measured one, else the fastest predicted.
    """

    number: int
    args: Mapping[str, Any]
    case: str
    target: str
    record: PointRecord
    share: float | None
    is_best: bool

    @property
    def measured_us(self) -> float | None:
        """The measured time."""
        return self.record.time_us

    @property
    def predicted_us(self) -> float | None:
        """The estimated time."""
        return self.record.facts.predicted_us

    @property
    def is_out(self) -> bool:
        """Whether it was ruled out or failed."""
        return self.record.is_out

    @property
    def stands(self) -> str:
        """How it stands, with its stage where that says more."""
        outcome, stage = self.record.outcome, self.record.stage
        if outcome is Outcome.OPEN:
            return "waiting" if stage is Stage.LEGALITY else "lowered"
        return f"failed to {stage.value}" if outcome is Outcome.FAILED else outcome.value


def point_rows(shown: Shown) -> tuple[PointRow, ...]:
    """A row for each point, in the order of the space."""
    records = shown.sweep.records
    best = findings.fastest(records) or findings.best_predicted(records)
    least = None if best is None else best.time_us or best.facts.predicted_us
    return tuple(
        PointRow(
            point.number,
            point.args,
            point.case,
            point.target,
            record,
            _share(record, least, best),
            best is not None and best.number == record.number,
        )
        for point, record in zip(shown.points, records, strict=True)
    )


def _share(record: PointRecord, least: float | None, best: PointRecord | None) -> float | None:
    """Measured times stand beside measured ones alone, predicted beside predicted."""
    if least is None or best is None:
        return None
    time = record.time_us if best.time_us is not None else record.facts.predicted_us
    return least / time if time and not record.is_out else None
