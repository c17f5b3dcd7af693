"""The changes that were computed, each as a small card with its effect and a button."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from workbench.core.analysis.bank_changes import Change
from workbench.session.lenses.banks.cards import PunchCard
from workbench.session.lenses.banks.what_ifs import WhatIf
from workbench.ui.lenses.banks.cards import paint_card
from workbench.ui.lenses.canvas import Canvas
from workbench.ui.lenses.picture_view import PictureView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import text_label

_CARD = 64
_WIDTH, _GAP = 150, 12  # the least of a choice, and between two


@dataclass(frozen=True)
class Offer:
    """A change with the card of the step that is shown."""

    choice: WhatIf
    card: PunchCard | None
    is_best: bool
    can_apply: bool


class ChoiceGrid(QWidget):
    """The choices side by side, in as many rows as they need."""

    #: A choice is to be drawn beside what is: its `Change`.
    chosen = Signal(object)
    #: A choice is to be made: its `WhatIf`.
    applied = Signal(object)

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self._cards: list[ChoiceCard] = []
        self._columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(_GAP)
        self._grid.setVerticalSpacing(_GAP)

    @property
    def cards(self) -> tuple[ChoiceCard, ...]:
        """The choices on show."""
        return tuple(self._cards)

    def show_offers(self, offers: Sequence[Offer], shown: Change | None) -> None:
        """Show these, with the one that is drawn beside marked."""
        for card in self._cards:
            self._grid.removeWidget(card)
            card.deleteLater()
        self._cards = []
        for offer in offers:
            card = ChoiceCard(self._icons, offer, offer.choice.change == shown)
            card.chosen.connect(self.chosen)
            card.applied.connect(self.applied)
            self._cards.append(card)
        self._place(self._fitting())

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        columns = self._fitting()
        if columns != self._columns:
            self._place(columns)

    def _fitting(self) -> int:
        return max(1, (self.width() + _GAP) // (_WIDTH + _GAP))

    def _place(self, columns: int) -> None:
        for place in range(max(columns, self._columns)):
            self._grid.setColumnStretch(place, 1 if place < columns else 0)
        self._columns = columns
        for place, card in enumerate(self._cards):
            self._grid.addWidget(card, place // columns, place % columns)


class ChoiceCard(QWidget):
    """One change: title, small card, effect and button. A click draws it beside what is."""

    chosen = Signal(object)
    applied = Signal(object)

    def __init__(self, icons: Icons, offer: Offer, is_shown: bool) -> None:
        super().__init__()
        self._offer, self._theme = offer, icons.theme
        choice = offer.choice
        self.setAccessibleName(choice.title)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(f"Draw {choice.title.lower()} beside what is")
        title = text_label(
            self._theme, choice.title, TextRole.HEADING, "accent" if is_shown else "fg"
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        layout.addWidget(title)
        layout.addLayout(self._effect(choice, is_shown))
        for line in _lines(choice):
            label = text_label(self._theme, line, TextRole.NOTE, "fg3")
            label.setWordWrap(True)
            layout.addWidget(label)
        layout.addStretch(1)
        layout.addWidget(self._end(icons, offer), 0, Qt.AlignmentFlag.AlignLeft)

    @property
    def what_if(self) -> WhatIf:
        """The change."""
        return self._offer.choice

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's name
        if event.button() is Qt.MouseButton.LeftButton:
            self.chosen.emit(self.what_if.change)

    def _effect(self, choice: WhatIf, is_shown: bool) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        view = PictureView(self._theme)
        view.setFixedSize(_CARD, _CARD)
        view.set_picture(_Small(self._offer.card, is_shown), f"{choice.title}, drawn small")
        view.key_clicked.connect(lambda _: self.chosen.emit(choice.change))
        row.addWidget(view)
        ways = "no conflict" if choice.ways <= 1 else f"{choice.ways}-way"
        tone = "good" if choice.ways <= 1 else "error"
        texts = QVBoxLayout()
        texts.setSpacing(0)
        texts.addWidget(text_label(self._theme, ways, TextRole.STRONG_LABEL, tone))
        for line in (_bytes(choice.extra_bytes), f"{choice.after:,.0f}", "wavefronts"):
            texts.addWidget(text_label(self._theme, line, TextRole.LABEL, "fg2"))
        row.addLayout(texts, 1)
        return row

    def _end(self, icons: Icons, offer: Offer) -> QWidget:
        choice = offer.choice
        if not choice.gains:
            return text_label(self._theme, "No gain", TextRole.LABEL, "fg3")
        if choice.fix is None:
            label = text_label(self._theme, f"By hand: {choice.no_fix}", TextRole.NOTE, "fg3")
            label.setWordWrap(True)
            return label
        button = push_button(icons, "Apply", "primary" if offer.is_best else "normal")
        button.setAccessibleName(f"Apply: {choice.fix.title}")
        button.setEnabled(offer.can_apply)
        why = "" if offer.can_apply else ": the text has changed since"
        button.setToolTip(f"{choice.fix.title}, as one step that can be undone{why}")
        button.clicked.connect(lambda: self.applied.emit(choice))
        return button


class _Small:
    """A card without numbers."""

    def __init__(self, card: PunchCard | None, is_shown: bool) -> None:
        self._card, self._is_shown = card, is_shown

    def height(self, width: float) -> float:
        """As high as wide."""
        return width

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Paint the card, or that it cannot be drawn."""
        area = QRectF(0, 0, size.width(), size.height()).adjusted(2, 2, -2, -2)
        if self._card is None:
            canvas.box(area, None, canvas.colour("line2"))
            centre = Qt.AlignmentFlag.AlignCenter
            canvas.text(area, "not drawn", TextRole.NOTE, "fg3", centre)
        else:
            paint_card(canvas, area, self._card)
        if self._is_shown:
            canvas.outline(area.adjusted(-2, -2, 2, 2))
        canvas.hit(area, "Draw it beside what is", key="draw")


def _lines(choice: WhatIf) -> list[str]:
    return [line for line in (_time(choice), choice.note) if line]


def _time(choice: WhatIf) -> str:
    if choice.time_us is None or choice.time_before_us is None:
        return ""
    return f"{choice.time_before_us:.3g} → {choice.time_us:.3g} µs predicted"


def _bytes(size: int) -> str:
    return f"+{size / 1024:.3g} KiB" if size >= 1024 else f"+{size} B"
