"""The palette: type some letters of an action or a file, press Enter."""

from workbench.ui.command_palette.palette import CommandPalette
from workbench.ui.command_palette.rows import PaletteItem

__all__ = ["CommandPalette", "PaletteItem"]
