"""A document as the editor holds it: text and undo, file, encoding and line ends, clean state."""

from __future__ import annotations

import contextlib
import tokenize
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument, QTextFormat

from workbench.core.atomic_files import write_atomically
from workbench.core.documents.encoding import decode
from workbench.ui.editor.appearance import CODE_PIXELS, code_font, formats
from workbench.ui.editor.folds import Folds
from workbench.ui.editor.highlighter import Highlighter
from workbench.ui.editor.lexing import LineLexer
from workbench.ui.editor.line_ends import SplitText, split_text
from workbench.ui.editor.line_shift import LineShift
from workbench.ui.editor.lines import DEFAULT_UNIT, indent_unit, smallest_change
from workbench.ui.editor.text_layout import CodeLayout
from workbench.ui.editor.units import UnitMap
from workbench.ui.theme.theme import Theme

_LINE_END = int(QTextFormat.Property.UserProperty.value) + 1
UNIT_LINES = 300
UNIT_CHANGE = 8
_SEPARATOR = "\u2029"


class EncodeError(ValueError):
    """The text has a character that the file's encoding lacks; the message says which and where."""


class DocumentBuffer(QObject):
    """One document, shown by any number of views; undo and folds are the document's.

    What is loaded and not edited is written back byte for byte, mixed line ends included. The
    lexer is Python's unless another one is given.
    """

    text_changed = Signal()
    modification_changed = Signal(bool)
    path_changed = Signal()
    lines_shifted = Signal(object)
    font_changed = Signal()

    def __init__(
        self,
        theme: Theme,
        path: Path | None = None,
        parent: QObject | None = None,
        lexer: LineLexer | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._path = path
        #: The content of the file as last loaded or saved, None for a document without a file.
        self.base: bytes | None = None
        #: Whether the text came with a run of another machine and was not saved since.
        self.foreign = False
        self._mark, self._encoding = b"", "utf-8"
        self._usual_end = "\n"
        self._has_other_ends = False
        self._lines: list[str] = [""]
        self._lines_revision = -1
        self._unit, self._unit_count = DEFAULT_UNIT, -UNIT_CHANGE
        self._pixels = theme.fonts.pixels(CODE_PIXELS)
        self.document = QTextDocument(self)
        layout = CodeLayout(self.document)
        self.document.setDocumentLayout(layout)
        self.document.setDefaultFont(code_font(self._pixels))
        self._block_count = 1
        self.highlighter = Highlighter(self.document, layout, lexer or LineLexer())
        self.folds = Folds(self.document, self.lines, self.highlighter.is_inside_string)
        self.document.contentsChange.connect(self._on_document_contents_change)
        self.document.contentsChanged.connect(self.text_changed)
        self.document.modificationChanged.connect(self.modification_changed)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    @classmethod
    def open(
        cls,
        theme: Theme,
        path: Path,
        parent: QObject | None = None,
        lexer: LineLexer | None = None,
    ) -> DocumentBuffer:
        """Open a file; raises OSError, and DocumentError for what is no Python text."""
        buffer = cls(theme, path, parent, lexer)
        buffer.load(path.read_bytes())
        return buffer

    @property
    def path(self) -> Path | None:
        """The file, None for a document that has none yet."""
        return self._path

    @property
    def encoding(self) -> str:
        """The codec of the file, as Python names it."""
        return self._encoding

    @property
    def has_byte_order_mark(self) -> bool:
        """Whether the file begins with the mark of UTF-8."""
        return bool(self._mark)

    @property
    def line_end(self) -> str:
        """The end that new lines get: the one that most lines have."""
        return self._usual_end

    @property
    def is_modified(self) -> bool:
        """Whether the text differs from what was last loaded or saved."""
        return self.document.isModified()

    @property
    def code_pixels(self) -> int:
        """The size of the code in all views of the document."""
        return self._pixels

    def lines(self) -> list[str]:
        """The lines without their ends; the list is of the caller to read, not to change."""
        revision = self.document.revision()
        if revision != self._lines_revision:
            self._lines = self.document.toRawText().split(_SEPARATOR)
            self._lines_revision = revision
        return self._lines

    def text(self) -> str:
        """The text with `\\n` for each line end, so a position is a QTextCursor's (see units)."""
        return "\n".join(self.lines())

    def source(self) -> str:
        """The text with the line ends that the file has."""
        lines = self.lines()
        if not self._has_other_ends:
            return self._usual_end.join(lines)
        ends = [*(self._end(line) for line in range(len(lines) - 1)), ""]
        return "".join(line + end for line, end in zip(lines, ends, strict=True))

    def indent_unit(self) -> str:
        """What one level of indentation is in this document."""
        count = self.document.blockCount()
        if abs(count - self._unit_count) > UNIT_CHANGE:
            self._unit, self._unit_count = indent_unit(self.lines()[:UNIT_LINES]), count
        return self._unit

    def content(self) -> bytes:
        """The bytes of the file; raises EncodeError."""
        encoding, source = self._declared_encoding(), self.source()
        try:
            return self._mark + source.encode(encoding)
        except UnicodeEncodeError as error:
            line = source.count("\n", 0, error.start) + 1
            raise EncodeError(
                f"{source[error.start]!r} in line {line} cannot be written as {encoding}. "
                "Remove it, or remove the coding line so that the file is UTF-8."
            ) from error

    def load(self, content: bytes) -> None:
        """Take the content of a file, which cannot be undone; raises DocumentError."""
        decoded = decode(content)
        self.base = content
        self._mark, self._encoding = decoded.mark, decoded.encoding
        split = split_text(decoded.text)
        self.document.setUndoRedoEnabled(False)
        self.document.setPlainText("\n".join(split.lines))
        self._keep_ends(split)
        self._unit_count = -UNIT_CHANGE
        self.document.setUndoRedoEnabled(True)
        self.document.setModified(False)

    def reload(self, content: bytes) -> None:
        """Take what the file is now as one edit, so it can be undone; raises DocumentError."""
        decoded = decode(content)
        self.base = content
        self._mark, self._encoding = decoded.mark, decoded.encoding
        split = split_text(decoded.text)
        self.replace_text("\n".join(split.lines))
        self._keep_ends(split)
        self.document.setModified(False)

    def replace_text(self, text: str) -> None:
        """Replace the text, with `\\n` as line ends, by one edit of the part that differs."""
        old = self.text()
        change = smallest_change(old, text)
        if change is None:
            return
        positions = UnitMap(old)
        cursor = QTextCursor(self.document)
        cursor.setPosition(positions.to_units(change.start))
        cursor.setPosition(positions.to_units(change.end), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(change.text)

    def save(self, path: Path | None = None) -> None:
        """Write the file, or another from now on; undo stays. Raises OSError and EncodeError."""
        target = path or self._path
        if target is None:
            raise ValueError("A document without a file needs a path to be saved to.")
        content = self.content()
        write_atomically(target, content)
        self.base = content
        if target != self._path:
            self._path = target
            self.path_changed.emit()
        self.document.setModified(False)

    def set_code_pixels(self, pixels: int) -> None:
        """Show the code in this size, in all views."""
        if pixels != self._pixels:
            self._pixels = pixels
            self.document.setDefaultFont(code_font(pixels))
            self.font_changed.emit()

    def _on_theme_changed(self) -> None:
        self.highlighter.set_formats(formats(self._theme.palette))

    def _on_document_contents_change(self, position: int, removed: int, added: int) -> None:
        self._lines_revision = -1  # all edits of one step have one revision
        count = self.document.blockCount()
        delta, self._block_count = count - self._block_count, count
        first = self.document.findBlock(position)
        last = self.document.findBlock(position + added)
        last_number = last.blockNumber() if last.isValid() else count - 1
        if not delta and first.blockNumber() == last_number:
            return
        keeps_last = position == first.position() and position + added == last.position()
        shift = LineShift(first.blockNumber(), last_number - delta, delta, keeps_last)
        self.folds.follow(shift)
        self.lines_shifted.emit(shift)

    def _keep_ends(self, split: SplitText) -> None:
        """Note line ends on the lines that have another than most; copied when a line is split."""
        had_other_ends = self._has_other_ends
        self._usual_end = split.usual_end
        self._has_other_ends = len(set(split.ends)) > 1
        block = self.document.firstBlock()
        for end in split.ends if self._has_other_ends or had_other_ends else ():
            noted = "" if end == self._usual_end else end
            if noted != block.blockFormat().stringProperty(_LINE_END):
                block_format = QTextBlockFormat()
                block_format.setProperty(_LINE_END, noted)
                QTextCursor(block).mergeBlockFormat(block_format)
            block = block.next()

    def _end(self, line: int) -> str:
        block_format = self.document.findBlockByNumber(line).blockFormat()
        return block_format.stringProperty(_LINE_END) or self._usual_end

    def _declared_encoding(self) -> str:
        """The codec that Python will read the text with; the loaded one where that is in doubt."""
        head = (line.encode("utf-8", "replace") + b"\n" for line in self.lines()[:2])
        with contextlib.suppress(SyntaxError, LookupError):
            declared, _ = tokenize.detect_encoding(lambda: next(head, b""))
            return declared.removesuffix("-sig")
        return self._encoding
