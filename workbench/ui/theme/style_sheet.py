"""Makes Qt's style sheet and palette from the tokens."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from string import Template

from PySide6.QtGui import QColor, QPalette

from workbench.ui.theme.colours import luminance, mix
from workbench.ui.theme.fonts import Fonts
from workbench.ui.theme.resource_data import register_files
from workbench.ui.theme.svg import icon_svg
from workbench.ui.theme.tokens import Palette

_SHEETS = ("base", "controls", "views", "window")
_FONT_PIXELS = (11, 12, 13)

# What the style sheet shows as an image: file -> (icon, colour token, px).
_GLYPHS = {
    "check-on": ("check", "onaccent", 12),
    "check-off": ("check", "fg4", 12),
    "partial-on": ("minus", "onaccent", 12),
    "dot-on": ("dot", "onaccent", 12),
    "dot-off": ("dot", "fg4", 12),
    "menu-check": ("check", "fg", 16),
    "up": ("chevron-up", "fg3", 16),
    "down": ("chevron-down", "fg3", 16),
    "left": ("chevron-left", "fg3", 16),
    "right": ("chevron-right", "fg3", 16),
    "up-off": ("chevron-up", "fg4", 16),
    "down-off": ("chevron-down", "fg4", 16),
    "left-off": ("chevron-left", "fg4", 16),
    "right-off": ("chevron-right", "fg4", 16),
    "close-tight": ("close", "fg3", 16),
    "close-tight-hover": ("close", "fg", 16),
    "float-tight": ("external", "fg3", 16),
}
# Qt draws the buttons of tabs and docks at 10 px, so their icons fill the whole of it.
_TIGHT_BOX = 'viewBox="3 3 18 18"'

_ROLES = {
    QPalette.ColorRole.Window: "bg1",
    QPalette.ColorRole.WindowText: "fg",
    QPalette.ColorRole.Base: "bg1",
    QPalette.ColorRole.AlternateBase: "bg2",
    QPalette.ColorRole.ToolTipBase: "bg2",
    QPalette.ColorRole.ToolTipText: "fg",
    QPalette.ColorRole.PlaceholderText: "fg3",
    QPalette.ColorRole.Text: "fg",
    QPalette.ColorRole.Button: "bg2",
    QPalette.ColorRole.ButtonText: "fg",
    QPalette.ColorRole.BrightText: "error",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "accent",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "onaccent",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Light: "bg4",
    QPalette.ColorRole.Midlight: "bg3",
    QPalette.ColorRole.Mid: "line2",
    QPalette.ColorRole.Dark: "line",
    QPalette.ColorRole.Shadow: "bg0",
}
_TEXT_ROLES = (
    QPalette.ColorRole.WindowText,
    QPalette.ColorRole.Text,
    QPalette.ColorRole.ButtonText,
    QPalette.ColorRole.HighlightedText,
)


def is_dark(palette: Palette) -> bool:
    """Whether the palette's content has a dark ground."""
    return luminance(palette.bg1) < 0.5


def qt_palette(palette: Palette) -> QPalette:
    """The palette for what no style sheet reaches: native dialogs, pyqtgraph, bare painting."""
    result = QPalette()
    for role, token in _ROLES.items():
        result.setColor(role, QColor(palette.colour(token)))
    for role in _TEXT_ROLES:
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(palette.fg4))
    result.setColor(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Highlight, QColor(palette.bg3))
    return result


def style_sheet(palette: Palette, fonts: Fonts) -> str:
    """The style sheet of the whole application."""
    values = {**vars(palette), **_derived(palette), "glyphs": _glyph_folder(palette)}
    values.update({f"px{pixels}": str(fonts.pixels(pixels)) for pixels in _FONT_PIXELS})
    return "\n".join(_template(name).substitute(values) for name in _SHEETS)


def _derived(palette: Palette) -> dict[str, str]:
    """Shades that follow from tokens: what floats or is pressed is lighter in the dark."""
    dark = is_dark(palette)
    return {
        "float": palette.bg2 if dark else palette.bg1,
        "button": palette.bg2 if dark else palette.bg1,
        "hover": palette.bg3,
        "row_hover": palette.bg2,
        "selected": palette.bg3,
        "hover_on_frame": palette.bg3 if dark else mix(palette.bg3, palette.bg4, 0.6),
        "selected_on_frame": palette.bg3 if dark else palette.bg4,
        "segments": palette.bg2 if dark else palette.bg3,
        "segment": palette.bg4 if dark else palette.bg1,
        "segment_edge": palette.bg4 if dark else palette.line2,
        "track": palette.bg4,
        "thumb": palette.bg4 if dark else palette.line2,
        "accent_hover": mix(palette.accent, palette.fg, 0.12),
        "accent_press": mix(palette.accent, palette.bg0 if dark else palette.fg, 0.2),
    }


@cache
def _template(name: str) -> Template:
    path = Path(__file__).parent / "sheets" / f"{name}.qss"
    return Template(path.read_text(encoding="utf-8"))


@cache
def _glyph_folder(palette: Palette) -> str:
    """The path under which Qt finds the images in this palette's colours."""
    files = {f"{name}.svg": _glyph(palette, name) for name in _GLYPHS}
    return register_files(f"workbench-{'dark' if is_dark(palette) else 'light'}", files)


def _glyph(palette: Palette, name: str) -> bytes:
    icon, token, pixels = _GLYPHS[name]
    svg = icon_svg(icon, palette.colour(token), pixels)
    return svg.replace(b'viewBox="0 0 24 24"', _TIGHT_BOX.encode()) if "-tight" in name else svg
