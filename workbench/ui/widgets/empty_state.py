"""What an empty view shows: what would stand here, and the action that fills it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.labels import text_label

_ICON = 32
_WIDTH = 360
_LOW_WIDTH = 560
_LEAST_WIDTH, _LEAST_HEIGHT = 160, 80
_INSET = 16
_SPACING, _BESIDE = 12, 8


class EmptyState(QWidget):
    """An icon, a sentence, and a button or two where there is something to do."""

    #: The person pressed the button.
    action_triggered = Signal()
    #: The person pressed the one beside it.
    second_triggered = Signal()

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
        self._fit_sentence(_WIDTH)
        self._button = push_button(icons, action or "")
        self._button.clicked.connect(self.action_triggered)
        self._second = push_button(icons, "")
        self._second.clicked.connect(self.second_triggered)
        self._lay_out()
        self._show_buttons(action, None)
        icons.theme.changed.connect(self._on_theme_changed)
        self._show_picture()

    @property
    def sentence(self) -> str:
        """The sentence shown."""
        return self._sentence.text()

    def set_content(
        self, icon: str, sentence: str, action: str | None = None, second: str | None = None
    ) -> None:
        """Say something else; without `action` there is no button, nor one beside it."""
        self._icon = icon
        self._sentence.setText(sentence)
        self._show_buttons(action, second)
        self._fit()
        self._show_picture()

    def event(self, event: QEvent) -> bool:
        """Draw anew for a screen of another pixel ratio."""
        if event.type() == QEvent.Type.DevicePixelRatioChange:
            self._show_picture()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """The parts find places at any size; their sum in the present ones is no minimum."""
        return QSize(_LEAST_WIDTH + 2 * _INSET, _LEAST_HEIGHT)

    def _fit(self) -> None:
        """In a low view the sentence is wider, the parts stand closer, and the picture goes."""
        room = max(_LEAST_WIDTH, self.width() - 2 * _INSET)
        self._fit_sentence(min(_WIDTH, room))
        shown = [part for part in (self._picture, self._sentence, self._button) if self._has(part)]
        needed = sum(part.sizeHint().height() for part in shown) + _SPACING * len(shown)
        low = self.height() < needed + 2 * _INSET
        self._picture.setVisible(not low)
        self._box.setSpacing(_SPACING // 2 if low else _SPACING)
        above = _SPACING // 2 if low else _INSET
        self._box.setContentsMargins(_INSET, above, _INSET, above)
        if low:
            self._fit_sentence(min(_LOW_WIDTH, room))
        self._box.activate()

    def _has(self, part: QWidget) -> bool:
        return part is not self._button or bool(self._button.text())

    def _show_buttons(self, action: str | None, second: str | None) -> None:
        for button, text in ((self._button, action), (self._second, second)):
            button.setText(text or "")
            button.setVisible(text is not None)

    def _lay_out(self) -> None:
        layout = self._box = QVBoxLayout(self)
        layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        layout.setContentsMargins(_INSET, _INSET, _INSET, _INSET)
        layout.setSpacing(_SPACING)
        layout.addStretch(2)
        for part in (self._picture, self._sentence):
            layout.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        row = QHBoxLayout()
        row.setSpacing(_BESIDE)
        for each in (self._button, self._second):
            row.addWidget(each)
        layout.addLayout(row)
        layout.setAlignment(row, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)

    def _on_theme_changed(self) -> None:
        self._show_picture()

    def _fit_sentence(self, width: int) -> None:
        """The layout would ask for the height at its own width, which is more than the label's."""
        self._sentence.setFixedSize(width, self._sentence.heightForWidth(width))

    def _show_picture(self) -> None:
        ratio = self.devicePixelRatioF()
        self._picture.setPixmap(self._icons.pixmap(self._icon, "fg4", _ICON, ratio))
