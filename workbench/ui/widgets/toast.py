"""Toasts: short messages over the lower right of the window that ask for no answer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QEnterEvent
from PySide6.QtWidgets import QFrame, QGraphicsDropShadowEffect, QHBoxLayout, QWidget

from workbench.core.diagnostics import Severity
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.style_sheet import is_dark
from workbench.ui.widgets.buttons import FlatToolButton, push_button
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.severity import SeverityLook, SeverityMark

SHOWN_MS = 6000
_WIDTH = 400
_MARGIN = 16
_SPACING = 8
_MOST = 4
_SHADOW_BLUR = 12
_SHADOW_ALPHA = {True: 0.43, False: 0.11}


class Toast(QFrame):
    """One message; it leaves after `SHOWN_MS`, unless it is an error or the pointer is on it."""

    #: The person pressed the action's button; the toast leaves.
    action_triggered = Signal()
    #: It has left.
    closed = Signal()

    def __init__(
        self,
        icons: Icons,
        text: str,
        severity: Severity | SeverityLook,
        action: str | None,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._icons = icons
        #: What the message is about; "" where it is about nothing that could pass.
        self.topic = ""
        self.setProperty("kind", "toast")
        self.setFixedWidth(_WIDTH)
        self._mark = SeverityMark(icons, severity)
        self._text = text_label(icons.theme, text, TextRole.BODY, "fg")
        self._text.setWordWrap(True)
        self._timer = QTimer(self, singleShot=True, interval=SHOWN_MS)
        self._timer.timeout.connect(self.dismiss)
        self._lay_out(action)
        self._on_theme_changed()
        icons.theme.changed.connect(self._on_theme_changed)
        self.setAccessibleName(f"{self._mark.look.word}: {text}")
        self._start()

    @property
    def text(self) -> str:
        """The message."""
        return self._text.text()

    def dismiss(self) -> None:
        """Leave now."""
        self._timer.stop()
        self.hide()
        self.closed.emit()
        self.deleteLater()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(_WIDTH, max(44, self.heightForWidth(_WIDTH)))

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802 - Qt's name
        super().enterEvent(event)
        self._timer.stop()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        super().leaveEvent(event)
        self._start()

    def _lay_out(self, action: str | None) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.setSpacing(10)
        layout.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self._text, 1)
        if action is not None:
            button = push_button(self._icons, action, "link")
            button.clicked.connect(self._on_action_clicked)
            layout.addWidget(button)
        close = FlatToolButton(self._icons, "Close this message")
        close.set_icon("close", "fg3", 12)
        close.clicked.connect(self.dismiss)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignVCenter)

    def _on_action_clicked(self) -> None:
        self.action_triggered.emit()
        self.dismiss()

    def _on_theme_changed(self) -> None:
        shadow = QGraphicsDropShadowEffect(self, blurRadius=_SHADOW_BLUR, xOffset=0, yOffset=2)
        shadow.setColor(QColor.fromRgbF(0, 0, 0, _SHADOW_ALPHA[is_dark(self._icons.theme.palette)]))
        self.setGraphicsEffect(shadow)

    def _start(self) -> None:
        if self._mark.look.tone != "error":
            self._timer.start()


class ToastHost(QObject):
    """Stacks toasts in the lower right of a window, the newest lowest, four at most."""

    def __init__(self, window: QWidget, icons: Icons) -> None:
        super().__init__(window)
        self._window, self._icons = window, icons
        self._toasts: list[Toast] = []
        self._bottom = _MARGIN
        window.installEventFilter(self)

    @property
    def toasts(self) -> tuple[Toast, ...]:
        """Those on show, the oldest first."""
        return tuple(self._toasts)

    def show_toast(
        self,
        text: str,
        severity: Severity | SeverityLook = Severity.INFO,
        action: str | None = None,
        topic: str = "",
    ) -> Toast:
        """Show a message; with `action` it has a button that emits `action_triggered`.

        It takes the place of an equal one, and of the one before of its `topic`.
        """
        for known in self.toasts:
            if known.text == text or (topic and known.topic == topic):
                known.dismiss()
        toast = Toast(self._icons, text, severity, action, self._window)
        toast.topic = topic
        toast.closed.connect(self._on_toast_closed)
        self._toasts.append(toast)
        if len(self._toasts) > _MOST:
            self._toasts[0].dismiss()
        toast.show()
        self._place()
        return toast

    def dismiss(self, topic: str) -> None:
        """Take away what is said of a topic: it is no longer so."""
        for known in self.toasts:
            if known.topic == topic:
                known.dismiss()

    def set_bottom_margin(self, pixels: int) -> None:
        """Keep that far from the window's lower edge, so that the status bar stays in sight."""
        self._bottom = pixels
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def _on_toast_closed(self) -> None:
        toast = self.sender()
        self._toasts = [known for known in self._toasts if known is not toast]
        self._place()

    def _place(self) -> None:
        bottom = self._window.height() - self._bottom
        for toast in reversed(self._toasts):
            toast.resize(toast.sizeHint())
            toast.move(self._window.width() - toast.width() - _MARGIN, bottom - toast.height())
            toast.raise_()
            bottom -= toast.height() + _SPACING
