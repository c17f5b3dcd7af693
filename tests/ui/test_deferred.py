"""A pane that waits until somebody wants it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLabel, QMainWindow

from workbench.ui.deferred import Deferred
from workbench.ui.docks import DOCKS, Docks
from workbench.ui.theme.icons import Icons


def test_a_pane_is_built_once_when_it_is_wanted(qtbot: Any) -> None:
    built: list[QLabel] = []

    def build() -> QLabel:
        built.append(QLabel("pane"))
        return built[-1]

    deferred = Deferred(build)
    qtbot.addWidget(deferred.place)
    assert deferred.built is None
    assert not built
    pane = deferred.wake()
    assert deferred.wake() is pane
    assert built == [pane]
    assert pane.parent() is deferred.place


def test_a_dock_tells_when_its_tab_comes_in_front(qtbot: Any, icons: Icons) -> None:
    window = QMainWindow()
    qtbot.addWidget(window)
    docks = Docks(window, icons, {record.key: QLabel(record.key) for record in DOCKS})
    docks.arrange("design")
    seen: list[str] = []
    for key in ("problems", "verification"):
        docks.when_seen(key, lambda key=key: seen.append(key))
    window.show()
    qtbot.waitExposed(window)
    qtbot.waitUntil(lambda: "problems" in seen)
    assert "verification" not in seen
    docks.show("verification")
    qtbot.waitUntil(lambda: "verification" in seen)
