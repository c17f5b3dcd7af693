"""What Qt's event loop gives to the session: calls from other threads, and timers."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal

Call = Callable[[], None]


class Loop(QObject):
    """Carries calls into the thread that it lives in, in their order."""

    _called = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._is_open = True
        self._called.connect(self._on_called, Qt.ConnectionType.QueuedConnection)

    def post(self, call: Call) -> None:
        """Call it soon in the loop's thread; from any thread, until the loop is closed."""
        if self._is_open:
            self._called.emit(call)

    def make_timer(self, call: Call) -> LoopTimer:
        """A timer that calls `call` in the loop's thread, until the loop is closed."""
        return LoopTimer(lambda: self._on_called(call), self)

    def close(self) -> None:
        """Take no more calls, and drop those that wait, timers too."""
        self._is_open = False

    def _on_called(self, call: Call) -> None:
        if self._is_open:
            call()


class LoopTimer:
    """A single-shot timer, restarted at will."""

    def __init__(self, call: Call, parent: QObject) -> None:
        self._timer = QTimer(parent)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(call)

    def restart(self, delay_ms: int) -> None:
        """Call `delay_ms` from now, and not when it was to be called before."""
        self._timer.start(delay_ms)

    def stop(self) -> None:
        """Do not call."""
        self._timer.stop()
