"""The fonts: the system's own for the interface, a monospace one for code, and their sizes."""

from __future__ import annotations

import enum

from PySide6.QtGui import QFont, QFontDatabase, QFontInfo, QGuiApplication

MONOSPACE_FAMILIES = (
    "JetBrains Mono",
    "Cascadia Code",
    "SF Mono",
    "Menlo",
    "Consolas",
    "DejaVu Sans Mono",
)
# Where Qt draws off screen there is no desktop whose font could be followed.
_PLATFORMS_WITHOUT_FONT = ("offscreen", "minimal", "vnc")
_OFFSCREEN_FAMILIES = ("Inter", "DejaVu Sans")
_OFFSCREEN_PIXELS = 13
_BASE_PIXELS = 13


class TextRole(enum.Enum):
    """What a text is for: its size at a 13 px interface font, and its weight."""

    PAGE_TITLE = (26, QFont.Weight.DemiBold)
    TITLE = (20, QFont.Weight.DemiBold)
    CONCLUSION = (16, QFont.Weight.Normal)
    NARROW_CONCLUSION = (15, QFont.Weight.Normal)
    HEADING = (13, QFont.Weight.DemiBold)
    VALUE = (14, QFont.Weight.DemiBold)
    BODY = (13, QFont.Weight.Normal)
    STRONG = (13, QFont.Weight.Medium)
    LABEL = (12, QFont.Weight.Normal)
    STRONG_LABEL = (12, QFont.Weight.Medium)
    NOTE = (11, QFont.Weight.Normal)

    @property
    def pixels(self) -> int:
        """The size in px where the interface font has 13 px."""
        return self.value[0]

    @property
    def weight(self) -> QFont.Weight:
        """400, 500 or 600, and no other."""
        return self.value[1]


class Fonts:
    """Gives the font of each role, in proportion to the interface font `base`."""

    def __init__(self, base: QFont) -> None:
        self._base = with_tabular_figures(base)
        self._scale = QFontInfo(self._base).pixelSize() / _BASE_PIXELS

    @property
    def base(self) -> QFont:
        """The interface font at its own size."""
        return QFont(self._base)

    def pixels(self, pixels: float) -> int:
        """The size in px here of what has `pixels` where the interface font has 13."""
        return max(1, round(pixels * self._scale))

    def role(self, role: TextRole) -> QFont:
        """The interface font in the size and weight of a role."""
        font = QFont(self._base)
        font.setPixelSize(self.pixels(role.pixels))
        font.setWeight(role.weight)
        return font

    def monospace(self, pixels: float = 12) -> QFont:
        """The font of code and of compared numbers; 12 is its usual size."""
        font = monospace_font()
        font.setPixelSize(self.pixels(pixels))
        return font


def interface_font() -> QFont:
    """The system's interface font at its size; off screen Inter, where it is installed."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    if QGuiApplication.platformName() in _PLATFORMS_WITHOUT_FONT:
        font.setFamilies(list(_OFFSCREEN_FAMILIES))
        font.setPixelSize(_OFFSCREEN_PIXELS)
    return font


def monospace_font() -> QFont:
    """The first installed of `MONOSPACE_FAMILIES`, else the system's, without ligatures."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setFamilies([*MONOSPACE_FAMILIES, *font.families()])
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setFixedPitch(True)
    # Ligatures would draw `!=` and `->` as one glyph, and columns are counted in characters.
    _set_feature(font, "calt", 0)
    _set_feature(font, "liga", 0)
    return font


def with_tabular_figures(font: QFont) -> QFont:
    """A copy of `font` whose digits have one width, where the font has such digits."""
    copy = QFont(font)
    _set_feature(copy, "tnum", 1)
    return copy


def _set_feature(font: QFont, tag: str, value: int) -> None:
    font.setFeature(QFont.Tag(tag), value)
