"""Where things float beside a line of code without covering it, and the shadow that they cast."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QGraphicsDropShadowEffect, QWidget

from workbench.ui.theme.style_sheet import is_dark
from workbench.ui.theme.theme import Theme

GAP = 3
EDGE = 6
_BLUR = 24
_ALPHA = {True: 0.5, False: 0.18}


def placed_off(size: QSize, line: QRect, room: QRect) -> QRect:
    """Where something of a size stands in `room`: below a line of code, or above it.

    It begins at the line's left edge if it can. The line is never covered: where neither side has
    the height, the larger side is taken and the height cut to it.
    """
    below = room.bottom() - EDGE - line.bottom() - GAP
    above = line.top() - GAP - room.top() - EDGE
    is_below = size.height() <= below or below >= above
    height = min(size.height(), max(below if is_below else above, 0))
    top = line.bottom() + 1 + GAP if is_below else line.top() - GAP - height
    width = min(size.width(), room.width() - 2 * EDGE)
    left = max(room.left() + EDGE, min(line.left(), room.right() - EDGE - width + 1))
    return QRect(left, top, width, height)


def cast_shadow(widget: QWidget, theme: Theme) -> None:
    """Give a floating widget the shadow of the theme."""
    shadow = QGraphicsDropShadowEffect(widget, blurRadius=_BLUR, xOffset=0, yOffset=6)
    shadow.setColor(QColor.fromRgbF(0, 0, 0, _ALPHA[is_dark(theme.palette)]))
    widget.setGraphicsEffect(shadow)
