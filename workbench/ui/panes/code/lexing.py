"""Lexes generated code line by line: CUDA C++ and its relatives, PTX, SASS, and TileLang's IR."""

from __future__ import annotations

import re
from functools import cache

from workbench.session.code_inputs import Language
from workbench.ui.editor.lexing import (
    MAX_COLUMNS,
    ROOT,
    Kind,
    LexedLine,
    LineLexer,
    Span,
    State,
)

_COMMENT: State = (*ROOT, "comment")
_COMMENT_END = re.compile(r".*?\*/")
_KINDS = {kind.value: kind for kind in Kind}
_CACHE_LINES = 8192

# A name of a group is that of a kind; `_2` and the like tell groups of one kind apart.
_COMMENTS = r"(?P<comment>//.*|/\*.*?(?:\*/|$))"
_STRINGS = r'(?P<string>"(?:\\.|[^"\\])*"?)'
_NUMBERS = (
    r"(?P<number>(?<![\w.%$])(?:0[fFdDxX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\w{0,3})"
)
_C_KEYWORDS = (
    "if else for while do switch case default break continue return goto extern static const "
    "constexpr volatile inline namespace using template typename struct union enum class public "
    "sizeof alignas auto typedef this new delete true false nullptr asm kernel device threadgroup "
    "constant thread __global__ __device__ __host__ __shared__ __constant__ __restrict__ "
    "__forceinline__ __launch_bounds__ __grid_constant__ __align__ __aicore__ __gm__ __asm__"
)
_C_BUILTINS = (
    "void bool char short int long float double unsigned signed half size_t uint uchar ushort "
    "threadIdx blockIdx blockDim gridDim warpSize"
)


def _words(names: str) -> str:
    return "|".join(map(re.escape, names.split()))


_C = re.compile(
    rf"""{_COMMENTS}
    |{_STRINGS}|(?P<string_2>'(?:\\.|[^'\\])*'?|(?<=include[ ])<[^>]*>)
    |(?P<keyword>^\s*\#\s*\w+|\b(?:{_words(_C_KEYWORDS)})\b)
    |(?P<builtin>\b(?:{_words(_C_BUILTINS)}|\w+_t|(?:float|half|int|uint|bfloat)\d\w*
        |__nv_\w+|tl(?=::)|cute(?=::)|cutlass(?=::))\b)
    |(?P<function>\b[A-Za-z_]\w*(?=(?:<[\w\s,:*]*>)?\())
    |{_NUMBERS}|[A-Za-z_]\w*
    |(?P<operator>[^\w\s"'#/]+|/)""",
    re.VERBOSE,
)
_PTX = re.compile(
    rf"""^\s*(?P<keyword>@!?%?\w+)?\s*(?P<function>[a-z]\w*(?:(?:\.|::)\w+)*)(?=[\s;])
    |{_COMMENTS}|{_STRINGS}
    |(?P<builtin>^\s*[$\w]+:(?!:)|%(?:n?(?:tid|ctaid|warpid|smid)|laneid|clock\w*|globaltimer\w*
        |lanemask_\w+|cluster\w*|dynamic_smem_size)(?:\.\w)?\b|\$L\w+)
    |(?P<keyword_2>(?<!\w)\.\w+(?:(?:\.|::)\w+)*)
    |[%$]\w+|{_NUMBERS}|\w+
    |(?P<operator>[^\w\s"/%$.]+|\S)""",
    re.VERBOSE,
)
_SASS = re.compile(
    rf"""^\s*(?P<comment_2>/\*[0-9a-f]+\*/)?\s*(?P<keyword>@!?U?P\w+)?\s*
        (?P<function>[A-Z][A-Z0-9_]*(?:\.\w+)*)(?=[\s;])
    |{_COMMENTS}|{_STRINGS}
    |(?P<builtin>^[.$\w]+:|`\([^)]*\)|\bSR_[\w.]+)
    |(?P<keyword_2>^\s*\.[\w.]+|!?\bU?P[T\d]\b)
    |(?P<number>\bc\[\w+\]\[[^\]]*\]|\bdesc(?=\[))
    |{_NUMBERS.replace("<number>", "<number_2>")}|[.@]?\w+
    |(?P<operator>[^\w\s"/.@!`]+|\S)""",
    re.VERBOSE,
)


class PatternLexer(LineLexer):
    """Lexes lines by one regular expression whose groups are named after kinds.

    Comments between `/*` and `*/` go on over lines. What matches without a group is plain.
    """

    def __init__(self, pattern: re.Pattern[str]) -> None:
        super().__init__()
        self._pattern = pattern
        self._groups = {
            number: _KINDS[name.partition("_")[0]] for name, number in pattern.groupindex.items()
        }
        self._known: dict[tuple[str, State], LexedLine] = {}

    def lex(self, line: str, state: State) -> LexedLine:
        """Lex a line without its end. Columns from `MAX_COLUMNS` on stay plain."""
        key = (line, state)
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= _CACHE_LINES:
                self._known.clear()
            found = self._known[key] = self._lexed(line, state)
        return found

    def state_at(self, text: str, position: int) -> State:
        """Whether the line at `position` begins inside a comment, found without lexing `text`."""
        return _COMMENT if text.rfind("/*", 0, position) > text.rfind("*/", 0, position) else ROOT

    def is_inside_string(self, state: State) -> bool:
        """Whether a line that begins with this state begins inside a comment."""
        return state == _COMMENT

    def _lexed(self, line: str, state: State) -> LexedLine:
        shown = line[:MAX_COLUMNS]
        spans, start = [], 0
        if state == _COMMENT:
            closed = _COMMENT_END.match(shown)
            start = closed.end() if closed else len(shown)
            spans.append(Span(0, start, Kind.COMMENT))
            if closed is None:
                return LexedLine(tuple(spans), _COMMENT, " " * len(line))
        spans += self._spans(shown, start)
        is_open = bool(spans) and _leaves_open(shown, spans[-1])
        return LexedLine(tuple(spans), _COMMENT if is_open else ROOT, _masked(line, spans))

    def _spans(self, line: str, start: int) -> list[Span]:
        found = []
        for match in self._pattern.finditer(line, start):
            for number, kind in self._groups.items():
                begin, end = match.span(number)
                if end > begin:
                    found.append(Span(begin, end - begin, kind))
        return sorted(found)


def _leaves_open(line: str, last: Span) -> bool:
    text = line[last.start : last.start + last.length]
    is_block = last.kind is Kind.COMMENT and text.startswith("/*")
    return is_block and (len(text) < 4 or not text.endswith("*/"))


def _masked(line: str, spans: list[Span]) -> str:
    """The line with strings and comments made unreadable, so that brackets in them do not count."""
    for start, length, kind in spans:
        mark = {Kind.STRING: '"', Kind.COMMENT: " "}.get(kind)
        if mark is not None:
            line = f"{line[:start]}{mark * length}{line[start + length :]}"
    return line


_PATTERNS = {Language.SOURCE: _C, Language.PTX: _PTX, Language.SASS: _SASS}


@cache
def lexer_of(language: Language) -> LineLexer:
    """The lexer of a language; the IR is Python, whose names come from `T` and `I`."""
    pattern = _PATTERNS.get(language)
    return LineLexer(("T", "I")) if pattern is None else PatternLexer(pattern)
