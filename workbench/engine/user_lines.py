"""Makes TileLang attribute the statements of its macros to the line of the person's document."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import tilelang
from tilelang.language.eager.builder import Builder

_PACKAGE = os.path.dirname(tilelang.__file__) + os.sep


@contextlib.contextmanager
def user_lines(document: str) -> Iterator[None]:
    """While the block builds or lowers a kernel, spans point into `document` where they can.

    WORKAROUND: the gemm and reduce macros of TileLang stamp their own files on what they make.
    The line of the call in the document takes their place. While a tile operation is lowered
    there is no such line; then nothing is stamped, and TileLang fills in the operation's own.
    """
    original = Builder.set_fileline

    def set_fileline(self: Any, filename: str, lineno: int, name: str) -> None:
        if not is_document(filename, document):
            outer = _callers_line(self.macro_fileline_stack, document)
            filename, lineno, name = outer or (filename, _line_of(filename, lineno), name)
        original(self, filename, lineno, name)

    Builder.set_fileline = set_fileline
    try:
        yield
    finally:
        Builder.set_fileline = original


@lru_cache(maxsize=256)
def is_document(filename: str, document: str) -> bool:
    """Whether a span's file is the document, however its path is written."""
    return os.path.abspath(filename) == os.path.abspath(document)


def _callers_line(stack: list[tuple[str, int, str]], document: str) -> tuple[str, int, str] | None:
    """The innermost call in the document, else in a file that is not TileLang's."""
    own = [entry for entry in stack if is_document(entry[0], document)]
    others = [entry for entry in stack if entry[1] and not entry[0].startswith(_PACKAGE)]
    found = own or others
    return found[-1] if found else None


def _line_of(filename: str, line: int) -> int:
    """A line in a file of the person's; 0, which stamps nothing, in one of TileLang's."""
    return 0 if filename.startswith(_PACKAGE) else line
