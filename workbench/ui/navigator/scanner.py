"""Looks for the workspace's kernels in slices, so that the window never waits for a disk."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from workbench.session.kernel_files import find_kernel_files

_SLICE_S = 0.005
# What has been found so far is told so often while the search goes on.
_TELL_S = 0.5


class KernelScanner(QObject):
    """One search at a time; a new one ends the one before."""

    #: The files found so far, and whether the search has ended.
    found = Signal(tuple, bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._search: Iterator[Path | None] = iter(())
        self._files: list[Path] = []
        self._told_at = 0.0
        self._timer = QTimer(self, interval=0)
        self._timer.timeout.connect(self._on_slice)

    def start(self, root: Path) -> None:
        """Look for the kernels below a folder."""
        self._search, self._files = find_kernel_files(root), []
        self._told_at = time.monotonic()
        self._timer.start()

    def stop(self) -> None:
        """End the search; nothing more is told."""
        self._timer.stop()

    def _on_slice(self) -> None:
        end = time.monotonic() + _SLICE_S
        for path in self._search:
            if path is not None:
                self._files.append(path)
            if time.monotonic() >= end:
                self._tell_now_and_then()
                return
        self._timer.stop()
        self.found.emit(tuple(self._files), True)

    def _tell_now_and_then(self) -> None:
        now = time.monotonic()
        if now - self._told_at >= _TELL_S:
            self._told_at = now
            self.found.emit(tuple(self._files), False)
