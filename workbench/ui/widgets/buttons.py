"""Buttons: push buttons by kind, tool buttons with room between icon and text, and pickers."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Assignment, Icons
from workbench.ui.theme.tokens import METRICS

ButtonKind = Literal["normal", "primary", "flat", "link", "danger"]

_TOKENS: dict[ButtonKind, str] = {
    "normal": "fg",
    "primary": "onaccent",
    "flat": "fg",
    "link": "accent",
    "danger": "error",
}
_TEXT_FLAGS = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
_GAP = 8
_CHEVRON = 14


def push_button(
    icons: Icons, text: str, kind: ButtonKind = "normal", icon: str | None = None
) -> PushButton:
    """A push button; a panel has one primary button at most."""
    return PushButton(icons, text, kind, icon)


class PushButton(QPushButton):
    """A push button of a kind, with 8 px between its icon and its text."""

    def __init__(
        self, icons: Icons, text: str, kind: ButtonKind = "normal", icon: str | None = None
    ) -> None:
        super().__init__(text)
        self._theme = icons.theme
        self._kind: ButtonKind = kind
        self.setProperty("kind", kind)
        self.setFont(icons.theme.fonts.role(TextRole.STRONG))
        self.setIconSize(QSize(METRICS.icon, METRICS.icon))
        self.setAutoDefault(False)
        if icon is not None:
            icons.assign(self, icon, _TOKENS[kind])

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        hint = super().sizeHint()
        return hint if self.icon().isNull() else hint + QSize(_GAP // 2, 0)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text, option.icon = "", QIcon()
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        left = (self.width() - content_width(self)) // 2
        paint_content(painter, self, left, self._theme.colour(self._token()))
        painter.end()

    def _token(self) -> str:
        if not self.isEnabled():
            return "fg4"
        return "accent" if self.isChecked() else _TOKENS[self._kind]


def flush_link(icons: Icons, text: str) -> PushButton:
    """A link whose text stands at its left edge, as other texts in a column do."""
    link = PushButton(icons, text, "link")
    link.setProperty("flush", True)
    return link


def content_width(button: QAbstractButton) -> int:
    """The width of a button's icon and text with the gap between them."""
    text = button.fontMetrics().size(_TEXT_FLAGS.value, _shown(button)).width()
    if button.icon().isNull():
        return text
    return button.iconSize().width() + (_GAP + text if text else 0)


def paint_content(painter: QPainter, button: QAbstractButton, left: int, colour: QColor) -> None:
    """Paint icon and text from `left` on, in the middle of the height; the text in a colour."""
    size = button.iconSize()
    if not button.icon().isNull():
        place = QRect(left, (button.height() - size.height()) // 2, size.width(), size.height())
        mode = QIcon.Mode.Normal if button.isEnabled() else QIcon.Mode.Disabled
        button.icon().paint(painter, place, Qt.AlignmentFlag.AlignCenter, mode)
        left += size.width() + _GAP
    painter.setPen(colour)
    painter.setFont(button.font())
    painter.drawText(button.rect().adjusted(left, 0, 0, 0), _TEXT_FLAGS, _shown(button))


def _shown(button: QAbstractButton) -> str:
    """The text without the mark of its mnemonic."""
    return button.text().replace("&&", "\0").replace("&", "").replace("\0", "&")


class FlatToolButton(QToolButton):
    """A tool button without a frame until the pointer or the focus is on it.

    Its text, where it has one, stands 8 px from the icon. `tip` is the tool tip and, where there
    is no text, the accessible name.
    """

    _padding = 8
    _tail = 0

    def __init__(
        self, icons: Icons, tip: str, text: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icons = icons
        self._face: Assignment | None = None
        self.setText(text)
        self.setToolTip(tip)
        self.setAccessibleName(text or tip)
        self.setAutoRaise(True)
        self.setFont(icons.theme.fonts.role(TextRole.STRONG))
        self.setIconSize(QSize(METRICS.icon, METRICS.icon))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_icon(self, name: str, colour_token: str = "fg2", size: int = METRICS.icon) -> None:
        """Show the icon of that name, in every theme."""
        self.setIconSize(QSize(size, size))
        if self._face is None:
            self._face = self._icons.assign(self, name, colour_token, size)
        else:
            self._face.set_icon(name, colour_token, size)

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        if not self.text():
            return QSize(METRICS.control_height, METRICS.control_height)
        return QSize(2 * self._padding + content_width(self) + self._tail, METRICS.control_height)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        painter = QStylePainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text, option.icon = "", QIcon()
        option.features = QStyleOptionToolButton.ToolButtonFeature.None_
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        self._paint_inside(painter)
        painter.end()

    def _paint_inside(self, painter: QPainter) -> None:
        left = (self.width() - content_width(self)) // 2
        paint_content(painter, self, left, self._icons.theme.colour(self._text_token()))

    def _text_token(self) -> str:
        if not self.isEnabled():
            return "fg4"
        return "accent" if self.isChecked() else "fg"


class PickerButton(FlatToolButton):
    """A field that opens a menu or a popup: icon, text and a chevron."""

    _padding = 10
    _tail = 24

    def __init__(
        self, icons: Icons, tip: str, text: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(icons, tip, text, parent)
        self.setProperty("kind", "picker")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)

    def _paint_inside(self, painter: QPainter) -> None:
        colour = self._icons.theme.colour(self._text_token())
        paint_content(painter, self, self._padding, colour)
        token = "fg3" if self.isEnabled() else "fg4"
        chevron = self._icons.icon("chevron-down", token, _CHEVRON)
        left, top = self.width() - _CHEVRON - self._padding, (self.height() - _CHEVRON) // 2
        chevron.paint(painter, QRect(left, top, _CHEVRON, _CHEVRON))
