"""The chosen element, the worst ones, and what was noticed while the kernel ran."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.core.diagnostics import Diagnostic
from workbench.session.verification_output import Element
from workbench.session.verification_view import VerificationView
from workbench.ui.panes.verification.wording import (
    difference_text,
    element_rows,
    state_text,
    value_text,
)
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.data_table import Cell, Column, DataTable
from workbench.ui.widgets.labels import hairline, set_look, text_label
from workbench.ui.widgets.metric_strip import MetricStrip, MetricView
from workbench.ui.widgets.severity import SeverityMark

_MOST_FINDINGS = 6
_HEADER_HEIGHT = 30
_LINK_HEIGHT = 20
_MOST_WIDTH = 190
_IN_HEAD = ("Block", "In the block")

COLUMNS: tuple[Column[Element], ...] = (
    Column("element", "Worst elements", lambda e: Cell(e.label, code=True, tone="fg"), width=96),
    Column("got", "got", lambda e: _number_cell(e.got), numeric=True, width=62),
    Column("expected", "expected", lambda e: _number_cell(e.expected), numeric=True, width=70),
    Column("difference", "difference", lambda e: _difference_cell(e), numeric=True, width=70),
)


class ElementPanel(QWidget):
    """Shows one element in full, and leads to others."""

    #: The person chose one of the worst elements (an Element).
    element_chosen = Signal(object)
    #: The person wants to see that line of the kernel.
    line_requested = Signal(int)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, self._theme = icons, icons.theme
        self._title = text_label(self._theme, "", TextRole.VALUE, "fg")
        self._title.setFont(self._theme.fonts.monospace(15))
        self._state = text_label(self._theme, "", TextRole.STRONG_LABEL, "error")
        self._place = text_label(self._theme, "", TextRole.LABEL, "fg3")
        self._place.setWordWrap(True)
        self._figures = MetricStrip(self._theme)
        self.table: DataTable[Element] = DataTable(
            icons, "Worst elements", COLUMNS, row_key=lambda e: e.index
        )
        self.table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._findings = QVBoxLayout()
        self._findings.setSpacing(6)
        self._finding_rows: list[QWidget] = []
        self._showing = False
        self._has_own_widths = False  # the person's, which contents do not change
        self._lay_out()
        self.table.current_changed.connect(self._on_table_current_changed)

    @property
    def shown_label(self) -> str:
        """The element that is told of."""
        return self._title.text()

    def show_view(self, view: VerificationView) -> None:
        """Show the worst elements and the findings of another result."""
        output = view.output
        rows = output.worst if output is not None and output.comparison.mismatched else ()
        self._showing = True
        self.table.set_rows(rows)
        self._showing = False
        if not self._has_own_widths:
            self._fit_columns()
        self.table.setFixedHeight(_HEADER_HEIGHT + METRICS.row_height * len(rows) + 4)
        self.table.setVisible(bool(rows))
        self._show_findings(view.findings)

    def show_element(self, element: Element | None) -> None:
        """Show an element; None where there is none to show."""
        for part in (self._title, self._state, self._place, self._figures):
            part.setVisible(element is not None)
        if element is None:
            return
        self._title.setText(element.label)
        state, tone = state_text(element)
        self._state.setText(state)
        set_look(self._state, "tone", tone)
        rows = element_rows(element)
        places = [f"block {element.block}" if element.block else "", element.within or ""]
        self._place.setText(" · ".join(part for part in places if part) or "block unknown")
        self._figures.set_metrics(
            [MetricView(name, text, "", tone) for name, text, tone in rows if name not in _IN_HEAD]
        )

    def save_state(self) -> dict[str, Any]:
        """The table's columns."""
        return self.table.save_state()

    def restore_state(self, state: Mapping[str, Any]) -> None:
        """Bring them back."""
        self._has_own_widths = True
        self.table.restore_state(state)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._state, 0, Qt.AlignmentFlag.AlignBottom)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addLayout(head)
        layout.addWidget(self._place)
        layout.addWidget(self._figures)
        layout.addWidget(hairline())
        layout.addWidget(self.table)
        layout.addLayout(self._findings)
        layout.addStretch(1)

    def _fit_columns(self) -> None:
        """As wide as the contents, the last column taking the rest."""
        for at in range(len(COLUMNS) - 1):
            wanted = self.table.sizeHintForColumn(at)
            self.table.setColumnWidth(at, min(max(wanted, COLUMNS[at].width), _MOST_WIDTH))

    def _show_findings(self, findings: tuple[Diagnostic, ...]) -> None:
        for row in self._finding_rows:
            row.hide()
            row.deleteLater()
        self._finding_rows = []
        if findings:
            self._add_row(text_label(self._theme, "Noticed", TextRole.HEADING, "fg"))
        for finding in findings[:_MOST_FINDINGS]:
            self._add_row(self._finding_row(finding))
        if len(findings) > _MOST_FINDINGS:
            more = f"and {len(findings) - _MOST_FINDINGS} more in Problems"
            self._add_row(text_label(self._theme, more, TextRole.LABEL, "fg3"))

    def _add_row(self, row: QWidget) -> None:
        self._findings.addWidget(row)
        self._finding_rows.append(row)

    def _finding_row(self, finding: Diagnostic) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.addWidget(SeverityMark(self._icons, finding.severity), 0, Qt.AlignmentFlag.AlignTop)
        text = text_label(self._theme, finding.message, TextRole.LABEL)
        text.setWordWrap(True)
        layout.addWidget(text, 1)
        if finding.range is not None:
            line = finding.range.line
            button = push_button(self._icons, f"line {line}", "link")
            button.setToolTip(f"Go to line {line} of the kernel")
            button.setFixedHeight(_LINK_HEIGHT)
            button.clicked.connect(_Goer(self, line))
            layout.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _on_table_current_changed(self, element: Element | None) -> None:
        if element is not None and not self._showing:
            self.element_chosen.emit(element)


class _Goer:
    """Asks for one line."""

    def __init__(self, panel: ElementPanel, line: int) -> None:
        self._panel, self._line = panel, line

    def __call__(self) -> None:
        self._panel.line_requested.emit(self._line)


def _number_cell(value: float | None) -> Cell:
    return Cell(value_text(value), sort=value, tone="fg")


def _difference_cell(element: Element) -> Cell:
    size = None if element.difference is None else abs(element.difference)
    return Cell(difference_text(element), sort=size, tone="error")
