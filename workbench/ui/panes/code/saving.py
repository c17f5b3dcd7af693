"""Saves a text of the code pane as a file of the person's choice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from workbench.core.atomic_files import write_atomically

ChooseFile = Callable[[QWidget, str], str]


def choose_file(parent: QWidget, suggested: str) -> str:
    """The path that the person chose to save under; empty where they changed their mind."""
    path, _ = QFileDialog.getSaveFileName(parent, "Save this text", suggested)
    return path


def save_text(path: str, text: str) -> str:
    """Write a text as UTF-8; why it was not written, empty where it was."""
    try:
        write_atomically(Path(path), text.encode())
    except OSError as error:
        return f"{path} was not written: {error.strerror or error}."
    return ""
