"""What an empty view shows: what would stand here, and the action that fills it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import text_label

_ICON = 32
_WIDTH = 360


class EmptyState(QWidget):
    """An icon, a sentence, and a button where there is something to do."""

    #: The person pressed the button.
    action_triggered = Signal()

    def __init__(
        self,
        icons: Icons,
        icon: str,
        sentence: str,
        action: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._icons, self._icon = icons, icon
        self._picture = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._sentence = text_label(icons.theme, sentence, TextRole.BODY, "fg3")
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._sentence.setWordWrap(True)
        self._sentence.setFixedWidth(_WIDTH)
        self._fit_sentence()
        self._button = push_button(icons, action or "")
        self._button.clicked.connect(self.action_triggered)
        self._lay_out()
        self._button.setVisible(action is not None)
        icons.theme.changed.connect(self._on_theme_changed)
        self._show_picture()

    @property
    def sentence(self) -> str:
        """The sentence shown."""
        return self._sentence.text()

    def set_content(self, icon: str, sentence: str, action: str | None = None) -> None:
        """Say something else; without `action` there is no button."""
        self._icon = icon
        self._sentence.setText(sentence)
        self._fit_sentence()
        self._button.setText(action or "")
        self._button.setVisible(action is not None)
        self._show_picture()

    def event(self, event: QEvent) -> bool:
        """Draw anew for a screen of another pixel ratio."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._show_picture()
        return super().event(event)

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addStretch(2)
        for part in (self._picture, self._sentence, self._button):
            layout.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)

    def _on_theme_changed(self) -> None:
        self._show_picture()

    def _fit_sentence(self) -> None:
        """The layout would ask for the height at its own width, which is more than the label's."""
        self._sentence.setFixedHeight(self._sentence.heightForWidth(_WIDTH))

    def _show_picture(self) -> None:
        ratio = self.devicePixelRatioF()
        self._picture.setPixmap(self._icons.pixmap(self._icon, "fg4", _ICON, ratio))
