"""The columns of the tables of a sweep: its points, and why points fell out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from workbench.core.figures import Figure, figure
from workbench.core.sweeps.findings import Fate
from workbench.core.sweeps.model import Outcome
from workbench.session.profile.words import three
from workbench.session.sweeps.views.rows import PointRow
from workbench.ui.widgets.data_table import Cell, Column

_STANDS: dict[Outcome, tuple[str | None, str]] = {
    Outcome.CONFIRMED: ("good", "good"),
    Outcome.MEASURED: ("check", "fg2"),
    Outcome.PREDICTED: (None, "fg3"),
    Outcome.OPEN: (None, "fg3"),
    Outcome.RULED_OUT: ("minus", "fg3"),
    Outcome.FAILED: ("error", "error"),
}


def point_columns(
    names: Sequence[str], has_cases: bool, has_targets: bool
) -> list[Column[PointRow]]:
    """The columns of points whose arguments have these names."""
    return [
        Column("number", "#", lambda row: _whole(row.number), True, 56),
        *(Column(f"arg-{name}", name, _argument(name), True, _wide(name)) for name in names),
        Column("case", "Case", lambda row: Cell(row.case), width=90, visible=has_cases),
        Column("target", "Target", lambda row: Cell(row.target), width=90, visible=has_targets),
        Column(
            "measured",
            "Measured",
            _measured,
            True,
            150,
            tip="Median time of a launch",
            sort=lambda row: row.measured_us,
        ),
        Column("tflops", "TFLOP/s", _rate, True, 84),
        Column(
            "predicted",
            "Predicted",
            _predicted,
            True,
            130,
            tip="Estimated time of a launch",
            sort=lambda row: row.predicted_us,
        ),
        Column("stands", "Stands", _stands, width=130),
        Column("shared", "Shared", _shared, True, 88, tip="Shared memory of a block"),
        Column("registers", "Registers", lambda row: _whole(row.record.facts.registers), True, 84),
        Column(
            "spill", "Spilled", _spilled, True, 80, False, "Bytes of registers spilled a thread"
        ),
        Column("occupancy", "Occupancy", _occupancy, True, 92),
        Column("where", "Where", _where, width=90, visible=False),
        Column("reason", "Reason", _reason, width=360),
    ]


def _wide(name: str) -> int:
    return max(64, 9 * len(name) + 16)


def _argument(name: str) -> Callable[[PointRow], Cell]:
    def cell(row: PointRow) -> Cell:
        value: Any = row.args.get(name)
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        sort = float(value) if is_number else str(value)
        return Cell(str(value), sort=sort, tone="fg", strong=row.is_best)

    return cell


def _whole(value: int | None) -> Cell:
    return UNKNOWN_YET if value is None else Cell(f"{value:,}", sort=float(value))


UNKNOWN_YET = Cell("–", sort=None, tone="fg3", tip="Not known")


def _told(found: Figure, sort: float, **looks: Any) -> Cell:
    return Cell(found.text, found.unit, sort, **looks)


def _measured(row: PointRow) -> Cell:
    if row.measured_us is None:
        return UNKNOWN_YET
    looks: dict[str, Any] = {"tone": "fg", "strong": row.is_best}
    if row.share is not None:
        looks |= {"bar": row.share, "bar_solid": True}
    best = row.record.best
    looks["tip"] = f"on {best.device}, {best.samples} samples" if best is not None else ""
    return _told(figure(row.measured_us, "us"), row.measured_us, **looks)


def _predicted(row: PointRow) -> Cell:
    if row.predicted_us is None:
        return UNKNOWN_YET
    strong = row.is_best and row.measured_us is None
    looks: dict[str, Any] = {"tone": "fg2", "strong": strong}
    if row.share is not None and row.measured_us is None:
        looks["bar"] = row.share
    return _told(figure(row.predicted_us, "us"), row.predicted_us, **looks)


def _rate(row: PointRow) -> Cell:
    best = row.record.best
    rate = best.tflops if best is not None and row.measured_us is not None else None
    return UNKNOWN_YET if rate is None else Cell(three(rate), sort=rate)


def _stands(row: PointRow) -> Cell:
    icon, tone = _STANDS[row.record.outcome]
    text_tone = "fg2" if row.record.outcome is not Outcome.OPEN else "fg3"
    return Cell(row.stands, tone=text_tone, icon=icon, icon_tone=tone)


def _shared(row: PointRow) -> Cell:
    value = row.record.facts.shared_bytes
    return UNKNOWN_YET if value is None else _told(figure(value, "B"), float(value))


def _spilled(row: PointRow) -> Cell:
    value = row.record.facts.spill_bytes
    if value is None:
        return UNKNOWN_YET
    return _told(figure(value, "B"), float(value), tone="warn" if value else "fg3")


def _occupancy(row: PointRow) -> Cell:
    value = row.record.facts.occupancy
    return UNKNOWN_YET if value is None else Cell(f"{value * 100:.3g}", "%", value)


def _where(row: PointRow) -> Cell:
    return Cell(row.record.where or "", tone="fg3")


def _reason(row: PointRow) -> Cell:
    reason = row.record.reason or ""
    return Cell(reason.partition("\n")[0], tone="fg3", tip=reason)


FATES: tuple[Column[Fate], ...] = (
    Column("count", "Points", lambda f: _whole(len(f.numbers)), True, 72),
    Column("outcome", "Outcome", lambda f: Cell(f.outcome.value), width=100),
    Column("stage", "Stage", lambda f: Cell(f.stage.value), width=90),
    Column("code", "Rule", lambda f: Cell(f.code or "", code=True), width=220),
    Column(
        "reason",
        "Reason of the first",
        lambda f: Cell(f.reason.partition("\n")[0], tone="fg", tip=f.reason),
        width=480,
    ),
)
