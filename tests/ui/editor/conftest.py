"""The theme, and buffers of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication

from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    made = Theme("dark")
    yield made
    made.deleteLater()


@pytest.fixture
def icons(theme: Theme) -> Icons:
    return Icons(theme)


MakeBuffer = Callable[..., DocumentBuffer]


@pytest.fixture
def make_buffer(theme: Theme) -> MakeBuffer:
    def make(text: str = "") -> DocumentBuffer:
        buffer = DocumentBuffer(theme, parent=theme)
        buffer.load(text.encode())
        return buffer

    return make
