"""Ends the window in good order when the terminal or the system asks for it."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts(QObject):
    """Calls a function on Ctrl+C or SIGTERM.

    Python runs its signal handlers between its own instructions, and Qt's loop has none: the
    signal's byte on a socket wakes the loop.
    """

    def __init__(self, call: Callable[[], object]) -> None:
        super().__init__()
        self._call = call
        self._read, self._write = socket.socketpair()
        self._write.setblocking(False)
        self._old_fd = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._old = {number: signal.signal(number, self._on_signal) for number in SIGNALS}
        self._notifier = QSocketNotifier(self._read.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_notifier_activated)

    def close(self) -> None:
        """Give the signals back."""
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._old_fd)
        for number, handler in self._old.items():
            signal.signal(number, handler)
        self._read.close()
        self._write.close()

    def _on_signal(self, number: int, frame: object) -> None:
        """The notifier acts; a handler must be there for the signal not to end the process."""

    def _on_notifier_activated(self) -> None:
        self._read.recv(64)
        self._call()
