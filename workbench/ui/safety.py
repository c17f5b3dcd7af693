"""Looks after text that is not saved and files that others change.

The copies of a workspace lie in the data folder of the user and not in the workspace, where a
`git clean` would take them; the next window on the workspace finds them.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from workbench.core.diagnostics import Severity
from workbench.core.documents.model import DocumentError
from workbench.core.workspace import fallback_data
from workbench.session.recovery import RecoveryCopy, RecoveryStore, digest
from workbench.session.session import Session
from workbench.session.watching import ChangeKind, FileChange, FileWatch
from workbench.ui.editor.recovering import Recovering
from workbench.ui.editor_area import EditorTab
from workbench.ui.main_window import MainWindow

if TYPE_CHECKING:
    from workbench.ui.files import FileController

LOOK_MS = 2000


class Safety(QObject):
    """Copies unsaved text while it is typed, brings it back, and watches the open files."""

    def __init__(self, files: FileController, window: MainWindow, session: Session) -> None:
        super().__init__(files)
        self._files, self._window, self._session = files, window, session
        self._store = RecoveryStore(fallback_data(session.workspace) / "recovery")
        self._recovering = Recovering(self._store, self)
        self._recovering.failed.connect(files.tell)
        self._keys = itertools.count()
        self._watches: dict[int, FileWatch] = {}
        self._told: dict[int, FileChange] = {}
        self._timer = QTimer(self, interval=LOOK_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()

    def follow(self, tab: EditorTab) -> None:
        """Look after a document from now on."""
        self._recovering.follow(f"document-{next(self._keys)}", tab.buffer)
        self.accept(tab)

    def accept(self, tab: EditorTab) -> None:
        """What the file holds now is what the editor has: it was opened or saved."""
        path, base = tab.buffer.path, tab.buffer.base
        self._told.pop(id(tab), None)
        if path is not None and base is not None:
            self._watches[id(tab)] = FileWatch(path, base)

    def forget(self, tab: EditorTab) -> None:
        """A document was closed."""
        self._recovering.forget(tab.buffer)
        self._watches.pop(id(tab), None)
        self._told.pop(id(tab), None)

    def has_changed_outside(self, tab: EditorTab) -> bool:
        """Whether somebody else wrote the document's file since it was opened or saved."""
        watch = self._watches.get(id(tab))
        try:
            change = watch.check() if watch is not None else None
        except OSError:
            return False  # what cannot be read is told when it cannot be written
        return change is not None and change.kind is ChangeKind.CHANGED

    def look(self) -> None:
        """Compare every open file with what the editor has of it."""
        for tab in self._window.editors.tabs:
            watch = self._watches.get(id(tab))
            try:
                change = watch.check() if watch is not None else None
            except OSError:
                continue  # a file that cannot be read now is looked at again in two seconds
            if change is not None and self._told.get(id(tab)) != change:
                self._told[id(tab)] = change
                self._on_change(tab, change)

    def recover(self) -> None:
        """Bring back what was not saved when a window last ended, however it ended."""
        left = self._store.left_by_crash()
        names = [self._bring_back(copy) for copy in left.copies]
        for problem in left.problems:
            self._files.tell(problem)
        if names:
            text = f"Unsaved text was brought back: {', '.join(names)}"
            self._window.toasts.show_toast(text, Severity.INFO)

    def leave(self) -> None:
        """Keep what is not saved for the next start; a window without any leaves nothing."""
        self._timer.stop()
        if not any(tab.buffer.is_modified for tab in self._window.editors.tabs):
            self._store.close()
            return
        try:
            self._store.leave()
        except OSError as error:
            self._files.tell(f"Unsaved text could not be kept: {error.strerror or error}")

    def _bring_back(self, copy: RecoveryCopy) -> str:
        tab = self._files.open(copy.path) if copy.path and copy.path.is_file() else None
        if tab is None:
            title = copy.path.name if copy.path else "untitled.py"
            opened = self._session.open_text("", title, copy.foreign)
            tab = self._files.add_untitled(opened)
        base = tab.buffer.base
        if base is not None and copy.base_digest not in (None, digest(base)):
            name = tab.document.title
            text = f"{name} was changed on disk since; undo brings the file's text back."
            self._window.toasts.show_toast(text, Severity.WARNING)
        tab.buffer.replace_text(copy.text.replace("\r\n", "\n"))
        self._files.flush(tab)
        self._store.drop(copy)
        return tab.document.title

    def _on_change(self, tab: EditorTab, change: FileChange) -> None:
        name = self._window.editors.title_of(tab)
        if change.kind is ChangeKind.DELETED:
            text = f"{name} was deleted on disk. Its text is still here: save it to keep it."
            tab.buffer.document.setModified(True)
            self._window.toasts.show_toast(text, Severity.WARNING)
            return
        assert change.content is not None
        if not tab.buffer.is_modified:
            self._reload(tab, change.content)
            return
        text = f"{name} was changed on disk, and here too."
        toast = self._window.toasts.show_toast(text, Severity.WARNING, "Load the file's")
        content = change.content
        toast.action_triggered.connect(lambda: self._reload(tab, content))

    def _reload(self, tab: EditorTab, content: bytes) -> None:
        try:
            tab.buffer.reload(content)
        except DocumentError as error:
            self._files.tell(f"{self._window.editors.title_of(tab)}: {error}")
            return
        self.accept(tab)
        self._files.flush(tab)
        name = self._window.editors.title_of(tab)
        text = f"{name} was changed on disk and loaded again."
        self._window.toasts.show_toast(text, Severity.INFO)
