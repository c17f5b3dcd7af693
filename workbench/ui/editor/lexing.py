"""Lexes Python one line at a time with Pygments, with the state that a line leaves to the next."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from typing import Any, NamedTuple

from pygments.lexer import ExtendedRegexLexer, LexerContext
from pygments.lexers.python import PythonLexer
from pygments.token import Token

State = tuple[str, ...]
"""Pygments' stack of states; what a line begins with is what the line above ended with."""

ROOT: State = ("root",)
MAX_COLUMNS = 4000
_CACHE_LINES = 8192
_STRING_MARK = '"'


class Kind(enum.Enum):
    """How a piece of code is coloured; names of no meaning here have no span."""

    KEYWORD = "keyword"
    FUNCTION = "function"
    STRING = "string"
    NUMBER = "number"
    BUILTIN = "builtin"
    COMMENT = "comment"
    OPERATOR = "operator"


class Span(NamedTuple):
    """`length` characters of a line from `start`, counted from 0."""

    start: int
    length: int
    kind: Kind


@dataclass(frozen=True)
class LexedLine:
    """One line: its coloured spans, the state it leaves, and its code.

    `code` is as long as the line; a double quote stands for each character of a string, and a
    space for each of a comment, so brackets in it are those that Python sees.
    """

    spans: tuple[Span, ...]
    end_state: State
    code: str


class Piece(NamedTuple):
    """A token of Pygments that lies in one line."""

    start: int
    kind: Kind | None
    text: str


# Pygments names a token type by its ancestors; the first that is listed here decides.
_KINDS: dict[object, Kind | None] = {
    Token.Keyword: Kind.KEYWORD,
    Token.Operator.Word: Kind.KEYWORD,
    Token.Operator: Kind.OPERATOR,
    Token.Punctuation: Kind.OPERATOR,
    Token.Name.Function: Kind.FUNCTION,
    Token.Name.Class: Kind.FUNCTION,
    Token.Name.Decorator: Kind.FUNCTION,
    Token.Name.Builtin: Kind.BUILTIN,
    Token.Name.Exception: Kind.BUILTIN,
    Token.Name.Builtin.Pseudo: None,
    Token.Literal.String: Kind.STRING,
    Token.Literal.Number: Kind.NUMBER,
    Token.Comment: Kind.COMMENT,
}


class _PythonRules(ExtendedRegexLexer):  # type: ignore[misc] # Pygments has no type information
    """Pygments' rules for Python in the class of lexers that start from, and tell, a state."""

    name = "Python, line by line"
    flags = PythonLexer.flags
    tokens = PythonLexer.tokens


class LineLexer:
    """Lexes lines of Python; names reached through `dialect` names (`T.copy`) are functions.

    To make its rules takes a tenth of a second, by default where the first line is lexed.
    """

    def __init__(self, dialect: Iterable[str] = ("T",)) -> None:
        self._waits = False
        self._dialect = frozenset(dialect)
        self._cache: dict[tuple[str, State], LexedLine] = {}

    @property
    def is_ready(self) -> bool:
        """Whether lines can be lexed."""
        return not self._waits

    def wait(self) -> None:
        """Let nothing be lexed until `prepare` has made the rules."""
        self._waits = True

    def prepare(self) -> None:
        """Make the rules, in any thread."""
        self._carried("", ("root", "x"))  # needs all that is made once
        self._waits = False

    @cached_property
    def _rules(self) -> Any:
        return _PythonRules()

    @cached_property
    def _long_strings(self) -> frozenset[str]:
        return frozenset(
            self._stack_after(f"{prefix}{quotes}")[1]
            for prefix, quotes in product(("", "r", "b", "rb", "u", "f", "rf"), ('"""', "'''"))
        )

    def lex(self, line: str, state: State) -> LexedLine:
        """Lex a line without its end. Columns from `MAX_COLUMNS` on stay plain."""
        key = (line, state)
        found = self._cache.get(key)
        if found is None:
            if len(self._cache) >= _CACHE_LINES:
                self._cache.clear()
            found = self._cache[key] = self._lex(line, state)
        return found

    def state_at(self, text: str, position: int) -> State:
        """The likely state at the start of the line at `position`, found without lexing `text`.

        It only knows strings in triple quotes, and costs a few ms for 5,000 lines.
        """
        opening = open_string(text, position)
        return self._stack_after(opening) if opening else ROOT

    def is_inside_string(self, state: State) -> bool:
        """Whether a line that begins with this state begins inside a string."""
        return len(state) > 1

    def _lex(self, line: str, state: State) -> LexedLine:
        shown = line[:MAX_COLUMNS]
        pieces, stack = self._pieces(shown, state)
        end_state = self._carried(shown, stack)
        spans = tuple(_merged(self._with_dialect(pieces)))
        return LexedLine(spans, end_state, _code(line, spans))

    def _pieces(self, line: str, state: State) -> tuple[list[Piece], State]:
        context = LexerContext(f"{line}\n", 0, list(state), len(line) + 1)
        found = self._rules.get_tokens_unprocessed(context=context)
        pieces = [
            Piece(start, _kind_of(token), text.rstrip("\n"))
            for start, token, text in found
            if not text.isspace() or token in Token.Literal.String
        ]
        return pieces, tuple(context.stack)

    def _carried(self, line: str, stack: State) -> State:
        """Only a string in triple quotes, or a line that ends in a backslash, goes on below."""
        goes_on = len(stack) > 1 and (stack[1] in self._long_strings or line.endswith("\\"))
        return stack if goes_on else ROOT

    def _stack_after(self, opening: str) -> State:
        context = LexerContext(f"{opening}\n", 0, list(ROOT), len(opening) + 1)
        for _ in self._rules.get_tokens_unprocessed(context=context):
            pass
        return tuple(context.stack)

    def _with_dialect(self, pieces: list[Piece]) -> Iterator[Piece]:
        """Colour `T` as a builtin and what comes after its dots as functions."""
        in_chain = False
        for index, piece in enumerate(pieces):
            following = pieces[index + 1].text if index + 1 < len(pieces) else ""
            before = pieces[index - 1].text if index else ""
            if piece.text == ".":
                yield piece
            elif in_chain and before == "." and piece.kind is not Kind.OPERATOR:
                yield piece._replace(kind=Kind.FUNCTION)
            else:
                in_chain = self._starts_chain(piece, before, following)
                yield piece._replace(kind=Kind.BUILTIN) if in_chain else piece

    def _starts_chain(self, piece: Piece, before: str, following: str) -> bool:
        is_name = piece.kind in (None, Kind.FUNCTION)  # `@T` is one token, a decorator
        return (
            is_name
            and following == "."
            and before != "."
            and piece.text.lstrip("@") in self._dialect
        )


def is_in_text(line: str, lexed: LexedLine, index: int) -> bool:
    """Whether a character typed at `index` of a line would be part of a string or a comment."""
    for start, length, kind in lexed.spans:
        end = start + length
        if kind is Kind.COMMENT and start < index <= end:
            return True
        if kind is Kind.STRING and (start < index < end or _goes_on(line, lexed, end, index)):
            return True
    return False


def _goes_on(line: str, lexed: LexedLine, end: int, index: int) -> bool:
    """Whether a string that ends with the line, right before `index`, is not closed there."""
    at_end = index == end == len(line)
    return at_end and (len(lexed.end_state) > 1 or line[end - 1] not in "\"'")


@cache
def _kind_of(token: object) -> Kind | None:
    while token is not None and token not in _KINDS:
        token = token.parent  # type: ignore[attr-defined]
    return _KINDS.get(token)


def _merged(pieces: Iterable[Piece]) -> Iterator[Span]:
    """Spans of the pieces that have a colour, neighbours of one kind in one span."""
    last: Span | None = None
    for piece in pieces:
        if piece.kind is None or not piece.text:
            continue
        span = Span(piece.start, len(piece.text), piece.kind)
        if last and last.kind is span.kind and last.start + last.length == span.start:
            last = Span(last.start, last.length + span.length, span.kind)
            continue
        if last:
            yield last
        last = span
    if last:
        yield last


def _code(line: str, spans: Iterable[Span]) -> str:
    marks = {Kind.STRING: _STRING_MARK, Kind.COMMENT: " "}
    parts, end = [], 0
    for start, length, kind in spans:
        if kind in marks:
            parts += [line[end:start], marks[kind] * length]
            end = start + length
    return "".join([*parts, line[end:]])


_SCAN = re.compile(
    r"#[^\n]*"
    r"|(?P<long>[rRbBuUfF]{0,2}(?P<quotes>\"\"\"|'''))"
    r'|"(?:\\[\s\S]|[^"\\\n])*"?'
    r"|'(?:\\[\s\S]|[^'\\\n])*'?"
)
_LONG_END = {q: re.compile(rf"(?:\\[\s\S]|[^\\])*?{q}") for q in ('"""', "'''")}


def open_string(text: str, position: int) -> str | None:
    """The opening (`rb\"\"\"`) of the string in triple quotes around `position`, else None."""
    start = 0
    while (found := _SCAN.search(text, start)) and found.start() < position:
        start = found.end()
        if found["long"] is None:
            continue
        closed = _LONG_END[found["quotes"]].match(text, start)
        if closed is None or closed.end() > position:
            return found["long"].lower()
        start = closed.end()
    return None
