"""The lines of text of the form of a sweep."""

from __future__ import annotations

from PySide6.QtWidgets import QLineEdit


def text_line(name: str, hint: str) -> QLineEdit:
    """A line that is called `name`, with a hint while it is empty."""
    line = QLineEdit()
    line.setAccessibleName(name)
    line.setPlaceholderText(hint)
    line.setToolTip(f"{name}: {hint}")
    return line


def set_text(line: QLineEdit, text: str) -> None:
    """Show a text, unless one is typing there."""
    if line.text() != text and not line.hasFocus():
        line.setText(text)


def number_of(text: str) -> float | None:
    """The number above 0 that a text says; None where it says none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value > 0 else None
