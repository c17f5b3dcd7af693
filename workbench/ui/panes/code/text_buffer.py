"""The document of a text that is only read, with the lexer of its language."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from workbench.session.code_inputs import Language
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.panes.code.lexing import lexer_of
from workbench.ui.theme.theme import Theme


class TextBuffer(DocumentBuffer):
    """Holds one text after another; there is nothing to undo or to save."""

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(theme, None, parent, lexer_of(Language.TIR))
        self._shown: tuple[Sequence[str], Language] | None = None
        self.document.setUndoRedoEnabled(False)

    def show_lines(self, lines: Sequence[str], language: Language) -> bool:
        """Hold another text; False where it is the one that is held."""
        if self._shown is not None and self._shown == (lines, language):
            return False
        self._shown = (lines, language)
        if self.folds.folded:
            self.folds.unfold_all()
        self.highlighter.set_lexer(lexer_of(language))
        self.document.setPlainText("\n".join(lines))
        return True
