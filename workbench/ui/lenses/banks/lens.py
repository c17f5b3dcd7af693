"""The bank-conflict lens: sites, what their lanes do, and changes tried before they are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.core.analysis.bank_changes import Change
from workbench.session.lenses.banks.detail import SiteDetail, site_detail
from workbench.session.lenses.banks.picture import banks_picture
from workbench.session.lenses.banks.sites import SiteRow
from workbench.session.lenses.banks.what_ifs import (
    WhatIf,
    WhatIfs,
    after_title,
    card_after,
    what_ifs,
)
from workbench.session.lenses.ghosts import banks_ghost
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.banks.choices import ChoiceGrid, Offer
from workbench.ui.lenses.banks.stage import INSET, Shown, StagePainting
from workbench.ui.lenses.banks.stepper import Stepper
from workbench.ui.lenses.banks.table import SiteTable
from workbench.ui.lenses.lens import Lens, NoPicture
from workbench.ui.lenses.picture_view import PictureView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.widgets.labels import hairline, text_label

_KEYS = {
    Qt.Key.Key_Comma: ("turn", -1),
    Qt.Key.Key_Period: ("turn", 1),
    Qt.Key.Key_BracketLeft: ("phase", -1),
    Qt.Key.Key_BracketRight: ("phase", 1),
    Qt.Key.Key_BraceLeft: ("warp", -1),
    Qt.Key.Key_BraceRight: ("warp", 1),
}
_HINT = "computed on the lowered kernel; nothing is edited until you apply"


class BanksLens(Lens):
    """One target's sites. A row selects its line; the best change is drawn beside what is."""

    key = "banks"
    title = "Banks"
    icon = "columns"

    def build(self) -> QWidget:
        """Table, steppers, picture and choices below each other."""
        self._detail: SiteDetail | None = None
        self._what_ifs = WhatIfs(())
        self._place, self._phase = 0, 0
        self._change: Change | None = None
        self._wanted_row: tuple[Any, ...] | None = None
        self._is_showing = False
        self._table = SiteTable(self.icons)
        self._table.current_changed.connect(self._on_table_current_changed)
        self._basis = text_label(self.theme, "", TextRole.NOTE, "fg3")
        self._measured = text_label(self.theme, "", TextRole.LABEL, "fg")
        self._unknown = text_label(self.theme, "", TextRole.BODY, "fg2")
        self._steppers = {
            "warp": Stepper(self.icons, "warp", ("{", "}")),
            "turn": Stepper(self.icons, "turn of the loops", (",", ".")),
            "phase": Stepper(self.icons, "phase", ("[", "]")),
        }
        self._stage = PictureView(self.theme)
        self._stage.key_clicked.connect(self._on_stage_key_clicked)
        self._stage.selected.connect(self.selected)
        self._choices = ChoiceGrid(self.icons)
        self._choices.chosen.connect(self._on_choices_chosen)
        self._choices.applied.connect(self._on_choices_applied)
        self._left_out = text_label(self.theme, "", TextRole.NOTE, "fg3")
        for label in (self._basis, self._measured, self._unknown, self._left_out):
            label.setWordWrap(True)
        for name, stepper in self._steppers.items():
            stepper.stepped.connect(lambda place, name=name: self._step_to(name, place))
        return self._arranged()

    def _arranged(self) -> QWidget:
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 12)
        layout.setSpacing(6)
        layout.addWidget(self._table)
        layout.addLayout(_inset(self._measured))
        layout.addLayout(_inset(self._basis))
        row = QHBoxLayout()
        row.setContentsMargins(int(INSET) - 4, 0, int(INSET), 0)
        row.setSpacing(12)
        for stepper in self._steppers.values():
            row.addWidget(stepper)
        row.addStretch(1)
        layout.addLayout(row)
        layout.addLayout(_inset(self._unknown))
        layout.addWidget(self._stage)
        self._below = QWidget()
        below = QVBoxLayout(self._below)
        below.setContentsMargins(int(INSET), 4, int(INSET), 0)
        below.setSpacing(8)
        below.addWidget(hairline())
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(text_label(self.theme, "What if", TextRole.HEADING, "fg"))
        self._hint = text_label(self.theme, _HINT, TextRole.NOTE, "fg3")
        self._hint.setWordWrap(True)
        head.addWidget(self._hint, 1)
        below.addLayout(head)
        below.addWidget(self._choices)
        below.addWidget(self._left_out)
        layout.addWidget(self._below)
        layout.addStretch(1)
        return body

    # -- what it shows ----------------------------------------------------------------------

    @property
    def table(self) -> SiteTable:
        """The sites."""
        return self._table

    @property
    def stage(self) -> PictureView:
        """The punch cards."""
        return self._stage

    @property
    def choices(self) -> ChoiceGrid:
        """The changes."""
        return self._choices

    @property
    def shown(self) -> Shown | None:
        """What the stage shows."""
        picture = self._stage.picture
        return picture.shown if isinstance(picture, StagePainting) else None

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Show the sites, and the chosen one or the worst."""
        picture = banks_picture(subject, target)
        if picture is None:
            raise NoPicture(f"Bank conflicts are unknown: {target.why_missing('shared')}.")
        if not picture.rows:
            raise NoPicture(picture.conclusion)
        self._is_showing = True
        self._table.show_rows(picture.rows)
        self._basis.setText(picture.basis)
        self._measured.setText(picture.measured)
        self._measured.setVisible(bool(picture.measured))
        self._table.show_measured(any(row.measured is not None for row in picture.rows))
        known = [row for row in picture.rows if row.key == self._wanted_row]
        row = known[0] if known else picture.first
        self._select_row(row)
        self._is_showing = False
        self._show_site(row)
        return picture.conclusion

    def ghost(self, subject: LensSubject, target: LensTarget, was: LensTarget) -> str:
        """The wavefronts in excess before."""
        return banks_ghost(was, target)

    def show_selection(self, selection: Selection | None) -> None:
        """Choose the first site of the line, or of the buffer, where there is one."""
        shown = self._detail.row if self._detail is not None else None
        if selection is None or shown is None or _is_of(shown, selection):
            return
        found = [row for row in self._table.rows() if _is_of(row, selection)]
        if found:
            self._is_showing = True
            self._select_row(found[0])
            self._is_showing = False
            self._show_site(found[0])

    def document_state(self) -> dict[str, Any]:
        """The site, the change that is drawn, and the columns."""
        return {"site": self._wanted_row, "table": self._table.save_state()}

    def restore_document(self, state: Mapping[str, Any]) -> None:
        """Take them back."""
        site, table = state.get("site"), state.get("table")
        self._wanted_row = tuple(site) if isinstance(site, (list, tuple)) else None
        if isinstance(table, Mapping):
            self._table.restore_state(table)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._table.fit(event.size().width())

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        found = _KEYS.get(Qt.Key(event.key()))
        if found is None:
            super().keyPressEvent(event)
            return
        self._steppers[found[0]].step(found[1])

    # -- one site ---------------------------------------------------------------------------

    def _select_row(self, row: SiteRow) -> None:
        self._table.selectRow(self._table.rows().index(row))

    def _show_site(self, row: SiteRow) -> None:
        subject, target = self.subject, self.target
        assert subject is not None
        assert target is not None
        self._wanted_row = row.key
        self._detail = detail = site_detail(target, row)
        self._what_ifs = what_ifs(subject, target, detail)
        self._place, self._change = detail.worst, None
        self._phase = self._worst_phase()
        best = next((c for c in self._what_ifs.choices if c.gains), None)
        self._change = best.change if best is not None else None
        self._draw()

    def _draw(self) -> None:
        detail, target = self._detail, self.target
        assert detail is not None
        assert target is not None
        self._unknown.setVisible(detail.unknown is not None)
        self._stage.setVisible(detail.unknown is None)
        self._show_steppers(detail)
        if detail.unknown is not None:
            self._unknown.setText(detail.unknown)
            self._stage.set_picture(None)
        else:
            after = None
            if self._change is not None:
                after = card_after(target, detail, self._change, self._place)
            title = after_title(self._change) if self._change is not None else ""
            shown = Shown(detail, self._place, self._phase, after, title)
            self._stage.set_picture(StagePainting(shown), "Banks that the lanes of a warp want")
        self._show_choices(detail, target)

    def _show_steppers(self, detail: SiteDetail) -> None:
        if not detail.steps:
            for stepper in self._steppers.values():
                stepper.show_places((), 0)
            return
        step = detail.steps[self._place]
        turns = detail.of_warp(step.warp)
        warps, phases = detail.warps, step.card.phases
        self._steppers["warp"].show_places(
            [f"warp {each}" for each in warps], warps.index(step.warp) if step.warp in warps else 0
        )
        self._steppers["turn"].show_places(
            [detail.steps[place].turn or "once" for place in turns], turns.index(self._place)
        )
        numbers = [phase.index for phase in phases]
        self._steppers["phase"].show_places(
            [f"phase {place + 1} of {len(phases)}" for place in range(len(phases))],
            numbers.index(self._phase) if self._phase in numbers else 0,
        )

    def _show_choices(self, detail: SiteDetail, target: LensTarget) -> None:
        found = self._what_ifs
        applicable = [c for c in found.choices if c.gains and c.fix is not None]
        offers = [
            Offer(
                choice,
                card_after(target, detail, choice.change, self._place),
                bool(applicable) and choice is applicable[0],
                not target.stale,
            )
            for choice in found.choices
        ]
        self._choices.show_offers(offers, self._change)
        self._choices.setVisible(bool(offers))
        self._left_out.setText(f"Left out: {found.left_out}." if found.left_out else "")
        self._left_out.setVisible(bool(found.left_out))
        self._below.setVisible(bool(offers or found.left_out))

    def _worst_phase(self) -> int:
        detail = self._detail
        if detail is None or not detail.steps:
            return 0
        phases = detail.steps[self._place].card.phases
        worst = max(phases, key=lambda phase: (phase.wavefronts, -phase.index), default=None)
        return worst.index if worst is not None else 0

    def _step_to(self, name: str, place: int) -> None:
        detail = self._detail
        if detail is None or not detail.steps:
            return
        step = detail.steps[self._place]
        if name == "phase":
            self._phase = step.card.phases[place].index
        elif name == "turn":
            self._place = detail.of_warp(step.warp)[place]
        else:
            turn = detail.of_warp(step.warp).index(self._place)
            others = detail.of_warp(detail.warps[place])
            self._place = others[min(turn, len(others) - 1)]
        self._draw()

    def _on_table_current_changed(self, row: SiteRow | None) -> None:
        if row is None or self._is_showing:
            return
        self._show_site(row)
        if row.line is not None:
            self.selected.emit(Selection(line=row.line, buffer=row.buffer))

    def _on_stage_key_clicked(self, key: object) -> None:
        if isinstance(key, tuple) and key[0] == "step":
            self._place = key[1]
        elif isinstance(key, tuple):
            self._phase = key[1]
        self._draw()

    def _on_choices_chosen(self, change: Change) -> None:
        self._change = change
        self._draw()

    def _on_choices_applied(self, choice: WhatIf) -> None:
        if choice.fix is not None and self.subject is not None:
            self.fix_requested.emit(choice.fix, self.subject.revision)


def _is_of(row: SiteRow, selection: Selection) -> bool:
    if selection.line is not None:
        return row.line == selection.line
    return selection.buffer is not None and row.buffer == selection.buffer


def _inset(widget: QWidget) -> QHBoxLayout:
    layout = QHBoxLayout()
    layout.setContentsMargins(int(INSET), 0, int(INSET), 0)
    layout.addWidget(widget)
    return layout
