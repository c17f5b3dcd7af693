"""The icons in the theme's colours: sharp on every screen, and repainted when the theme changes."""

from __future__ import annotations

from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication, QIcon, QPixmap

from workbench.ui.theme.svg import icon_svg, logo_svg, render_svg
from workbench.ui.theme.theme import Theme

_DISABLED = "fg4"


class Wearer(Protocol):
    """What has an icon: an action, a button."""

    def setIcon(self, icon: QIcon, /) -> None: ...  # noqa: N802 - Qt's name


class Icons:
    """Gives icons by name in a colour token, cached by colour, size and device pixel ratio."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._pixmaps: dict[tuple[str, str, int, float], QPixmap] = {}
        self._icons: dict[tuple[str, str, int], QIcon] = {}

    def icon(self, name: str, colour_token: str = "fg3", size: int = 16) -> QIcon:
        """The icon for the scheme shown now; disabled it is pale. KeyError for an unknown name."""
        key = (name, self.theme.palette.colour(colour_token), size)
        if key not in self._icons:
            self._icons[key] = self._build(name, colour_token, size)
        return QIcon(self._icons[key])

    def pixmap(
        self, name: str, colour_token: str = "fg3", size: int = 16, ratio: float = 1.0
    ) -> QPixmap:
        """The icon as a picture of `size` device-independent px."""
        key = (name, self.theme.palette.colour(colour_token), size, ratio)
        if key not in self._pixmaps:
            image = render_svg(icon_svg(name, key[1], size), size, ratio)
            self._pixmaps[key] = QPixmap.fromImage(image)
        return self._pixmaps[key]

    def assign(
        self, wearer: Wearer, name: str, colour_token: str = "fg3", size: int = 16
    ) -> Assignment:
        """Give `wearer` (a QObject) the icon, and again in every later scheme."""
        return Assignment(self, wearer, name, colour_token, size)

    def logo(self, size: int, ratio: float = 1.0) -> QPixmap:
        """The product's mark in the memory hues of the scheme."""
        return QPixmap.fromImage(render_svg(logo_svg(self.theme.palette), size, ratio))

    def _build(self, name: str, colour_token: str, size: int) -> QIcon:
        icon = QIcon()
        for ratio in _ratios():
            pixmap = self.pixmap(name, colour_token, size, ratio)
            icon.addPixmap(pixmap)
            # Without one of its own, Qt tints the icon of a selected row.
            icon.addPixmap(pixmap, QIcon.Mode.Selected)
            icon.addPixmap(self.pixmap(name, _DISABLED, size, ratio), QIcon.Mode.Disabled)
        return icon


class Assignment(QObject):
    """Keeps the icon of one wearer in the theme's colours; lives and dies with the wearer."""

    def __init__(
        self, icons: Icons, wearer: Wearer, name: str, colour_token: str, size: int
    ) -> None:
        super().__init__(wearer if isinstance(wearer, QObject) else None)
        self._icons = icons
        self._wearer = wearer
        self._request = (name, colour_token, size)
        self._on_theme_changed()
        icons.theme.changed.connect(self._on_theme_changed)

    def set_icon(self, name: str, colour_token: str = "fg3", size: int = 16) -> None:
        """Show another icon from now on."""
        self._request = (name, colour_token, size)
        self._on_theme_changed()

    def _on_theme_changed(self) -> None:
        self._wearer.setIcon(self._icons.icon(*self._request))


def _ratios() -> tuple[float, ...]:
    """The device pixel ratios to be ready for: those of the screens, and 1 and 2."""
    screens = {screen.devicePixelRatio() for screen in QGuiApplication.screens()}
    return tuple(sorted({1.0, 2.0} | screens))
