"""Finds the line at which the user calls what tilelang builds in a macro of its own.

A statement that such a macro makes has the macro's file and line; the call's is not kept. It is
looked up in the text: the next call of that name after the statement before.
"""

from __future__ import annotations

import ast
import linecache
from functools import lru_cache
from typing import Any

from workbench.engine.simulator.tir import call_name, get_stmt_span, tirx

_CALLED = {
    "tl.tileop.reduce": "reduce_",
    "tl.tileop.cumsum": "cumsum",
    "tl.tileop.cummax": "cummax",
}


def line_of_call(statement: Any, file: str | None, previous: int | None) -> int | None:
    """Return the user's line of a statement from another file, None where it is not clear."""
    span = get_stmt_span(statement)
    if span is None or file is None or str(span.source_name.name) == file:
        return None
    if not isinstance(statement, tirx.Evaluate) or not isinstance(statement.value, tirx.Call):
        return None
    wanted = _CALLED.get(call_name(statement.value))
    if wanted is None:
        return None
    lines = (line for line, name in _calls(file) if name.startswith(wanted))
    return next((line for line in lines if line > (previous or 0)), None)


@lru_cache(maxsize=16)
def _parsed(text: str) -> tuple[tuple[int, str], ...]:
    found = [
        (node.lineno, node.func.attr)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    ]
    return tuple(sorted(found))


def _calls(file: str) -> tuple[tuple[int, str], ...]:
    """Return the line and the name of each call of a method in a file that was loaded."""
    try:
        return _parsed("".join(linecache.getlines(file)))
    except SyntaxError:  # the text has changed since it was loaded
        return ()
