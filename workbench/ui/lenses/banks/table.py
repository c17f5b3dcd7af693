"""The table of access sites, with as many columns as there is room for."""

from __future__ import annotations

from workbench.core.analysis.shared_sites import Count
from workbench.session.lenses.banks.sites import SiteRow
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.data_table import Cell, Column, DataTable

_MOST_ROWS = 6
_NARROW = 640  # below this the columns that follow from others are hidden
_DERIVED = ("executions", "ideal")
_NARROW_WIDTHS = {
    "line": 40,
    "buffer": 72,
    "access": 124,
    "wavefronts": 82,
    "excess": 74,
    "share": 54,
    "ways": 44,
}


class SiteTable(DataTable[SiteRow]):
    """Ranked sites; it is as high as its rows, up to six of them."""

    def __init__(self, icons: Icons) -> None:
        super().__init__(icons, "Accesses to shared memory", COLUMNS, lambda row: row.key)
        self._was_narrow: bool | None = None
        self.setSelectionMode(DataTable.SelectionMode.SingleSelection)

    def show_rows(self, rows: tuple[SiteRow, ...]) -> None:
        """Show rows, and take the height that they need."""
        self.set_rows(rows)
        shown = min(max(len(rows), 1), _MOST_ROWS)
        self.setFixedHeight((shown + 1) * METRICS.row_height + 6)

    def show_measured(self, shown: bool) -> None:
        """Show what was counted for each line, or leave the column out."""
        places = {column.key: n for n, column in enumerate(COLUMNS)}
        self.setColumnHidden(places["measured"], not shown)
        if shown:
            self.setColumnHidden(places["executions"], True)  # it makes room

    def fit(self, width: int) -> None:
        """Hide what follows from other columns where there is little room."""
        narrow = width < _NARROW
        if narrow == self._was_narrow:
            return
        self._was_narrow = narrow
        for place, column in enumerate(COLUMNS):
            if column.key in _DERIVED:
                self.setColumnHidden(place, narrow)
            width = _NARROW_WIDTHS.get(column.key, 44) if narrow else column.width
            self.setColumnWidth(place, width)


def _counted(count: Count | None, row: SiteRow, tone: str = "fg2") -> Cell:
    if count is None:
        return Cell("unknown", sort=None, tone="fg3", tip=row.unknown or "")
    return Cell(f"{count:,.0f}", sort=count, tone=tone, strong=tone == "error")


def _line(row: SiteRow) -> Cell:
    if row.line is None:
        return Cell("-", sort=None, tone="fg3", tip="the code came from no line of the document")
    return Cell(str(row.line), sort=row.line, strong=True)


def _buffer(row: SiteRow) -> Cell:
    names = ", ".join(row.names)
    return Cell(names or "-", code=True, tone="fg", tip=names)


def _measured(row: SiteRow) -> Cell:
    if row.measured is None:
        return Cell("", sort=None)
    tip = f"Counted for all accesses of line {row.line}"
    return Cell(f"{row.measured:,.0f}", sort=row.measured, tone="fg", strong=True, tip=tip)


def _excess(row: SiteRow) -> Cell:
    return _counted(row.excess, row, "error" if row.excess else "fg2")


def _share(row: SiteRow) -> Cell:
    if row.share is None:
        return Cell("", sort=None, tip=row.unknown or "")
    text = f"{row.share * 100:.0f} %" if row.share >= 0.01 or not row.share else "< 1 %"
    tip = "Excess wavefronts of this site, of all known wavefronts of the kernel"
    return Cell(text, sort=row.share, tip=tip, bar=row.share, bar_tone="error")


def _ways(row: SiteRow) -> Cell:
    if row.ways is None:
        return Cell("", sort=None, tip=row.unknown or "")
    conflict = bool(row.excess)
    return Cell(str(row.ways), sort=row.ways, tone="error" if conflict else "fg2", strong=conflict)


COLUMNS: tuple[Column[SiteRow], ...] = (
    Column("line", "Line", _line, numeric=True, width=50),
    Column("buffer", "Buffer", _buffer, width=66),
    Column("access", "Access", lambda row: Cell(row.access, tone="fg"), width=132),
    Column(
        "executions",
        "Executions",
        lambda row: _counted(row.executions, row),
        numeric=True,
        width=90,
        tip="Instructions of warps in the whole launch",
    ),
    Column(
        "wavefronts",
        "Wavefronts",
        lambda row: _counted(row.wavefronts, row),
        numeric=True,
        width=90,
        tip="Passes over all banks that they take",
    ),
    Column(
        "measured",
        "Measured",
        lambda row: _measured(row),
        numeric=True,
        width=90,
        visible=False,
        tip="Wavefronts that were counted for the whole line on the device",
    ),
    Column(
        "ideal",
        "Ideal",
        lambda row: _counted(row.ideal, row),
        numeric=True,
        width=76,
        tip="Wavefronts without conflicts",
    ),
    Column("excess", "Excess", _excess, numeric=True, width=84, tip="Wavefronts beyond the ideal"),
    Column("share", "Share", _share, numeric=True, width=104),
    Column("ways", "Ways", _ways, numeric=True, width=62, tip="The most wavefronts of one phase"),
)
