"""What is to be believed of a measurement: a mark and a sentence a row."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLayout, QVBoxLayout, QWidget

from workbench.core.diagnostics import Severity
from workbench.session.profile.trust import Trust
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.severity import GOOD, SeverityMark

_TONES = {Severity.ERROR: "error", Severity.WARNING: "fg2", Severity.INFO: "fg3", None: "fg3"}
_MARK = 14


class TrustList(QWidget):
    """As high as its rows; hidden without any."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._shown: tuple[Trust, ...] | None = None
        self._is_low = False
        self.setAccessibleName("What to believe of this measurement")
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(16, 0, 16, 4)
        self._rows.setSpacing(3)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is said, the worst first."""
        return tuple(each.text for each in self._shown or ())

    def show_trust(self, trust: Sequence[Trust]) -> None:
        """Say something else."""
        if tuple(trust) == self._shown:
            return
        self._shown = tuple(trust)
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        for each in trust:
            self._rows.addWidget(self._row(each))
        self._fit()

    def set_low(self, low: bool) -> None:
        """In a low pane what is good goes without saying."""
        self._is_low = low
        self._fit()

    def _fit(self) -> None:
        shown = self._shown or ()
        has_doubt = any(each.severity is not None for each in shown)
        self.setVisible(bool(shown) and (has_doubt or not self._is_low))

    def _row(self, trust: Trust) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        layout.setSizeConstraint(QLayout.SizeConstraint.SetDefaultConstraint)
        mark = SeverityMark(self._icons, trust.severity or GOOD, _MARK)
        layout.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        text = text_label(self._icons.theme, trust.text, TextRole.LABEL, _TONES[trust.severity])
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setWordWrap(True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(text, 1)
        return row
