"""Plain parts: labels in a role and tone, hairlines, and properties that the style sheet reads."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QLabel, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme


def text_label(
    theme: Theme, text: str, role: TextRole = TextRole.BODY, tone: str = "fg2"
) -> QLabel:
    """A label in a role's font; `tone` is fg to fg3, accent, error, warn, info or good."""
    label = QLabel(text)
    label.setFont(theme.fonts.role(role))
    label.setProperty("tone", tone)
    return label


def hairline(strong: bool = False) -> QFrame:
    """A horizontal line of 1 px; the strong one stands between panels, the other inside one."""
    line = QFrame()
    line.setProperty("kind", "strong-hairline" if strong else "hairline")
    return line


def divider(height: int = 16) -> QFrame:
    """A vertical line of 1 px between controls."""
    line = QFrame()
    line.setProperty("kind", "divider")
    line.setFixedHeight(height)
    return line


def set_look(widget: QWidget, name: str, value: str) -> None:
    """Set a property that the style sheet selects by (kind, tone, state), and draw it anew."""
    if widget.property(name) == value:
        return
    widget.setProperty(name, value)
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    widget.update()
