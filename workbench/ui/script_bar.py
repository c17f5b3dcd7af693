"""The bar over a document without cases: offers to run its script, and to keep what that found."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from workbench.session.script_runs import ScriptOffer
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import hairline, text_label
from workbench.ui.widgets.severity import SeverityLook, SeverityMark

_LOOK = SeverityLook("play", "accent", "Offer")


class ScriptBar(QFrame):
    """Shows one offer, or is hidden."""

    #: The person wants the script run; only its cases; those written into the file; the bar gone.
    run_requested = Signal()
    find_requested = Signal()
    write_requested = Signal()
    dismissed = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "bar")
        self.setProperty("ground", "bg2")
        self._offer: ScriptOffer | None = None
        self._mark = SeverityMark(icons, _LOOK, 20)
        self._lead = text_label(icons.theme, "", TextRole.HEADING, "fg")
        self._text = text_label(icons.theme, "", TextRole.BODY, "fg2")
        self.run_button = push_button(icons, "Run script", "primary")
        self.find_button = push_button(icons, "Only find cases")
        self.write_button = push_button(icons, "Write into the file", "primary")
        self.later_button = push_button(icons, "Not now")
        for label in (self._lead, self._text):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._lay_out()
        self.run_button.clicked.connect(self.run_requested)
        self.find_button.clicked.connect(self.find_requested)
        self.write_button.clicked.connect(self.write_requested)
        self.later_button.clicked.connect(self.dismissed)
        self.hide()

    @property
    def offer(self) -> ScriptOffer | None:
        """What is on show; None where the bar is hidden."""
        return self._offer

    def show_offer(self, offer: ScriptOffer | None) -> None:
        """Show another offer, or hide."""
        self._offer = offer
        self.setVisible(offer is not None)
        if offer is None:
            return
        self._lead.setText(offer.lead)
        self._text.setText(offer.text)
        self.setAccessibleName(offer.lead)
        self.setAccessibleDescription(offer.text)
        self.run_button.setVisible(offer.can_run)
        self.find_button.setVisible(offer.can_run)
        self.write_button.setVisible(offer.can_write)
        self.later_button.setVisible(not offer.is_running)

    def _lay_out(self) -> None:
        texts = QVBoxLayout()
        texts.setSpacing(2)
        texts.addWidget(self._lead)
        texts.addWidget(self._text)
        row = QHBoxLayout()
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(12)
        row.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(texts, 1)
        for button in (self.later_button, self.find_button, self.run_button, self.write_button):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(row)
        layout.addWidget(hairline(strong=True))
