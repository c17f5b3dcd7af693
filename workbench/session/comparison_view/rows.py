"""The rows of a comparison as they are read: chosen, named, with figures, deltas and tones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from workbench.core.comparison.comparing import RunComparison
from workbench.core.comparison.rows import Cell, Mark, Row
from workbench.core.comparison.values import value_figure
from workbench.core.figures import figure, number, size
from workbench.core.runs import MetricSource
from workbench.session.comparison_view.model import CellView, GroupView, RowView

_MEASURED, _PREDICTED = MetricSource.MEASURED, MetricSource.PREDICTED
_TONES = {Mark.BETTER: "good", Mark.WORSE: "error", Mark.DIFFERS: "fg2"}
_GREY = (Mark.SAME, Mark.NOISE)
_NOISE = "within noise"
_SECTORS, _SECTOR_BYTES = ("l2.sm_sectors",), 32
_MANY = 1e6  # a count from which on it is told in millions


@dataclass(frozen=True)
class _Kept:
    """A row that the short view has: its group, the metric, and what it is called there."""

    group: str
    name: str
    title: str
    both: bool = False
    is_goal: bool = False


#: What a person looks at first; the other rows are behind "all metrics".
_SHORT = (
    _Kept("Speed", "time_us", "Time, median", both=True),
    _Kept("Speed", "tflops", "Throughput"),
    _Kept("Speed", "gb_s", "Bandwidth"),
    _Kept("Speed", "baseline.ratio", "vs reference"),
    _Kept("Resources", "registers", "Registers a thread"),
    _Kept("Resources", "shared_dynamic_bytes", "Shared memory"),
    _Kept("Resources", "achieved_occupancy", "Occupancy, achieved"),
    _Kept("Resources", "occupancy", "Occupancy, possible"),
    _Kept("Resources", "grid_size", "Blocks"),
    _Kept("Resources", "spill_bytes", "Spilled a thread", is_goal=True),
    _Kept("Traffic", "dram.read_bytes", "HBM reads"),
    _Kept("Traffic", "l2.sm_sectors", "L2 traffic"),
    _Kept("Traffic", "l2.hit_rate", "L2 hit rate"),
    _Kept("Banks", "shared.wavefronts", "Wavefronts"),
    _Kept("Banks", "shared.loads.conflicts", "Conflicts of loads"),
    _Kept("Banks", "shared.stores.conflicts", "Conflicts of stores"),
    _Kept("Banks", "shared.load.conflicts", "Conflicts of loads"),
    _Kept("Banks", "shared.store.conflicts", "Conflicts of stores"),
)
_SHORT_GROUPS = tuple(dict.fromkeys(kept.group for kept in _SHORT))
_TRUST, _RESOURCES = "Trust", "Resources"
_NO_GOALS = (_RESOURCES,)


def short_groups(found: RunComparison, is_fair: bool = True) -> tuple[GroupView, ...]:
    """The rows that tell most: what was measured, and predictions where nothing was.

    Nothing is better or best where the runs do different work: not `is_fair`.
    """
    rows: dict[str, list[RowView]] = {group: [] for group in (*_SHORT_GROUPS, _TRUST)}
    for kept in _SHORT:
        is_goal = is_fair and (kept.is_goal or kept.group not in _NO_GOALS)
        rows[kept.group] += [_row_view(row, kept.title, is_goal) for row in _of(found, kept)]
    rows[_TRUST] = [*_errors(found, is_fair), *_seconds(found)]
    return tuple(GroupView(title, tuple(own)) for title, own in rows.items() if own)


def all_groups(found: RunComparison, is_fair: bool = True) -> tuple[GroupView, ...]:
    """Every metric that any run has; nothing is better or best where it is not fair."""
    groups = [
        GroupView(
            group.title,
            tuple(
                _row_view(row, row.title, is_fair and group.title not in _NO_GOALS)
                for row in group.rows
            ),
        )
        for group in found.groups
    ]
    trust = (*_seconds(found),)
    return (*groups, *([GroupView(_TRUST, trust)] if trust else []))


def settings_group(found: RunComparison, base: int) -> GroupView | None:
    """What was asked for and is not the same in all runs: arguments, target, versions."""
    rows = []
    for setting in found.differing:
        if setting.name in _TOLD_ELSEWHERE:
            continue
        own = setting.values[base]
        cells = tuple(_setting_cell(value, own, at == base) for at, value in
                      enumerate(setting.values))  # fmt: skip
        rows.append(RowView(setting.name, _setting_title(setting.name), None, cells))
    return GroupView("Asked for", tuple(rows)) if rows else None


_TOLD_ELSEWHERE = ("text", "kernel", "document")  # in the heads and above the code


def _setting_title(name: str) -> str:
    short = name.removeprefix("argument ").removeprefix("version of ")
    return short if name.startswith("argument ") else short[:1].upper() + short[1:]


def _setting_cell(value: str | None, own: str | None, is_base: bool) -> CellView:
    text = value if value is not None else "–"
    if is_base:
        return CellView(text, tip=text)
    is_same = value == own
    return CellView(
        text, "", "same" if is_same else "", "fg3", "fg3" if is_same else "fg", tip=text
    )


def _of(found: RunComparison, kept: _Kept) -> Iterator[Row]:
    """The measured row, and the predicted one where the measured lacks a column or both count."""
    rows = [row for group in found.groups for row in group.rows if row.name == kept.name]
    measured = [row for row in rows if row.source is _MEASURED and _is_known(row)]
    predicted = [row for row in rows if row.source is _PREDICTED and _is_known(row)]
    if kept.name.startswith("shared.") and kept.name.endswith("conflicts"):
        measured, predicted = _counted(measured), _counted(predicted)
    yield from measured
    lacks = not measured or any(cell.value is None for cell in measured[0].cells)
    if kept.both or lacks:
        yield from predicted


def _is_known(row: Row) -> bool:
    return any(cell.value is not None for cell in row.cells)


def _counted(rows: Sequence[Row]) -> list[Row]:
    """Conflicts of a kind that has any: none at all are not worth a row."""
    return [row for row in rows if any(cell.value for cell in row.cells)]


def _row_view(row: Row, title: str, is_goal: bool = True) -> RowView:
    """A row; where less or more is no goal in itself, no value is best and no change is bad."""
    method = next((cell.method for cell in row.cells if cell.method), "")
    tip = f"{title}, {row.source.value}: {method}" if method else f"{title}, {row.source.value}"
    best = row.best if is_goal else ()
    cells = tuple(cell_view(row, cell, at in best) for at, cell in enumerate(row.cells))
    if not is_goal:
        cells = tuple(replace(cell, delta_tone="fg3") for cell in cells)
    return RowView(row.name, title, row.source, cells, tip)


def cell_view(row: Row, cell: Cell, is_best: bool) -> CellView:
    """A value with its unit and what its difference means."""
    if cell.value is None:
        return CellView("unknown", value_tone="fg3", tip="this run does not tell it")
    text, unit = _figure(row, cell.value)
    exact = number(int(cell.value)) if not row.unit and abs(cell.value) >= _MANY else ""
    tip = "\n".join(part for part in (exact, cell.note, cell.method or "") if part)
    tone = "fg3" if cell.mark in _GREY and not is_best else "fg"
    delta_tone = _TONES.get(cell.mark, "fg3")
    if is_best and cell.mark is Mark.WORSE:
        delta_tone = "fg3"  # by less than is told apart
    return CellView(text, unit, _delta(cell), delta_tone, tone, is_best, tip or text)


def _figure(row: Row, value: int | float) -> tuple[str, str]:
    if row.name in _SECTORS:
        moved = size(value * _SECTOR_BYTES)
        return moved.text, moved.unit
    if not row.unit and abs(value) >= _MANY:
        return f"{value / _MANY:.3g}", "M"
    found = value_figure(row.name, value, row.unit)
    return found.text, found.unit


def _delta(cell: Cell) -> str:
    if cell.mark is Mark.BASE:
        return ""
    if cell.mark is Mark.SAME:
        return "same"
    if cell.mark is Mark.NOISE:
        return _NOISE
    return signed(cell.change) if cell.change is not None else ""


def signed(change: float) -> str:
    """A relative difference in per cent, as a factor where it is tenfold."""
    if change >= 9.995:
        return f"× {change + 1:,.3g}"
    value = f"{abs(change) * 100:.1f}" if abs(change) < 0.9995 else f"{abs(change) * 100:.0f}"
    return f"{'+' if change > 0 else chr(0x2212)}{value} %"


def _errors(found: RunComparison, is_fair: bool) -> Iterator[RowView]:
    rows = [row for group in found.groups for row in group.rows if row.name.endswith(".rel_fro")]
    for row in rows:
        output = row.name.removesuffix(".rel_fro")
        title = f"Error of {output}" if len(rows) > 1 else "Relative error"
        yield _row_view(row, title, is_fair)


def _seconds(found: RunComparison) -> Iterator[RowView]:
    """How long the runs took, which noise rules: it is told, and no winner named."""
    values = [run.seconds for run in found.runs]
    if not any(values):
        return
    base = values[found.base]
    cells = []
    for at, value in enumerate(values):
        if value is None:
            cells.append(CellView("unknown", value_tone="fg3"))
            continue
        shown = figure(float(value), "s")
        delta = signed(value / base - 1) if base and at != found.base else ""
        cells.append(CellView(shown.text, shown.unit, delta, "fg3"))
    tip = "Compiling, checking and measuring together"
    yield RowView("seconds", "Took in all", _MEASURED, tuple(cells), tip)
