"""The styles of a page in the theme's colours and fonts, as rich text names them."""

from __future__ import annotations

import html
import re

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme

NO_LIGATURE = "\u200c"
"""Stands between signs that a font would draw as one: rich text cannot turn ligatures off."""
_SIGNS = re.compile(r"(?<=[^\w\s])(?=[^\w\s])")


def code_text(text: str) -> str:
    """Code as rich text, sign by sign."""
    return html.escape(_SIGNS.sub(NO_LIGATURE, text))


class Dress:
    """Gives style texts for the scheme that is shown when it is made."""

    def __init__(self, theme: Theme) -> None:
        self._palette, self._fonts = theme.palette, theme.fonts
        families = theme.fonts.monospace().families()
        self._mono = ",".join(f"'{family}'" for family in families)

    def colour(self, token: str) -> str:
        """The colour of a token."""
        return self._palette.colour(token)

    def title(self) -> str:
        """A page's title."""
        return f"font-size:{self._px(20)}px;font-weight:600;color:{self.colour('fg')}"

    def heading(self) -> str:
        """A section's title."""
        return f"font-size:{self._px(13)}px;font-weight:600;color:{self.colour('fg')}"

    def lead(self) -> str:
        """The sentence that says what a page is about."""
        return f"font-size:{self._px(14)}px;color:{self.colour('fg2')}"

    def small(self, token: str, weight: int = 400) -> str:
        """Labels, captions and cells."""
        return f"font-size:{self._px(12)}px;font-weight:{weight};color:{self.colour(token)}"

    def code(self, token: str = "fg", inline: bool = False) -> str:
        """Code, on a line of its own or within one."""
        ground = f";background-color:{self.colour('bg3')}" if inline else ";white-space:pre-wrap"
        size = self._px(12)
        return f"font-family:{self._mono};font-size:{size}px;color:{self.colour(token)}{ground}"

    def link(self, to: str, shown: str, pixels: int | None = None) -> str:
        """A link; `shown` is rich text already."""
        size = f"font-size:{self._px(pixels)}px;" if pixels is not None else ""
        style = f"{size}color:{self.colour('accent')};text-decoration:none"
        return f'<a href="{to}" style="{style}">{shown}</a>'

    def syntax(self, kind: str, shown: str) -> str:
        """A piece of code in the colour of its kind; `shown` is rich text already."""
        colour = self.colour(f"syntax_{kind}")
        return f'<span style="font-family:{self._mono};color:{colour}">{shown}</span>'

    def body(self) -> str:
        """The style sheet of the whole page."""
        family = self._fonts.role(TextRole.BODY).family()
        size = self._px(13)
        return f"body {{ font-family:'{family}'; font-size:{size}px; color:{self.colour('fg2')} }}"

    def _px(self, pixels: int) -> int:
        return self._fonts.pixels(pixels)
