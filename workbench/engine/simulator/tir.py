"""The one door to TVM's TIR: importing tilelang first is what puts its bundled TVM on the path."""

from __future__ import annotations

from typing import Any

import tilelang
from tilelang.ir import get_stmt_span
from tvm import arith, ir, tirx

__all__ = [
    "arith",
    "call_name",
    "get_stmt_span",
    "ir",
    "statement_line",
    "static_int",
    "tirx",
    "visit",
]

VERSION: str = tilelang.__version__


def static_int(expression: Any) -> int | None:
    """Return the value of a constant index expression, None where it is not constant."""
    if isinstance(expression, int):
        return expression
    return int(expression.value) if isinstance(expression, tirx.IntImm) else None


def statement_line(statement: Any, file: str | None = None) -> int | None:
    """Return the line that a statement came from, where tilelang stamped it.

    With `file`, lines of other files (those of tilelang's own macros) do not count.
    """
    span = get_stmt_span(statement)
    if span is None or (file is not None and str(span.source_name.name) != file):
        return None
    return int(span.line)


def call_name(call: Any) -> str:
    """Return the name of the called operation or function."""
    return str(getattr(call.op, "name", call.op))


def visit(node: Any) -> list[Any]:
    """Return every node below a statement or expression, operands before their users."""
    nodes: list[Any] = []
    tirx.stmt_functor.post_order_visit(node, nodes.append)
    return nodes
