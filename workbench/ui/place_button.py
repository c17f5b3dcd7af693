"""The button beside Verify and Profile: where it happens, and the menu to choose it in."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from workbench.session.place_choices import PlaceChoice
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import FlatToolButton, paint_content

_CHEVRON = 12


class PlaceButton(FlatToolButton):
    """Says the place in short with a chevron; the chevron alone where room is scarce."""

    _padding = 4
    _tail = _CHEVRON + 4

    def __init__(self, icons: Icons, purpose: str, parent: QWidget | None = None) -> None:
        super().__init__(icons, f"Where to {purpose.lower()}", "", parent)
        self._purpose = purpose
        self._short = ""
        self._is_slim = False
        self._tone = "fg3"
        self.setFont(icons.theme.fonts.role(TextRole.LABEL))

    @property
    def short(self) -> str:
        """The place as it is told in short."""
        return self._short

    def show_place(
        self, choice: PlaceChoice | None, why_none: str = "", is_known: bool = True
    ) -> None:
        """Tell the place in force; None: there is none, and why.

        A chosen place that cannot be used is a warning once it `is_known` what this machine has.
        """
        self._short = choice.short if choice is not None else "no GPU" if is_known else "GPU"
        usable = choice is not None and choice.is_usable
        self._tone = "warn" if choice is not None and not usable and is_known else "fg3"
        why = choice.why_not if choice is not None else why_none
        title = choice.title if choice is not None else "no place"
        tip = f"{self._purpose} on: {title}{f'. {why}' if why else ''}"
        self.setToolTip(f"{tip}\nClick to choose another place")
        self.setAccessibleName(f"Where to {self._purpose.lower()}: {title}")
        self._show()

    def set_slim(self, slim: bool) -> None:
        """Show the chevron alone, or the place too."""
        if slim != self._is_slim:
            self._is_slim = slim
            self._show()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        if not self.text():
            return QSize(_CHEVRON + 8, METRICS.control_height)
        return super().sizeHint()

    def _show(self) -> None:
        self.setText("" if self._is_slim else self._short)
        self.updateGeometry()
        self.update()

    def _paint_inside(self, painter: QPainter) -> None:
        colour = self._icons.theme.colour(self._text_token())
        paint_content(painter, self, self._padding, colour)
        chevron = self._icons.icon("chevron-down", "fg3", _CHEVRON)
        left = self.width() - _CHEVRON - 4
        chevron.paint(painter, QRect(left, (self.height() - _CHEVRON) // 2, _CHEVRON, _CHEVRON))

    def _text_token(self) -> str:
        return self._tone if self.isEnabled() else "fg4"
