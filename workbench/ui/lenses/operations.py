"""The operations lens: a table by line of what each tile operation became on each target."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.session.lenses.links import Selection
from workbench.session.lenses.operations import (
    OperationRow,
    OperationsPicture,
    details,
    operations_picture,
)
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.lens import Lens, NoPicture
from workbench.ui.theme.fonts import TextRole
from workbench.ui.widgets.data_table import Cell, Column, DataTable
from workbench.ui.widgets.labels import hairline, text_label

_INSET = 16
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
        self._shown: OperationsPicture | None = None
        self._heading = text_label(self.theme, "", TextRole.STRONG_LABEL, "fg")
        self._details = text_label(self.theme, "", TextRole.LABEL, "fg2")
        place = QWidget()
        layout = QVBoxLayout(place)
        layout.setContentsMargins(0, 0, 0, 12)
        layout.setSpacing(6)
        layout.addWidget(hairline())
        for label in (self._heading, self._details):
            label.setWordWrap(True)
            label.setContentsMargins(_INSET, 0, _INSET, 0)
            layout.addWidget(label)
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
        self._shown = picture
        self._is_showing = True
        table.set_rows(picture.rows)
        self._is_showing = False
        self._show_details(self._first_worth_telling(picture))
        return picture.conclusion

    @property
    def told_of(self) -> str:
        """What is told of the operation that is looked at."""
        return f"{self._heading.text()}\n{self._details.text()}"

    @staticmethod
    def _first_worth_telling(picture: OperationsPicture) -> OperationRow | None:
        noted = [row for row in picture.rows if any(each.note for each in row.outcomes)]
        return next(iter((*noted, *picture.rows)), None)

    def _show_details(self, row: OperationRow | None) -> None:
        heading, text = ("", "")
        if self._shown is not None and row is not None:
            heading, text = details(self._shown, row)
        self._heading.setText(heading)
        self._details.setText(text)

    def show_selection(self, selection: Selection | None) -> None:
        """Bring the rows of the line into view."""
        if self._table is None or selection is None or selection.line is None:
            return
        found = [n for n, row in enumerate(self._table.rows()) if row.line == selection.line]
        self._is_showing = True
        if found:
            self._table.selectRow(found[0])
            self._show_details(self._table.rows()[found[0]])
        else:
            self._table.clearSelection()
        self._is_showing = False

    def _table_for(self, picture: OperationsPicture) -> DataTable[OperationRow]:
        if self._table is not None and self._labels == picture.labels:
            return self._table
        layout = self.body.layout()
        assert isinstance(layout, QVBoxLayout)
        if self._table is not None:
            layout.removeWidget(self._table)
            self._table.deleteLater()
        self._labels = picture.labels
        self._table = DataTable(
            self.icons, "Operations by line", _columns(picture), lambda row: (row.line, row.op)
        )
        self._table.current_changed.connect(self._on_table_current_changed)
        layout.insertWidget(0, self._table, 1)
        return self._table

    def _on_table_current_changed(self, row: OperationRow | None) -> None:
        if row is not None and not self._is_showing:
            self._show_details(row)
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
