"""What a start puts off until the window has been painted, loaded beside a window that is alive."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.ui.files import FileController
from workbench.ui.kernel_view import KernelView

# Without Qt, so that a thread may load them: they bring the rules and the analyses.
_LATER = (
    "workbench.core.patterns.table",
    "workbench.session.findings",
    "workbench.session.inlay_hints",
    "workbench.session.line_costs",
    "workbench.session.vital_signs",
)


class FirstPaint(QObject):
    """Tells once that a window has been painted for the first time."""

    painted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's name
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            self.painted.emit()
            self.deleteLater()
        return False


class Starting(QObject):
    """Loads in a thread what colours the code and finds problems, and shows each when it is there.

    Typing goes on meanwhile: Python gives each thread a few milliseconds in turn.
    """

    #: All is there and shown.
    loaded = Signal()

    def __init__(
        self, post: Callable[[Callable[[], None]], None], files: FileController, view: KernelView
    ) -> None:
        super().__init__()
        self._post, self._files, self._view = post, files, view
        self._thread: threading.Thread | None = None

    def begin(self) -> None:
        """Load; what is there already is shown at once."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._load, name="start", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Wait for the thread, which takes some tenths of a second."""
        if self._thread is not None:
            self._thread.join()

    def _load(self) -> None:
        self._files.lexer.prepare()
        self._post(self._files.recolour)
        for name in _LATER:
            importlib.import_module(name)
        self._post(self._show)

    def _show(self) -> None:
        self._view.show_current()
        self.loaded.emit()
