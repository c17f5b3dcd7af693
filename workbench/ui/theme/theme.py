"""The theme in force: which scheme holds, its colours and fonts, and their way into Qt."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication

from workbench.ui.theme.fonts import Fonts, interface_font
from workbench.ui.theme.style_sheet import qt_palette, style_sheet
from workbench.ui.theme.tokens import DARK, LIGHT, Palette

Scheme = Literal["dark", "light"]
Choice = Literal["system", "light", "dark"]

_PALETTES: dict[Scheme, Palette] = {"dark": DARK, "light": LIGHT}
_REQUESTS: dict[Choice, Qt.ColorScheme] = {
    "system": Qt.ColorScheme.Unknown,
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
}
_SCHEMES: dict[Qt.ColorScheme, Scheme] = {
    Qt.ColorScheme.Dark: "dark",
    Qt.ColorScheme.Light: "light",
}


class Theme(QObject):
    """Colours and fonts of the window; follows the desktop where the choice is "system"."""

    #: The scheme is another one now, and Qt's palette and style sheet are already its own.
    changed = Signal()

    def __init__(self, choice: Choice = "system", parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choice: Choice = choice
        self._app: QApplication | None = None
        # Read before `apply` replaces it: the one sign of a dark desktop where Qt knows no scheme.
        ground = QGuiApplication.palette().window().color()
        self._unknown_scheme: Scheme = "dark" if ground.lightnessF() < 0.5 else "light"
        self._fonts = Fonts(interface_font())
        hints = QGuiApplication.styleHints()
        hints.setColorScheme(_REQUESTS[choice])
        self._scheme = self._wanted_scheme()
        hints.colorSchemeChanged.connect(self._on_system_scheme_changed)

    @property
    def choice(self) -> Choice:
        """What the person chose."""
        return self._choice

    @property
    def scheme(self) -> Scheme:
        """What is shown."""
        return self._scheme

    @property
    def palette(self) -> Palette:
        """The tokens of the scheme shown."""
        return _PALETTES[self._scheme]

    @property
    def fonts(self) -> Fonts:
        """The fonts by role; they are the same in every scheme."""
        return self._fonts

    def colour(self, token: str, alpha: float = 1.0) -> QColor:
        """A token's colour in the scheme shown; `alpha` is its opacity, 0 to 1."""
        colour = QColor(self.palette.colour(token))
        colour.setAlphaF(alpha)
        return colour

    def set_choice(self, choice: Choice) -> None:
        """Show that scheme, or the desktop's, from now on."""
        self._choice = choice
        # Qt hands the wish on, so that title bars and native dialogs go with the window.
        QGuiApplication.styleHints().setColorScheme(_REQUESTS[choice])
        self._update()

    def apply(self, app: QApplication) -> None:
        """Dress the application, now and after every change."""
        self._app = app
        app.setStyle("Fusion")
        app.setFont(self._fonts.base)
        self._dress(app)

    def _on_system_scheme_changed(self) -> None:
        self._update()

    def _update(self) -> None:
        wanted = self._wanted_scheme()
        if wanted == self._scheme:
            return
        self._scheme = wanted
        if self._app is not None:
            self._dress(self._app)
        self.changed.emit()

    def _dress(self, app: QApplication) -> None:
        app.setPalette(qt_palette(self.palette))
        app.setStyleSheet(style_sheet(self.palette, self._fonts))

    def _wanted_scheme(self) -> Scheme:
        if self._choice != "system":
            return self._choice
        return _SCHEMES.get(QGuiApplication.styleHints().colorScheme(), self._unknown_scheme)
