"""What every test of the window gets: a theme, icons, and a check for windows left."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget

from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

# What Qt's off-screen platform cannot do is said once a window, and is no fault of the window.
OFFSCREEN_LIMITS = r"^This plugin does not support "


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.qt_log_ignore(OFFSCREEN_LIMITS, extend=True))


@pytest.fixture(autouse=True)
def _no_leaked_widget(qapp: QApplication) -> Iterator[None]:
    before = set(QApplication.topLevelWidgets())
    yield
    leaked = windows_since(before)
    if leaked:
        gc.collect()
        leaked = windows_since(before)
    assert not leaked, f"windows are left after the test: {leaked}"


def windows_since(before: set[QWidget]) -> list[QWidget]:
    """Top-level widgets that are new and not about to go; Qt keeps its tool tip for itself."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    return [
        widget
        for widget in QApplication.topLevelWidgets()
        if widget not in before and widget.metaObject().className() != "QTipLabel"
    ]


@pytest.fixture
def theme(qapp: QApplication) -> Iterator[Theme]:
    """A dark theme, applied."""
    font, palette = qapp.font(), qapp.palette()
    theme = Theme("dark")
    theme.apply(qapp)
    yield theme
    qapp.setStyleSheet("")
    qapp.setFont(font)
    qapp.setPalette(palette)
    qapp.styleHints().unsetColorScheme()


@pytest.fixture
def icons(theme: Theme) -> Icons:
    return Icons(theme)
