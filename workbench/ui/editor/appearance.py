"""What the editor takes from the theme: colours, fonts, and the formats of highlighted code."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtGui import QBrush, QColor, QFont, QImage, QTextCharFormat

from workbench.core.diagnostics import Severity
from workbench.ui.editor.lexing import Kind
from workbench.ui.theme.fonts import interface_font, monospace_font
from workbench.ui.theme.svg import icon_svg, render_svg
from workbench.ui.theme.tokens import Palette

CODE_PIXELS = 12
NOTE_RATIO = 11 / 12
MIN_PIXELS = 6
MAX_PIXELS = 48

SEVERITY_TOKENS = {Severity.ERROR: "error", Severity.WARNING: "warn", Severity.INFO: "info"}
SEVERITY_ICONS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "info"}
SEVERITY_ORDER = (Severity.ERROR, Severity.WARNING, Severity.INFO)


def colour(palette: Palette, token: str, alpha: float = 1.0) -> QColor:
    """The colour of a token; it is shared, so copy it to change it. KeyError for no such token."""
    return _shared_colour(palette.colour(token), alpha)


@lru_cache(maxsize=512)
def _shared_colour(value: str, alpha: float) -> QColor:
    result = QColor(value)
    result.setAlphaF(alpha)
    return result


def severity_colour(palette: Palette, severity: Severity) -> QColor:
    """The hue of a severity."""
    return colour(palette, SEVERITY_TOKENS[severity])


@lru_cache(maxsize=64)
def code_font(pixels: int) -> QFont:
    """The font of code; it is shared, so copy it to change it."""
    font = monospace_font()
    font.setPixelSize(pixels)
    return font


@lru_cache(maxsize=64)
def note_font(pixels: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The font of what is written beside code of `pixels`; it is shared, as `code_font` is."""
    font = interface_font()
    font.setPixelSize(max(MIN_PIXELS, round(pixels * NOTE_RATIO)))
    font.setWeight(weight)
    return font


def formats(palette: Palette) -> dict[Kind, QTextCharFormat]:
    """The format of each kind of code."""
    return {kind: _format(colour(palette, f"syntax_{kind.value}")) for kind in Kind}


def _format(foreground: QColor) -> QTextCharFormat:
    result = QTextCharFormat()
    result.setForeground(QBrush(foreground))
    return result


@lru_cache(maxsize=256)
def icon_image(name: str, hue: str, size: int, ratio: float) -> QImage:
    """An icon of the set in a colour `#RRGGBB`, `size` device-independent px wide."""
    return render_svg(icon_svg(name, hue, size), size, ratio)
