"""The sentence that opens a view: its first clause stands out, the rest explains."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme

_CLAUSE_END = re.compile(r"[.:;!?](?=\s)")
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%|[KMG]iB\b|[µm]?s\b|[GT](?:B|FLOP)/s)")
_LINE_HEIGHT_PERCENT = {
    TextRole.CONCLUSION: 125,
    TextRole.NARROW_CONCLUSION: 118,
    TextRole.BODY: 118,
}


def split_conclusion(text: str) -> tuple[str, str]:
    """The first clause with its mark, and the rest; a text of one clause has an empty rest."""
    end = _CLAUSE_END.search(text)
    if end is None:
        return text.strip(), ""
    return text[: end.end()].strip(), text[end.end() :].strip()


def _together(text: str) -> str:
    """The text, in which no line ends between a number and its unit."""
    return _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text)


class ConclusionLabel(QLabel):
    """Shows a conclusion; the person can select and copy it. `narrow` is for a slim lens."""

    def __init__(
        self, theme: Theme, text: str = "", narrow: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._usual = TextRole.NARROW_CONCLUSION if narrow else TextRole.CONCLUSION
        self._role = self._usual
        self._conclusion = text
        self.setFont(theme.fonts.role(self._role))
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        theme.changed.connect(self._on_theme_changed)
        self._show()

    @property
    def conclusion(self) -> str:
        """The sentence as plain text."""
        return self._conclusion

    def set_conclusion(self, text: str) -> None:
        """Show another sentence."""
        self._conclusion = text
        self._show()

    def set_compact(self, compact: bool) -> None:
        """Show it in the size of other text, in a low pane; or in its usual size."""
        role = TextRole.BODY if compact else self._usual
        if role is not self._role:
            self._role = role
            self.setFont(self._theme.fonts.role(role))
            self._show()

    def _on_theme_changed(self) -> None:
        self._show()

    def _show(self) -> None:
        first, rest = (_together(html.escape(p)) for p in split_conclusion(self._conclusion))
        palette = self._theme.palette
        # In the text itself: a new style sheet gives a label the font that it had at first.
        pixels = self._theme.fonts.role(self._role).pixelSize()
        self.setText(
            f'<p style="line-height: {_LINE_HEIGHT_PERCENT[self._role]}%; margin: 0; '
            f'font-size: {pixels}px">'
            f'<span style="font-weight: 600; color: {palette.fg}">{first}</span> '
            f'<span style="color: {palette.fg2}">{rest}</span></p>'
        )
        self.setAccessibleName(self._conclusion)
