"""Opening, saving and closing documents, so that nothing typed is ever lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QFileDialog, QMessageBox

from workbench.core.diagnostics import Severity
from workbench.core.documents.model import DocumentError
from workbench.session.open_document import OpenDocument
from workbench.session.session import Session
from workbench.ui.editor.buffer import DocumentBuffer, EncodeError
from workbench.ui.editor.lexing import LineLexer
from workbench.ui.editor_area import EditorTab
from workbench.ui.main_window import MainWindow
from workbench.ui.run_imports import is_run_file
from workbench.ui.safety import Safety
from workbench.ui.theme.theme import Theme

_LINES_ABOVE = 3  # the decorator stands above the function
_FILTER = "Kernel documents (*.py);;All files (*)"


class FileController(QObject):
    """Keeps the editor's buffers and the session's documents together."""

    #: A document was opened, saved under a name, or closed.
    files_changed = Signal()

    def __init__(self, window: MainWindow, session: Session, theme: Theme) -> None:
        super().__init__(window)
        self._window, self._session, self._theme = window, session, theme
        self._editors = window.editors
        self._pauses: dict[int, QTimer] = {}
        self.lexer = LineLexer()
        self.ask: Callable[[str], str] = self._ask
        self.ask_overwrite: Callable[[str], bool] = self._ask_overwrite
        self.safety = Safety(self, window, session)
        window.editors.close_requested.connect(self.close_tab)
        window.files_dropped.connect(self._on_files_dropped)

    def _on_files_dropped(self, paths: list[str]) -> None:
        """Open what is no file of runs, which others import."""
        for path in paths:
            if not is_run_file(path):
                self.open(Path(path))

    def open(self, path: Path) -> EditorTab | None:
        """Show a file in a tab; a file that is no document is told in a toast."""
        try:
            document = self._session.open_file(path)
            tab = self._editors.tab_of(document) or self._open_buffer(document, path)
        except (DocumentError, OSError) as error:
            self.tell(str(error))
            return None
        self._editors.show_tab(tab)
        self.files_changed.emit()
        return tab

    def open_copy(self, path: Path) -> EditorTab | None:
        """Show a copy of a shipped kernel, which has no file until it is saved."""
        try:
            document = self._session.open_copy(path)
        except DocumentError as error:
            self.tell(str(error))
            return None
        return self.add_untitled(document)

    def add_untitled(self, document: OpenDocument) -> EditorTab:
        """A tab for a document of the session that has no file."""
        buffer = DocumentBuffer(self._theme, None, self, self.lexer)
        buffer.load(document.text.encode("utf-8", "surrogatepass"))
        buffer.foreign = document.foreign
        tab = self._add(document, buffer)
        self.files_changed.emit()
        return tab

    def choose_and_open(self) -> None:
        """Ask for files and open them."""
        folder = str(self._session.workspace)
        paths, _ = QFileDialog.getOpenFileNames(self._window, "Open kernels", folder, _FILTER)
        for path in paths:
            self.open(Path(path))

    def save(self, tab: EditorTab) -> bool:
        """Write a document to its file, asking for one where it has none; False where not."""
        if tab.document.path is None:
            return self.save_as(tab)
        return self.save_to(tab, tab.document.path)

    def save_as(self, tab: EditorTab) -> bool:
        """Write a document to a file that the person names."""
        start = tab.document.path or self._session.workspace / tab.document.title
        name, _ = QFileDialog.getSaveFileName(self._window, "Save the kernel", str(start), _FILTER)
        return bool(name) and self.save_to(tab, Path(name))

    def save_to(self, tab: EditorTab, path: Path) -> bool:
        """Write a document to a path, which is its file from now on; False where it cannot be."""
        self.flush(tab)
        is_foreign = path == tab.document.path and self.safety.has_changed_outside(tab)
        if is_foreign and not self.ask_overwrite(self._editors.title_of(tab)):
            return False
        try:
            tab.buffer.save(path)
        except (OSError, EncodeError) as error:
            self.tell(f"{path} was not saved: {error}")
            return False
        self.safety.accept(tab)
        if tab.document.path != path:
            self._session.rename(tab.document, path)
        self._editors.update_tab(tab)
        self.files_changed.emit()
        return True

    def close_tab(self, tab: EditorTab) -> bool:
        """Close a document; what is not saved is asked about. False where it stays open."""
        if tab.buffer.is_modified and not self._settle(tab):
            return False
        pause = self._pauses.pop(id(tab), None)
        if pause is not None:
            pause.stop()
        self.safety.forget(tab)
        self._editors.remove(tab)
        self._session.close_document(tab.document)
        self.files_changed.emit()
        return True

    def flush(self, tab: EditorTab) -> None:
        """Take what was typed into the session at once, before it is compiled or saved."""
        pause = self._pauses.get(id(tab))
        if pause is not None and pause.isActive():
            pause.stop()
            self._session.edit(tab.document, tab.buffer.source())

    def recolour(self) -> None:
        """Colour what is open, once the lexer that it had to wait for is ready."""
        for tab in self._editors.tabs:
            tab.buffer.highlighter.restart()

    def write_block(self, tab: EditorTab, content: bytes) -> None:
        """Replace a document's text by one with another block, as one step of undo."""
        text = content.decode(tab.buffer.encoding, "replace").replace("\r\n", "\n")
        tab.buffer.replace_text(text)
        self.flush(tab)

    def tell(self, text: str) -> None:
        """Say what went wrong in a toast."""
        self._window.toasts.show_toast(text, Severity.ERROR)

    def _open_buffer(self, document: OpenDocument, path: Path) -> EditorTab:
        try:
            buffer = DocumentBuffer.open(self._theme, path, self, self.lexer)
        except (DocumentError, OSError):
            self._session.close_document(document)
            raise
        tab = self._add(document, buffer)
        recent = self._session.settings.with_recent_file(path)
        self._session.update_settings(recent_files=recent)
        return tab

    def _add(self, document: OpenDocument, buffer: DocumentBuffer) -> EditorTab:
        tab = self._editors.open(document, buffer)
        pause = QTimer(self)
        pause.setSingleShot(True)
        pause.timeout.connect(lambda: self._session.edit(document, buffer.source()))
        self._pauses[id(tab)] = pause
        buffer.text_changed.connect(lambda: pause.start(self._session.settings.live_delay_ms))
        self.safety.follow(tab)
        _show_kernel(tab)
        return tab

    def _settle(self, tab: EditorTab) -> bool:
        """Whether a modified document may be closed, having been saved or given up."""
        answer = self.ask(self._editors.title_of(tab))
        return answer == "discard" or (answer == "save" and self.save(tab))

    def _ask(self, title: str) -> str:
        box = QMessageBox(self._window)
        box.setWindowTitle("Unsaved changes")
        box.setText(f"{title} has changes that are not saved.")
        box.setInformativeText("Save them before the file is closed?")
        buttons = QMessageBox.StandardButton
        box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
        answers = {buttons.Save.value: "save", buttons.Discard.value: "discard"}
        return answers.get(box.exec(), "cancel")

    def _ask_overwrite(self, title: str) -> bool:
        box = QMessageBox(self._window)
        box.setWindowTitle("Changed on disk")
        box.setText(f"{title} was changed on disk by another program.")
        box.setInformativeText("Saving replaces what is there now. Replace it?")
        replace = box.addButton("Replace", QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
        box.exec()
        return box.clickedButton() is replace


def _show_kernel(tab: EditorTab) -> None:
    """Begin at the kernel, the block above it folded: the form of arguments shows what it says."""
    if tab.buffer.lines()[0].startswith("# /// "):
        tab.buffer.folds.fold_at(0)
    kernel = tab.document.chosen_kernel
    if kernel is not None:
        tab.current.go_to(kernel.line)
        # A new editor gets its size when the event loop next runs, and scrolls only then.
        QTimer.singleShot(0, tab.current, lambda: _scroll_to_kernel(tab, kernel.line))


def _scroll_to_kernel(tab: EditorTab, line: int) -> None:
    """Put the kernel near the upper edge, unless the cursor went elsewhere meanwhile."""
    view = tab.current.view
    if tab.current.cursor_place[0] == line:
        view.verticalScrollBar().setValue(
            view.textCursor().block().firstLineNumber() - _LINES_ABOVE
        )
