"""A theme that tests can switch, and buffers of text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.theme.tokens import DARK, Palette


class SwitchableTheme(QObject):
    """A theme whose palette a test sets."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.palette = DARK

    def switch(self, palette: Palette) -> None:
        self.palette = palette
        self.changed.emit()


@pytest.fixture
def theme(qtbot: QtBot) -> SwitchableTheme:
    return SwitchableTheme()


MakeBuffer = Callable[..., DocumentBuffer]


@pytest.fixture
def make_buffer(theme: SwitchableTheme) -> MakeBuffer:
    def make(text: str = "") -> DocumentBuffer:
        buffer = DocumentBuffer(theme, parent=theme)
        buffer.load(text.encode())
        return buffer

    return make
