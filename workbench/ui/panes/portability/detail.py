"""The details of one cell: the reason, its line, what mends it, and where the rule is from."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from workbench.core.diagnostics import Fix
from workbench.core.portability.model import Cell, CellState, Column, Row
from workbench.ui.panes.portability.looks import LOOKS
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import flush_link, push_button
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.severity import SeverityLook, SeverityMark

_NOTHING = "Choose a cell to see the reason, its line and what mends it."
_SUSPECT = "Suspect the compiler…"


class CellDetail(QScrollArea):
    """Shows one cell at a time; built anew for each, as each has other parts."""

    #: The person wants to see that line of the kernel.
    line_requested = Signal(int)
    #: The person wants a fix made: the diagnostic that offers it, and the fix.
    fix_requested = Signal(object, object)
    #: The person suspects the compiler: the name of the target.
    bundle_requested = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._shown: tuple[Row | None, Cell | None, bool] | None = None
        self.setWidgetResizable(True)
        self.setAccessibleName("Details of the cell")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.show_cell(None, None)

    def show_cell(self, row: Row | None, cell: Cell | None, stale: bool = False) -> None:
        """Show another cell; None asks to choose one."""
        if self._shown == (row, cell, stale):
            return
        self._shown = (row, cell, stale)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(16, 8, 16, 12)
        layout.setSpacing(8)
        parts = self._parts(row, cell, stale) if row is not None and cell is not None else []
        for part in parts or [self._text(_NOTHING, "fg3")]:
            layout.addWidget(part)
        layout.addStretch(1)
        self.setWidget(body)

    def _parts(self, row: Row, cell: Cell, stale: bool) -> list[QWidget]:
        parts: list[QWidget] = [self._head(row, cell), self._text(cell.reason, "fg")]
        parts.extend(self._ways(row, cell))
        for fix in cell.diagnostic.fixes if cell.diagnostic is not None else ():
            parts.append(self._fix(cell, fix, stale))
        if cell.source is not None:
            parts.append(self._text(f"Rule: {cell.source}", "fg3", TextRole.LABEL))
        return parts

    def _head(self, row: Row, cell: Cell) -> QWidget:
        look = LOOKS[cell.state]
        mark = SeverityMark(self._icons, SeverityLook(look.icon, look.tone, look.word))
        title = self._text(f"{row.label} · {cell.column.title}", "fg", TextRole.HEADING)
        return _line(mark, title, grows=title)

    def _ways(self, row: Row, cell: Cell) -> list[QWidget]:
        """Where a person can go from here: the line, and the suspicion of a compiler."""
        parts: list[QWidget] = []
        line = cell.line
        if line is not None:
            go = push_button(self._icons, f"Go to line {line}", "normal", "chevron-right")
            go.clicked.connect(lambda: self.line_requested.emit(line))
            parts.append(_line(go))
        if cell.state is CellState.BAD and cell.column in (Column.LOWERS, Column.MACHINE_CODE):
            suspect = flush_link(self._icons, _SUSPECT)
            suspect.setToolTip("Look whether the kernel is right and write a bundle for a report")
            suspect.clicked.connect(lambda: self.bundle_requested.emit(row.target))
            parts.append(_line(suspect))
        return parts

    def _fix(self, cell: Cell, fix: Fix, stale: bool) -> QWidget:
        apply = push_button(self._icons, "Apply")
        apply.setAccessibleName(f"Apply: {fix.title}")
        apply.setEnabled(not stale)
        apply.setToolTip("Check again first" if stale else "Make this fix in the document")
        apply.clicked.connect(lambda: self.fix_requested.emit(cell.diagnostic, fix))
        title = self._text(fix.title, "fg2")
        return _line(title, apply, grows=title)

    def _text(self, text: str, tone: str, role: TextRole = TextRole.BODY) -> QLabel:
        label = text_label(self._icons.theme, text, role, tone)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label


def _line(*parts: QWidget, grows: QWidget | None = None) -> QWidget:
    line = QWidget()
    layout = QHBoxLayout(line)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(8)
    for part in parts:
        layout.addWidget(part, 1 if part is grows else 0)
    if grows is None:
        layout.addStretch(1)
    return line
