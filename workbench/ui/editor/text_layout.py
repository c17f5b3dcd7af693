"""The layout of a document's lines, made to repaint no more than what an edit or colours change."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout


class CodeLayout(QPlainTextDocumentLayout):
    """Qt's layout of plain text, told of changes more exactly.

    WORKAROUND: `QPlainTextDocumentLayout.documentChanged` takes the sum of the characters removed
    and added for the length of what changed. Formats that a highlighter sets count as both, so
    every key seems to change two lines, and all views are repainted as a whole.
    """

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._is_colouring = False

    @contextmanager
    def colouring(self) -> Iterator[None]:
        """Changes within are of colours alone: the caller has the lines laid out and painted."""
        self._is_colouring = True
        try:
            yield
        finally:
            self._is_colouring = False

    def documentChanged(self, start: int, removed: int, added: int) -> None:  # noqa: N802 - Qt's
        if not self._is_colouring:
            super().documentChanged(start, 0, max(added, 1))
