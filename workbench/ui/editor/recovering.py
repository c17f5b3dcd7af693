"""Has the unsaved text of buffers copied while it is typed."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.session.recovery import RecoveryStore, Snapshot
from workbench.ui.editor.buffer import DocumentBuffer

TICK_MILLISECONDS = 1000


class Recovering(QObject):
    """Tells a store of changed buffers, and asks it every second to write what is due."""

    failed = Signal(str)

    def __init__(self, store: RecoveryStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._store = store
        self._keys: dict[DocumentBuffer, str] = {}
        self._timer = QTimer(self, interval=TICK_MILLISECONDS)
        self._timer.timeout.connect(self._on_timer_timeout)

    def follow(self, key: str, buffer: DocumentBuffer) -> None:
        """Copy a buffer's unsaved text from now on; `key` names the document in this window."""
        self._keys[buffer] = key
        buffer.text_changed.connect(partial(self._on_buffer_text_changed, buffer))
        buffer.modification_changed.connect(partial(self._on_buffer_modification_changed, buffer))
        self._on_buffer_text_changed(buffer)

    def forget(self, buffer: DocumentBuffer) -> None:
        """Discard the copy of a document that is closed."""
        key = self._keys.pop(buffer, None)
        if key is not None:
            self._store.discard(key)

    def _on_buffer_text_changed(self, buffer: DocumentBuffer) -> None:
        key = self._keys.get(buffer)
        if key is None or not buffer.is_modified:
            return
        self._store.note_change(key, lambda: _snapshot(buffer))
        if not self._timer.isActive():
            self._timer.start()

    def _on_buffer_modification_changed(self, buffer: DocumentBuffer, is_modified: bool) -> None:
        key = self._keys.get(buffer)
        if key is not None and not is_modified:
            self._store.discard(key)

    def _on_timer_timeout(self) -> None:
        for problem in self._store.write_due():
            self.failed.emit(problem)
        if not self._store.is_waiting:
            self._timer.stop()


def _snapshot(buffer: DocumentBuffer) -> Snapshot:
    return Snapshot(buffer.path, buffer.source(), buffer.base, buffer.foreign)
