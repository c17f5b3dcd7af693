"""Choices side by side: the recommended one starred, illegal ones struck, the chosen one framed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from workbench.session.patterns.fields_view import ChoiceView, Mark
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS

_HEIGHT, _PADDING, _LEAST, _ICON, _GAP = 26, 10, 50, 14, 6
_WIDEST = 400  # px of choices in a row
_SAID = {Mark.LEGAL: "", Mark.PARTLY: ", not legal on every target", Mark.ILLEGAL: ", not legal"}


class ChoiceStrip(QFrame):
    """Left and Right move among the choices, Space takes one; an illegal one may be taken too."""

    chosen = Signal(object)

    def __init__(self, icons: Icons, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.setProperty("kind", "segments")
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._buttons: list[ChoiceButton] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(2, 2, 2, 2)
        self._rows: list[QHBoxLayout] = []
        self._layout.setSpacing(2)

    @property
    def buttons(self) -> tuple[ChoiceButton, ...]:
        """The buttons in their order."""
        return tuple(self._buttons)

    def set_choices(self, choices: Sequence[ChoiceView]) -> None:
        """Show these choices; buttons are kept, so that the focus stays."""
        while len(self._buttons) > len(choices):
            button = self._buttons.pop()
            button.setParent(None)
            button.deleteLater()
        while len(self._buttons) < len(choices):
            button = ChoiceButton(self._icons)
            button.clicked.connect(self._on_button_clicked)
            self._buttons.append(button)
        for button, choice in zip(self._buttons, choices, strict=True):
            button.show_choice(self.accessibleName(), choice)
            button.setFocusPolicy(
                Qt.FocusPolicy.StrongFocus
                if choice.is_current or not any(c.is_current for c in choices)
                else Qt.FocusPolicy.ClickFocus
            )
        self._place()

    def _place(self) -> None:
        """As many a row as there is room for in a narrow window."""
        wanted: list[list[ChoiceButton]] = [[]]
        used = 0
        for button in self._buttons:
            width = button.sizeHint().width() + 2
            if wanted[-1] and used + width > self._icons.theme.fonts.pixels(_WIDEST):
                wanted.append([])
                used = 0
            wanted[-1].append(button)
            used += width
        while len(self._rows) < len(wanted):
            self._rows.append(QHBoxLayout())
            self._rows[-1].setSpacing(2)
            self._layout.addLayout(self._rows[-1])
        for row, buttons in zip(self._rows, wanted, strict=False):
            while row.takeAt(0) is not None:
                pass
            for button in buttons:
                row.addWidget(button)
            row.addStretch(1)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        focused = next((b for b in self._buttons if b.hasFocus()), None)
        if step is None or focused is None:
            super().keyPressEvent(event)
            return
        at = (self._buttons.index(focused) + step) % len(self._buttons)
        self._buttons[at].setFocus(Qt.FocusReason.TabFocusReason)

    def _on_button_clicked(self) -> None:
        button = self.sender()
        assert isinstance(button, ChoiceButton)
        if button.choice is not None and not button.choice.is_current:
            self.chosen.emit(button.choice.value)


class ChoiceButton(QAbstractButton):
    """One choice, painted."""

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self.choice: ChoiceView | None = None
        self.setFont(icons.theme.fonts.role(TextRole.STRONG))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        icons.theme.changed.connect(self.update)

    @property
    def value(self) -> Any:
        """The value that it stands for."""
        return self.choice.value if self.choice is not None else None

    def show_choice(self, name: str, choice: ChoiceView) -> None:
        """Show another choice."""
        self.choice = choice
        self.setText(choice.title)
        star = ", recommended" if choice.is_recommended else ""
        held = ", chosen" if choice.is_current else ""
        self.setAccessibleName(f"{name} {choice.title}{held}{star}{_SAID[choice.mark]}")
        self.setToolTip(choice.tip or choice.title)
        self.updateGeometry()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            event.ignore()  # the strip moves the focus; Qt's buttons would go anywhere
            return
        super().keyPressEvent(event)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        width = 2 * _PADDING + self.fontMetrics().horizontalAdvance(self.text())
        width += len(self._marks()) * (_ICON + _GAP)
        return QSize(max(_LEAST, width), self._icons.theme.fonts.pixels(_HEIGHT))

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        choice = self.choice
        if choice is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = self._icons.theme.colour
        ground = QRectF(self.rect()).adjusted(0.75, 0.75, -0.75, -0.75)
        wrong = choice.mark is not Mark.LEGAL
        edge = "error" if choice.mark is Mark.ILLEGAL else "warn" if wrong else "accent"
        if choice.is_current:
            painter.setPen(QPen(colour(edge), 1.5))
            painter.setBrush(colour("bg1"))
            painter.drawRoundedRect(ground, METRICS.radius_control - 1, METRICS.radius_control - 1)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colour("fg2"), 1, Qt.PenStyle.DotLine))
            painter.drawRoundedRect(ground.adjusted(2, 2, -2, -2), 3, 3)
        self._paint_words(painter, choice)
        painter.end()

    def _marks(self) -> list[tuple[str, str]]:
        choice = self.choice
        if choice is None:
            return []
        marks = [("star", "accent")] if choice.is_recommended else []
        return [*marks, ("warning", "warn")] if choice.mark is Mark.PARTLY else marks

    def _paint_words(self, painter: QPainter, choice: ChoiceView) -> None:
        marks, colour = self._marks(), self._icons.theme.colour
        advance = self.fontMetrics().horizontalAdvance(choice.title)
        left = (self.width() - advance - len(marks) * (_ICON + _GAP)) // 2
        lit = choice.is_current or self.underMouse()
        painter.setFont(self.font())
        painter.setPen(colour("fg" if lit else "fg3" if choice.mark is Mark.ILLEGAL else "fg2"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(QRect(left, 0, advance + 2, self.height()), flags, choice.title)
        if choice.mark is Mark.ILLEGAL:
            middle = self.height() // 2 + 1
            painter.drawLine(left - 4, middle, left + advance + 4, middle)
        for at, (name, tone) in enumerate(marks):
            x = left + advance + _GAP + at * (_ICON + _GAP)
            place = QRect(x, (self.height() - _ICON) // 2, _ICON, _ICON)
            self._icons.icon(name, tone, _ICON).paint(painter, place)
