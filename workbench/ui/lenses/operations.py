"""The operations lens: a table by line of what each tile operation became on each target."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.session.lenses.links import Selection
from workbench.session.lenses.operations import OperationRow, OperationsPicture, operations_picture
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.lens import Lens, NoPicture
from workbench.ui.widgets.data_table import Cell, Column, DataTable

_UNKNOWN = Cell("unknown", sort=None, tone="fg3")


class OperationsLens(Lens):
    """All targets side by side; a row selects its line."""

    key = "operations"
    title = "Operations"
    icon = "list"
    of_one_target = False
    scrolls = False

    def build(self) -> QWidget:
        """A place for the table, whose columns follow the targets."""
        self._labels: tuple[str, ...] = ()
        self._table: DataTable[OperationRow] | None = None
        self._is_showing = False
        place = QWidget()
        QVBoxLayout(place).setContentsMargins(0, 0, 0, 0)
        return place

    @property
    def table(self) -> DataTable[OperationRow]:
        """The table on show. It is there once a picture was."""
        assert self._table is not None
        return self._table

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Show the table and return its conclusion."""
        picture = operations_picture(subject)
        if picture is None:
            raise NoPicture(
                f"What operations became is unknown: {target.why_missing('operations')}."
            )
        table = self._table_for(picture)
        self._is_showing = True
        table.set_rows(picture.rows)
        self._is_showing = False
        return picture.conclusion

    def show_selection(self, selection: Selection | None) -> None:
        """Bring the rows of the line into view."""
        if self._table is None or selection is None or selection.line is None:
            return
        found = [n for n, row in enumerate(self._table.rows()) if row.line == selection.line]
        self._is_showing = True
        if found:
            self._table.selectRow(found[0])
        else:
            self._table.clearSelection()
        self._is_showing = False

    def _table_for(self, picture: OperationsPicture) -> DataTable[OperationRow]:
        if self._table is not None and self._labels == picture.labels:
            return self._table
        layout = self.body.layout()
        assert layout is not None
        if self._table is not None:
            layout.removeWidget(self._table)
            self._table.deleteLater()
        self._labels = picture.labels
        self._table = DataTable(
            self.icons, "Operations by line", _columns(picture), lambda row: (row.line, row.op)
        )
        self._table.current_changed.connect(self._on_table_current_changed)
        layout.addWidget(self._table)
        return self._table

    def _on_table_current_changed(self, row: OperationRow | None) -> None:
        if row is not None and row.line is not None and not self._is_showing:
            buffer = row.buffers[0] if row.buffers else None
            self.selected.emit(Selection(row.line, buffer))


def _columns(picture: OperationsPicture) -> list[Column[OperationRow]]:
    return [
        Column("line", "Line", _line, numeric=True, width=48),
        Column("op", "Operation", lambda row: Cell(row.op, code=True, tone="fg"), width=190),
        *(_target_column(place, label) for place, label in enumerate(picture.labels)),
    ]


def _target_column(place: int, label: str) -> Column[OperationRow]:
    def cell(row: OperationRow) -> Cell:
        outcome = row.outcomes[place]
        if not outcome.text:
            return _UNKNOWN
        icon = "info" if outcome.note else None
        tone = "fg" if row.differs else "fg2"
        return Cell(outcome.text, tone=tone, strong=row.differs, icon=icon, tip=outcome.note)

    return Column(f"target-{place}", label, cell, width=170)


def _line(row: OperationRow) -> Cell:
    return Cell(str(row.line), sort=row.line) if row.line is not None else _UNKNOWN
