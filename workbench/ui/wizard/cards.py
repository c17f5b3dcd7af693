"""Cards of what has to change, each with its cure as a button."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from workbench.core.diagnostics import Severity
from workbench.session.patterns.cards_view import CardView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.severity import SEVERITY_LOOKS, SeverityMark

_MOST, _SPACING = 3, 6


class Cards(QWidget):
    """A few cards, errors first; the others are named at their fields."""

    mend_chosen = Signal(str, object)
    #: The person wants the kernel without that target.
    target_dropped = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.cards: tuple[CardView, ...] = ()
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(_SPACING)
        self._shown: list[QWidget] = []
        self._more = text_label(icons.theme, "", TextRole.LABEL, "fg2")
        self._layout.addWidget(self._more)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def set_cards(self, cards: Sequence[CardView]) -> None:
        """Show these cards."""
        if tuple(cards) == self.cards:
            return
        self.cards = tuple(cards)
        for widget in self._shown:
            self._layout.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self._shown = [self._card(card) for card in self.cards[:_MOST]]
        for place, widget in enumerate(self._shown):
            self._layout.insertWidget(place, widget)
        self._more.hide()
        self.setVisible(bool(cards))

    def heights(self, width: int) -> list[int]:
        """How high each card is in that width, with its text whole."""
        return [widget.heightForWidth(width) + _SPACING for widget in self._shown]

    def fit(self, width: int, height: int) -> None:
        """Show the first cards, as many as have room; what is left out is counted below."""
        heights, room = self.heights(width), height
        note = self._more.sizeHint().height() + _SPACING
        count = len(heights)
        while count > 1 and sum(heights[:count]) + (note if count < len(self.cards) else 0) > room:
            count -= 1
        for place, widget in enumerate(self._shown):
            widget.setVisible(place < count)
        left = len(self.cards) - count
        self._more.setText(f"{left} more, told at {'its field' if left == 1 else 'their fields'}")
        self._more.setVisible(left > 0)

    def _card(self, card: CardView) -> QWidget:
        tone = "error" if card.is_error else "warn"
        frame = QFrame()
        frame.setProperty("kind", "notice")
        frame.setProperty("tone", tone)
        severity = Severity.ERROR if card.is_error else Severity.WARNING
        row = QHBoxLayout()
        row.setSpacing(10)
        mark = SeverityMark(self._icons, SEVERITY_LOOKS[severity])
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(2)
        title = text_label(self._icons.theme, card.title, TextRole.HEADING, tone)
        text = text_label(self._icons.theme, card.text, TextRole.LABEL, "fg2")
        for label in (title, text):
            label.setWordWrap(True)
            words.addWidget(label)
        row.addLayout(words, 1)
        layout = QVBoxLayout(frame)
        layout.setContentsMargins(12, 8, 12, 8)
        layout.setSpacing(6)
        layout.addLayout(row)
        buttons = self._buttons(card)
        if buttons is not None:
            layout.addLayout(buttons)
        return frame

    def _buttons(self, card: CardView) -> QHBoxLayout | None:
        made = []
        for mend in card.mends:
            button = push_button(self._icons, f"Use {mend.text}")
            button.clicked.connect(
                lambda _=False, mend=mend: self.mend_chosen.emit(mend.field, mend.value)
            )
            made.append(button)
        if card.drop is not None:
            name, label = card.drop, card.title.split(":")[0]
            button = push_button(self._icons, f"Without {label}")
            button.clicked.connect(lambda: self.target_dropped.emit(name))
            made.append(button)
        if not made:
            return None
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        for button in made:
            row.addWidget(button)
        return row
