"""Colours a document's lines: what is seen first, an edit until it fits again, the rest idly."""

from __future__ import annotations

import time
from bisect import insort
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QTextBlock, QTextCharFormat, QTextDocument, QTextLayout

from workbench.ui.editor.lexing import ROOT, Kind, LexedLine, LineLexer, Span, State
from workbench.ui.editor.text_layout import CodeLayout
from workbench.ui.editor.units import to_units, units

# A key's paint has 16 ms; what is left of it after Qt's own work bounds these.
IDLE_SECONDS = 0.004
EDIT_SECONDS = 0.004
_UNKNOWN = -1


class Highlighter(QObject):
    """Keeps the formats of all lines of one document up to date; tells which lines it `coloured`.

    A block's user state is the number of the lexer state that it ends with, -1 before it is lexed.
    """

    coloured = Signal(int, int)

    def __init__(self, document: QTextDocument, layout: CodeLayout, lexer: LineLexer) -> None:
        super().__init__(document)
        self._document = document
        self._layout = layout
        self._lexer = lexer
        self._formats: Mapping[Kind, QTextCharFormat] = {}
        self._states: list[State] = [ROOT]
        self._numbers: dict[State, int] = {ROOT: 0}
        # Lines from which lexing has to go on; in between, what is lexed is consistent.
        self._pending: list[int] = [0]
        self._last_run = 0
        self._block_count = document.blockCount()
        self._timer = QTimer(self, singleShot=True, interval=0)
        self._timer.timeout.connect(self._on_timer_timeout)
        document.contentsChange.connect(self._on_document_contents_change)

    @property
    def is_done(self) -> bool:
        """Whether every line is lexed from the exact state above it."""
        return not self._pending

    def set_lexer(self, lexer: LineLexer) -> None:
        """Colour everything as another language from now on."""
        if lexer is not self._lexer:
            self._lexer = lexer
            self.restart()

    def set_formats(self, formats: Mapping[Kind, QTextCharFormat]) -> None:
        """Colour everything with these formats; call `ensure` for what is seen."""
        self._formats = formats
        self.restart()

    def restart(self) -> None:
        """Lex everything anew."""
        block = self._document.firstBlock()
        while block.isValid():
            block.setUserState(_UNKNOWN)
            block = block.next()
        self._pending = [0]
        self._timer.start()

    def ensure(self, first: int, last: int) -> None:
        """Colour the lines `first` to `last` now, from a guessed state where none is known yet.

        A lexer that is not ready colours nothing; `restart` does once it is.
        """
        if not self._lexer.is_ready:
            return
        block = self._document.findBlockByNumber(first)
        while block.isValid() and block.blockNumber() <= last and block.userState() != _UNKNOWN:
            block = block.next()
        if not block.isValid() or block.blockNumber() > last:
            return
        start = block
        with self._colouring(start):
            following = self._run(block, last, None)
        if following is not None:
            self._add_pending(following)
        self._lay_out(start, last)

    def lexed(self, line: int) -> LexedLine | None:
        """The lexed form of a line, from 0; None outside the document and where not known yet."""
        block = self._document.findBlockByNumber(line)
        is_known = block.isValid() and self._lexer.is_ready
        state = self._known_state_before(block) if is_known else None
        return None if state is None else self._lexer.lex(block.text(), state)

    def code(self, line: int) -> str | None:
        """The code of a line (see `LexedLine.code`), None as `lexed` is."""
        lexed = self.lexed(line)
        return None if lexed is None else lexed.code

    def is_inside_string(self, line: int) -> bool:
        """Whether a line, from 0, begins inside a string, as far as is known."""
        state = self._known_state_before(self._document.findBlockByNumber(line))
        return state is not None and self._lexer.is_inside_string(state)

    def finish(self) -> None:
        """Lex all that is left, at once."""
        while self._pending:
            self._slice(float("inf"))

    def _on_document_contents_change(self, position: int, removed: int, added: int) -> None:
        count = self._document.blockCount()
        delta, self._block_count = count - self._block_count, count
        first = self._document.findBlock(position)
        last = self._document.findBlock(position + added)
        last_number = last.blockNumber() if last.isValid() else count - 1
        self._shift_pending(first.blockNumber(), last_number, delta)
        if not self._lexer.is_ready:
            return
        following = self._run(first, last_number, time.perf_counter() + EDIT_SECONDS)
        if following is not None:
            self._add_pending(following)
        if self._last_run > last_number:  # Qt lays out and paints the lines of the edit itself
            self._lay_out(first, self._last_run)
        if self._pending:
            self._timer.start()

    def _on_timer_timeout(self) -> None:
        if self._pending and self._lexer.is_ready:
            self._slice(time.perf_counter() + IDLE_SECONDS)
            self._timer.start()

    def _slice(self, deadline: float) -> None:
        start = self._document.findBlockByNumber(self._pending.pop(0))
        if not start.isValid():
            return
        with self._colouring(start):
            following = self._run(start, start.blockNumber(), deadline)
        if following is not None:
            self._add_pending(following)
        self._lay_out(start, self._last_run)

    def _run(self, block: QTextBlock, last: int, deadline: float | None) -> int | None:
        """Lex from a block to line `last` and on until the states fit.

        Returns the line to go on from where time is up, or, without a deadline, after `last`.
        """
        state = self._state_before(block)
        number = block.blockNumber()
        while block.isValid():
            lexed = self._lexer.lex(block.text(), state)
            before, state = block.userState(), lexed.end_state
            block.setUserState(self._number(state))
            self._apply(block, lexed.spans)
            self._last_run = number
            block, number = block.next(), number + 1
            fits = before == self._number(state) and number > last
            if fits or not block.isValid():
                return None
            if (deadline is None and number > last) or (
                deadline is not None and time.perf_counter() > deadline
            ):
                return number
        return None

    def _known_state_before(self, block: QTextBlock) -> State | None:
        previous = block.previous()
        if not previous.isValid():
            return ROOT
        number = previous.userState()
        return None if number == _UNKNOWN else self._states[number]

    def _state_before(self, block: QTextBlock) -> State:
        known = self._known_state_before(block)
        if known is not None:
            return known
        text = self._document.toRawText().replace("\u2029", "\n")
        return self._lexer.state_at(text, block.position())

    def _number(self, state: State) -> int:
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self._states)
            self._states.append(state)
        return number

    def _apply(self, block: QTextBlock, spans: tuple[Span, ...]) -> None:
        text = block.text()
        if not text.isascii():
            spans = tuple(_in_units(text, span) for span in spans)
        block.layout().setFormats(
            [
                _format_range(span, self._formats[span.kind])
                for span in spans
                if span.kind in self._formats
            ]
        )

    def _add_pending(self, line: int) -> None:
        if line not in self._pending:
            insort(self._pending, line)
        self._timer.start()

    def _shift_pending(self, first: int, last: int, delta: int) -> None:
        """Move what lies below an edit; what lies in it is lexed with the edit."""
        moved = {max(line + delta, last) if line > first else line for line in self._pending}
        self._pending = sorted(moved)

    @contextmanager
    def _colouring(self, start: QTextBlock) -> Iterator[None]:
        """Set formats outside an edit; the document notes them, and tells the layout at the end."""
        with self._layout.colouring():
            yield
            self._document.markContentsDirty(start.position(), 1)

    def _lay_out(self, start: QTextBlock, last: int) -> None:
        """Have the lines laid out with their new colours when they are next painted."""
        block, number = start, start.blockNumber()
        for _ in range(number, last + 1):
            block.clearLayout()
            block = block.next()
        self.coloured.emit(number, last)


def _in_units(text: str, span: Span) -> Span:
    start = to_units(text, span.start)
    return Span(start, units(text[span.start : span.start + span.length]), span.kind)


def _format_range(span: Span, char_format: QTextCharFormat) -> QTextLayout.FormatRange:
    piece = QTextLayout.FormatRange()
    piece.start, piece.length = span.start, span.length
    piece.format = char_format
    return piece
