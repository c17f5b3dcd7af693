"""The columns of the profile's tables."""

from __future__ import annotations

from workbench.core.figures import figure
from workbench.session.profile.numbers import ComparedRow, CounterRow, LineRow, StallRow
from workbench.session.profile.words import percent
from workbench.ui.widgets.data_table import Cell, Column

_VERDICTS = {
    "equal": ("check", "good", "as predicted"),
    "close": ("check", "good", "near the estimate"),
    "differs": ("warning", "warn", "differs"),
    "unknown": ("minus", "fg4", "unknown"),
}


def _figure(text: str, token: str = "fg2", order: float | None = None, tip: str = "") -> Cell:
    number, _, unit = text.rpartition(" ") if " " in text else (text, "", "")
    if text == "unknown":
        return Cell(text, sort=None, tone="fg3", tip=tip)
    return Cell(number, unit, sort=order if order is not None else text, tone=token, tip=tip)


def _verdict(row: ComparedRow) -> Cell:
    icon, tone, word = _VERDICTS[row.verdict]
    if row.verdict == "differs" and row.estimate:
        word = "estimate is off"
    return Cell(word, icon=icon, icon_tone=tone, tip=row.tip, tone="fg2")


def _difference(row: ComparedRow) -> Cell:
    tone = "warn" if row.verdict == "differs" else "fg3"
    order = row.order if row.order is not None else (0.0 if row.difference else None)
    return Cell(row.difference, sort=order, tone=tone, tip=row.tip)


COMPARED: tuple[Column[ComparedRow], ...] = (
    Column("title", "What", lambda row: Cell(row.title, tone="fg", tip=row.tip), width=170),
    Column("group", "Of", lambda row: Cell(row.group, tone="fg3"), width=138),
    Column(
        "predicted",
        "Predicted",
        lambda row: _figure(row.predicted, tip=row.tip),
        numeric=True,
        width=88,
    ),
    Column(
        "measured",
        "Measured",
        lambda row: _figure(row.measured, "fg", tip=row.tip),
        numeric=True,
        width=88,
    ),
    Column(
        "difference",
        "Off by",
        _difference,
        numeric=True,
        width=78,
        tip="Predicted against measured",
    ),
    Column("verdict", "", _verdict, width=120),
)


def _value(row: CounterRow) -> Cell:
    if row.value is None:
        return Cell("unknown", sort=None, tone="fg3", tip=row.tip)
    return Cell(row.text, row.unit, sort=row.value, tone="fg", strong=True, tip=row.tip)


COUNTERS: tuple[Column[CounterRow], ...] = (
    Column("group", "Group", lambda row: Cell(row.group, tone="fg3"), width=150),
    Column("title", "Counter", lambda row: Cell(row.title, tone="fg", tip=row.tip), width=230),
    Column("value", "Value", _value, numeric=True, width=110),
    Column("name", "Official name", lambda row: Cell(row.name, code=True, tip=row.name), width=300),
    Column("kernel", "Kernel", lambda row: Cell(row.kernel, code=True), width=120, visible=False),
)


def _share(share: float | None, tone: str) -> Cell:
    if share is None:
        return Cell("unknown", sort=None, tone="fg3")
    return Cell(percent(share), sort=share, bar=share, bar_tone=tone, bar_solid=True, tone="fg")


STALLS: tuple[Column[StallRow], ...] = (
    Column(
        "title",
        "A warp that holds an instruction is",
        lambda row: Cell(row.title, tone="fg" if not row.issuing else "fg2"),
        width=330,
    ),
    Column(
        "share",
        "Share",
        lambda row: _share(row.share, "good" if row.issuing else "warn"),
        numeric=True,
        width=170,
    ),
    Column(
        "cycles",
        "Cycles",
        lambda row: Cell(f"{row.cycles:.2f}", sort=row.cycles),
        numeric=True,
        width=80,
        tip="Cycles of an instruction, from one to the next",
    ),
)


def _count(value: float | None, tone: str = "fg2") -> Cell:
    if value is None:
        return Cell("", sort=None)
    whole = int(value) if float(value).is_integer() else value
    return Cell(str(figure(whole)), sort=value, tone=tone)


LINES: tuple[Column[LineRow], ...] = (
    Column("line", "Line", lambda row: Cell(str(row.line), sort=row.line, strong=True), True, 50),
    Column(
        "share",
        "Samples",
        lambda row: _share(row.share, "accent"),
        numeric=True,
        width=120,
        tip="Of all samples of warps, where they were found",
    ),
    Column(
        "text", "Text", lambda row: Cell(row.text, code=True, tone="fg", tip=row.text), width=300
    ),
    Column("stall", "Waits most for", lambda row: Cell(row.stall), width=120),
    Column(
        "wavefronts",
        "Wavefronts",
        lambda row: _count(row.wavefronts),
        numeric=True,
        width=90,
        tip="Passes over shared memory's banks",
    ),
    Column(
        "excess",
        "Excess",
        lambda row: _count(row.excess, "error" if row.excess else "fg2"),
        numeric=True,
        width=80,
        tip="Wavefronts beyond the least for what is moved",
    ),
    Column(
        "instructions",
        "Instructions",
        lambda row: _count(row.instructions),
        numeric=True,
        width=96,
        tip="Instructions of warps",
    ),
)
