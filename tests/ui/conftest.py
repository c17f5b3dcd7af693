"""What every test of the window gets: a theme, icons, and a check for windows left."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from workbench.session.jobs import JobController
from workbench.ui import controller
from workbench.ui.editor.jedi_provider import JediProvider
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

# What Qt's off-screen platform cannot do is said once a window, and is no fault of the window.
OFFSCREEN_LIMITS = r"^This plugin does not support "
PATIENCE_MS = 240_000


class PatientBot(QtBot):
    """A bot whose waits for something to happen fail late, whatever a test asks for: they end as
    soon as it happens, and how long that takes is up to what else the machine does."""

    def waitSignal(self, signal: Any, *, timeout: int = 0, **options: Any) -> Any:  # noqa: N802
        if options.get("raising", True):
            timeout = max(timeout, PATIENCE_MS)
        return super().waitSignal(signal, timeout=timeout, **options)

    def waitSignals(self, signals: Any, *, timeout: int = 0, **options: Any) -> Any:  # noqa: N802
        return super().waitSignals(signals, timeout=max(timeout, PATIENCE_MS), **options)

    def waitUntil(self, callback: Any, *, timeout: int = 0) -> None:  # noqa: N802
        super().waitUntil(callback, timeout=max(timeout, PATIENCE_MS))


class UnhurriedProvider(JediProvider):
    """Completion whose helper never starts."""

    was_asked = False

    def start(self) -> None:
        """Note that the helper was to start."""
        self.was_asked = True


def pytest_itemcollected(item: pytest.Item) -> None:
    item.add_marker(pytest.mark.qt_log_ignore(OFFSCREEN_LIMITS, extend=True))


@pytest.fixture
def qtbot(qapp: QApplication, request: pytest.FixtureRequest) -> QtBot:
    return PatientBot(request)


@pytest.fixture(autouse=True)
def warmed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lanes that were to be warm. A window of a test starts an executor when a job needs it:
    two that load tilelang, and a helper that reads it, would take seconds of the processor from
    tests that never ask them anything."""
    lanes: list[str] = []
    monkeypatch.setattr(JobController, "warm", lambda self, *asked: lanes.extend(asked))
    monkeypatch.setattr(controller, "JediProvider", UnhurriedProvider)
    return lanes


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
