from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import DARK, LIGHT


class Desktop(QObject):
    """Stands for Qt's style hints: off screen there is no desktop whose scheme could change."""

    colorSchemeChanged = Signal(Qt.ColorScheme)  # noqa: N815 - Qt's name

    def __init__(self, scheme: Qt.ColorScheme) -> None:
        super().__init__()
        self.scheme = scheme
        self.wish = Qt.ColorScheme.Unknown

    def colorScheme(self) -> Qt.ColorScheme:  # noqa: N802 - Qt's name
        return self.scheme

    def setColorScheme(self, scheme: Qt.ColorScheme) -> None:  # noqa: N802 - Qt's name
        self.wish = scheme

    def turn(self, scheme: Qt.ColorScheme) -> None:
        self.scheme = scheme
        self.colorSchemeChanged.emit(scheme)


@pytest.fixture
def desktop(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Desktop:
    desktop = Desktop(Qt.ColorScheme.Light)
    monkeypatch.setattr(QGuiApplication, "styleHints", staticmethod(lambda: desktop))
    return desktop


def test_the_desktop_is_followed(desktop: Desktop, qtbot: QtBot) -> None:
    theme = Theme("system")
    assert theme.scheme == "light"
    with qtbot.waitSignal(theme.changed, timeout=1000):
        desktop.turn(Qt.ColorScheme.Dark)
    assert theme.scheme == "dark"


def test_a_choice_is_kept_when_the_desktop_changes(desktop: Desktop, qtbot: QtBot) -> None:
    theme = Theme("light")
    with qtbot.assertNotEmitted(theme.changed):
        desktop.turn(Qt.ColorScheme.Dark)
    assert theme.scheme == "light"


def test_going_back_to_the_system_shows_its_scheme(desktop: Desktop) -> None:
    theme = Theme("dark")
    theme.set_choice("system")
    assert theme.scheme == "light"


def test_native_parts_are_asked_to_go_with_the_choice(desktop: Desktop) -> None:
    theme = Theme("dark")
    assert desktop.wish is Qt.ColorScheme.Dark
    theme.set_choice("system")
    assert desktop.wish is Qt.ColorScheme.Unknown


def test_a_chosen_scheme_is_shown(theme: Theme) -> None:
    assert (theme.choice, theme.scheme, theme.palette) == ("dark", "dark", DARK)


def test_a_switch_is_announced_once_qt_is_dressed(theme: Theme, qtbot: QtBot) -> None:
    grounds: list[str] = []
    theme.changed.connect(
        lambda: grounds.append(QApplication.palette().color(QPalette.ColorRole.Base).name().upper())
    )
    theme.set_choice("light")
    assert grounds == [LIGHT.bg1]


def test_the_same_choice_changes_nothing(theme: Theme, qtbot: QtBot) -> None:
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_choice("dark")


def test_a_desktop_without_a_scheme_gives_that_of_its_palette(qapp: QApplication) -> None:
    before = qapp.palette()
    dark = QPalette(before)
    dark.setColor(QPalette.ColorRole.Window, Qt.GlobalColor.black)
    qapp.setPalette(dark)
    theme = Theme("system")
    qapp.setPalette(before)
    assert theme.scheme == "dark"


def test_a_colour_can_be_had_at_an_opacity(theme: Theme) -> None:
    colour = theme.colour("accent", 0.5)
    assert colour.name().upper() == DARK.accent
    assert colour.alphaF() == pytest.approx(0.5, abs=0.01)


def test_a_primary_button_is_painted_in_the_accent(theme: Theme, qtbot: QtBot) -> None:
    button = QPushButton("")
    button.setProperty("kind", "primary")
    qtbot.addWidget(button)
    button.resize(80, 28)
    assert button.grab().toImage().pixelColor(20, 14).name().upper() == DARK.accent
    theme.set_choice("light")
    assert button.grab().toImage().pixelColor(20, 14).name().upper() == LIGHT.accent
