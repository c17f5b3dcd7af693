"""The steps at the left: a disc with number or mark, a line that joins them, title and summary."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QVBoxLayout, QWidget

from workbench.session.patterns.wizard_view import StepState, StepView
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS

_HEIGHT, _DISC, _LEFT, _TEXT = 54, 22, 16, 48
_RAIL = 2 * _LEFT + _DISC  # px that the disc needs
_WORDS = {
    StepState.DONE: "done",
    StepState.CURRENT: "here",
    StepState.TO_DO: "to do",
    StepState.ERROR: "something has to change",
}


class StepList(QWidget):
    """One button a step; a click goes there."""

    step_chosen = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._buttons: list[StepButton] = []
        self._is_narrow = False
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self.setAccessibleName("Steps")

    @property
    def buttons(self) -> tuple[StepButton, ...]:
        """The buttons in the order of the steps."""
        return tuple(self._buttons)

    def set_narrow(self, is_narrow: bool) -> None:
        """Show the discs alone, which say the rest in their tips."""
        self._is_narrow = is_narrow
        for button in self._buttons:
            button.set_narrow(is_narrow)

    def set_steps(self, steps: Sequence[StepView]) -> None:
        """Show these steps."""
        while len(self._buttons) > len(steps):
            button = self._buttons.pop()
            self._layout.removeWidget(button)
            button.deleteLater()
        while len(self._buttons) < len(steps):
            button = StepButton(self._icons)
            button.set_narrow(self._is_narrow)
            button.clicked.connect(self._on_button_clicked)
            self._buttons.append(button)
            self._layout.addWidget(button)
        for at, step in enumerate(steps):
            self._buttons[at].show_step(step, at + 1, is_last=at == len(steps) - 1)

    def _on_button_clicked(self) -> None:
        button = self.sender()
        assert isinstance(button, StepButton)
        if button.step is not None:
            self.step_chosen.emit(button.step.key)


class StepButton(QAbstractButton):
    """A step; colour never stands alone: a check, a number or a mark is in the disc."""

    def __init__(self, icons: Icons) -> None:
        super().__init__()
        self._icons = icons
        self.step: StepView | None = None
        self._number, self._is_last, self._is_narrow = 1, False, False
        fonts = icons.theme.fonts
        self._title, self._note = fonts.role(TextRole.STRONG), fonts.role(TextRole.LABEL)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        icons.theme.changed.connect(self.update)

    def set_narrow(self, is_narrow: bool) -> None:
        """Show the disc alone, or title and summary beside it."""
        self._is_narrow = is_narrow
        self.update()

    def show_step(self, step: StepView, number: int, is_last: bool) -> None:
        """Show another step."""
        self.step, self._number, self._is_last = step, number, is_last
        self.setText(step.title)
        self.setAccessibleName(f"Step {number}, {step.title}: {_WORDS[step.state]}")
        self.setAccessibleDescription(step.summary)
        self.setToolTip(f"{step.title}, {_WORDS[step.state]}: {step.summary}")
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(_RAIL, self._icons.theme.fonts.pixels(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        if self.step is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = self._icons.theme.colour
        ground = QRectF(self.rect()).adjusted(8.5, 1.5, -8.5, -3.5)
        if self.step.is_current or self.underMouse():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour("accentbg" if self.step.is_current else "bg3"))
            painter.drawRoundedRect(ground, METRICS.radius_control, METRICS.radius_control)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(colour("accent"), 1))
            painter.drawRoundedRect(ground, METRICS.radius_control, METRICS.radius_control)
        self._paint_disc(painter)
        if not self._is_narrow:
            self._paint_words(painter)
        painter.end()

    def _paint_disc(self, painter: QPainter) -> None:
        assert self.step is not None
        theme, state = self._icons.theme, self.step.state
        disc = QRectF(_LEFT, (self.height() - 2 - _DISC) / 2, _DISC, _DISC)
        centre = disc.center()
        if not self._is_last:
            painter.setPen(QPen(theme.colour("line2"), 1))
            painter.drawLine(
                QPointF(centre.x(), disc.bottom() + 3), QPointF(centre.x(), self.height())
            )
        tokens = {StepState.DONE: "good", StepState.CURRENT: "accent", StepState.ERROR: "error"}
        painter.setPen(QPen(theme.colour(tokens.get(state, "line2")), 1.2))
        filled = state is not StepState.TO_DO
        painter.setBrush(theme.colour(tokens[state]) if filled else theme.colour("bg1"))
        painter.drawEllipse(disc)
        if state in (StepState.DONE, StepState.ERROR):
            name = "check" if state is StepState.DONE else "warning"
            place = QRect(round(centre.x()) - 7, round(centre.y()) - 7, 14, 14)
            self._icons.icon(name, "onaccent", 14).paint(painter, place)
            return
        painter.setFont(self._note)
        painter.setPen(theme.colour("onaccent" if filled else "fg2"))
        painter.drawText(disc, Qt.AlignmentFlag.AlignCenter, str(self._number))

    def _paint_words(self, painter: QPainter) -> None:
        assert self.step is not None
        theme, half = self._icons.theme, self.height() // 2
        width = self.width() - _TEXT - 14
        painter.setFont(self._title)
        painter.setPen(theme.colour("accent" if self.step.is_current else "fg"))
        upper = QRect(_TEXT, 5, width, half - 6)
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(upper, left, self.step.title)
        painter.setFont(self._note)
        painter.setPen(theme.colour("fg3"))
        shown = painter.fontMetrics().elidedText(
            self.step.summary, Qt.TextElideMode.ElideRight, width
        )
        painter.drawText(QRect(_TEXT, half - 2, width, half - 6), left, shown)
