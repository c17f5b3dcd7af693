"""The lens of linked code: two or three texts side by side in which a statement has one hue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from workbench.session.lenses.linked import PYTHON, TITLES, LinkedPicture, linked_picture
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.lens import Lens, NoPicture
from workbench.ui.lenses.linked.panel import LinkedPanel
from workbench.ui.theme.fonts import TextRole
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.labels import text_label

_STAGES = (PYTHON, "sass", "source")  # of the columns, before a person chooses
_MAKING = "The texts are being made: generated source, PTX and SASS with their lines ..."
_LEGEND = "At the left the line, at the right live registers (▲ most)."
_LEGEND_TIP = (
    "Rows of one hue came from one line, whose number is at the left; those without came from none."
    "\nAt the right: the registers of a thread that are live there, ▲ where they are most, and "
    "4× where a bank conflict takes four wavefronts in place of one."
)
_OLD = "Of an earlier text."


class LinkedLens(Lens):
    """Asks for the texts when it is first looked at; after an edit when the person says so."""

    key = "linked"
    title = "Linked code"
    icon = "link"
    scrolls = False

    def build(self) -> QWidget:
        """Columns beneath a row of buttons."""
        self._shown: LinkedPicture | None = None
        self._panels = [LinkedPanel(self.icons, stage) for stage in _STAGES]
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setChildrenCollapsible(False)
        for panel in self._panels:
            panel.setMinimumWidth(120)
            panel.line_clicked.connect(self._on_line_clicked)
            self._splitter.addWidget(panel)
        self._counts = text_label(self.theme, "", TextRole.LABEL, "fg3")
        self._third = self._button("columns", "Show a third text", checkable=True)
        self._peak = self._button("arrow-up", "Go to where most registers are live")
        self._refresh = self._button("refresh", "Make the texts of what is typed now")
        self._third.toggled.connect(self._panels[2].setVisible)
        self._peak.clicked.connect(self._on_peak_clicked)
        self._refresh.clicked.connect(self._on_refresh_clicked)
        self._panels[2].hide()
        return self._laid_out()

    @property
    def panels(self) -> tuple[LinkedPanel, ...]:
        """The columns in use, from the left."""
        return tuple(self._panels[: 3 if self._third.isChecked() else 2])

    @property
    def picture(self) -> LinkedPicture | None:
        """What is shown."""
        return self._shown

    def show_columns(self, *stages: str) -> None:
        """Show these texts, two or three."""
        self._third.setChecked(len(stages) > 2)
        for panel, stage in zip(self._panels, stages, strict=False):
            panel.choose(stage)

    def reveal(self, line: int) -> None:
        """Bring the rows of a line into sight."""
        self.show_selection(Selection(line=line))

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Show the texts and return the conclusion."""
        linked = target.linked
        is_old = linked is not None and linked.revision != subject.revision
        self._shown = linked_picture(subject, target)
        if self._shown is None and (linked is None or is_old):
            if not target.linking:
                self.code_requested.emit(target.target.name)
            raise NoPicture(_MAKING)
        if self._shown is None:
            failure = linked.result.failure if linked is not None and linked.result else None
            raise NoPicture(failure.message if failure is not None else "There are no texts.")
        self._refresh.setVisible(is_old and not target.linking)
        for panel in self._panels:
            panel.show_picture(self._shown)
        self._peak.setEnabled(self._shown.peak_line is not None)
        self._show_counts()
        if not is_old:
            return self._shown.conclusion
        return f"{_MAKING if target.linking else _OLD} {self._shown.conclusion}"

    def show_selection(self, selection: Selection | None) -> None:
        """Light up the line in all columns."""
        line = selection.line if selection is not None else None
        for panel in self._panels:
            panel.set_lit(line)
        self._show_counts()

    def document_state(self) -> dict[str, Any]:
        """The texts of the columns."""
        return {"stages": [panel.stage for panel in self.panels]}

    def restore_document(self, state: Mapping[str, Any]) -> None:
        """Choose the texts as they were."""
        stages = state.get("stages")
        known = [each for each in stages if each in TITLES] if isinstance(stages, list) else []
        self.show_columns(*(known if len(known) in (2, 3) else _STAGES[:2]))

    def _show_counts(self) -> None:
        line = self.selection.line if self.selection is not None else None
        counts = self._shown.counts(line) if self._shown is not None and line else {}
        parts = [f"{count:,} {TITLES[stage]}" for stage, count in counts.items()]
        self._counts.setText(f"Line {line}: {', '.join(parts)}" if parts else _LEGEND)
        self._counts.setToolTip(_LEGEND_TIP)

    def _on_line_clicked(self, line: int) -> None:
        self.selected.emit(Selection(line=line))

    def _on_peak_clicked(self) -> None:
        if self._shown is None or self._shown.peak_line is None:
            return
        self.selected.emit(Selection(line=self._shown.peak_line))
        for panel in self.panels:
            panel.rows.go_to_peak()

    def _on_refresh_clicked(self) -> None:
        if self.target is not None:
            self.code_requested.emit(self.target.target.name)

    def _button(self, icon: str, tip: str, checkable: bool = False) -> FlatToolButton:
        button = FlatToolButton(self.icons, tip)
        button.set_icon(icon, "fg3")
        button.setCheckable(checkable)
        return button

    def _laid_out(self) -> QWidget:
        row = QHBoxLayout()
        row.setContentsMargins(16, 0, 8, 2)
        row.setSpacing(2)
        self._counts.setMinimumWidth(1)
        row.addWidget(self._counts, 1)
        for button in (self._refresh, self._peak, self._third):
            row.addWidget(button)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(self._splitter, 1)
        return body
