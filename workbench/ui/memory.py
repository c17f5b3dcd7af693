"""Brings the window back as it was left: layout, open files, cursors, unsaved text."""

from __future__ import annotations

from pathlib import Path

from workbench.core.workspace import WorkspaceError
from workbench.session.session import Session
from workbench.session.window_state import (
    OpenFile,
    WindowState,
    load_window_state,
    save_window_state,
)
from workbench.ui.files import FileController
from workbench.ui.main_window import MainWindow
from workbench.ui.panels import Panels


class Memory:
    """Saves and restores the state of the window in the workspace's data folder."""

    def __init__(
        self, window: MainWindow, session: Session, files: FileController, panels: Panels
    ) -> None:
        self._window, self._session = window, session
        self._files, self._panels = files, panels
        self._is_saved = False

    def restore(self) -> None:
        """Open what was open, where it was; files that are gone are left out."""
        folder = self._folder()
        if folder is None:
            return
        state = load_window_state(folder)
        if state.layout:
            self._window.restore_layout(state.layout)
        self._panels.restore(state.panes)
        for file in state.files:
            self._reopen(file)
        current = next((f for f in state.files if f.path == state.current), None)
        if current is not None:
            self._reopen(current)
        self._files.safety.recover()

    def save(self) -> None:
        """Write the state, once a window: closing it asks for it more than once."""
        if self._is_saved:
            return
        self._is_saved = True
        self._files.safety.leave()
        self.note()

    def note(self) -> None:
        """Write what is open and where, without an end: a killed window comes back too."""
        folder = self._folder()
        if folder is None:
            return
        tab = self._window.editors.current
        current = str(tab.document.path) if tab is not None and tab.document.path else None
        state = WindowState(
            self._window.layout_state(), self._open_files(), current, self._panels.state()
        )
        save_window_state(folder, state)

    def _open_files(self) -> tuple[OpenFile, ...]:
        return tuple(
            OpenFile(str(tab.document.path), *tab.current.cursor_place)
            for tab in self._window.editors.tabs
            if tab.document.path is not None
        )

    def _reopen(self, file: OpenFile) -> None:
        if not Path(file.path).is_file():
            return
        tab = self._files.open(Path(file.path))
        if tab is not None:
            tab.current.go_to(file.line, file.column)

    def _folder(self) -> Path | None:
        if not self._session.keeps_traces:
            return None
        try:
            return self._session.data_folder()
        except WorkspaceError:
            return None
