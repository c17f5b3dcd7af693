"""The column beside the map: legend, where the wrong elements are, and what passes."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.session.verification_view import VerificationView
from workbench.ui.panes.verification.bars import CountBars
from workbench.ui.panes.verification.legend import ErrorLegend
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.labels import hairline, text_label

_SPACING = 14


class Facts(QWidget):
    """Shows what is counted of the output in sight."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._legend = ErrorLegend(theme)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(_SPACING)
        self._layout.addWidget(self._legend)
        self._layout.addStretch(1)
        self._parts: list[QWidget] = []

    def show_view(self, view: VerificationView) -> None:
        """Show other counts."""
        for part in self._parts:
            part.hide()
            part.deleteLater()
        self._parts = []
        if view.output is None:
            return
        self._legend.show_output(view.output)
        for group in view.groups:
            self._add(hairline())
            self._add(CountBars(self._theme, group))
        self._add(hairline())
        passes = view.output.comparison.nonfinite == 0
        heading = "What passes" if passes else "Blocks and numbers"
        self._add(self._text_block(heading, view.passes))

    def _text_block(self, heading: str, lines: tuple[str, ...]) -> QWidget:
        block = QWidget()
        layout = QVBoxLayout(block)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(3)
        title = text_label(self._theme, heading, TextRole.STRONG_LABEL, "fg2")
        layout.addWidget(title)
        for line in lines:
            label = text_label(self._theme, line, TextRole.LABEL)
            label.setWordWrap(True)
            layout.addWidget(label)
        return block

    def _add(self, part: QWidget) -> None:
        self._layout.insertWidget(self._layout.count() - 1, part)
        self._parts.append(part)
