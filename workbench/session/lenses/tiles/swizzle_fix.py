"""The edit that gives a kernel's blocks another order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.analysis.rasterization import Rasterization
from workbench.core.diagnostics import Edit, Fix, TextRange
from workbench.session.lenses.tiles.words import swizzle_call


def swizzle_fix(text: str, line: int | None, swizzle: Rasterization) -> Fix | None:
    """Write T.use_swizzle into the launch on a line; None where it is not found in the text."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    launches = [
        (node, call)
        for node in ast.walk(tree)
        if isinstance(node, ast.With) and line is not None
        if node.lineno <= line <= node.body[0].lineno
        for call in _launches(node)
    ]
    if len(launches) != 1:
        return None
    node, call = launches[0]
    assert isinstance(call.func, ast.Attribute)
    written = f"{ast.unparse(call.func.value)}.{swizzle_call(swizzle)}"
    present = next(_swizzles(node), None)
    title = f"{'Use' if present else 'Add'} {written}"
    return Fix(title, (_edit(text.splitlines(), node.body[0], present, written),))


def _launches(node: ast.With) -> Iterator[ast.Call]:
    for item in node.items:
        if _is_call(item.context_expr, "Kernel"):
            yield item.context_expr  # type: ignore[misc]  # `_is_call` saw that it is one


def _swizzles(node: ast.With) -> Iterator[ast.expr]:
    for statement in node.body:
        if isinstance(statement, ast.Expr) and _is_call(statement.value, "use_swizzle"):
            yield statement.value


def _is_call(node: ast.expr, name: str) -> bool:
    called = node.func if isinstance(node, ast.Call) else None
    return isinstance(called, ast.Attribute) and called.attr == name


def _edit(lines: list[str], first: ast.stmt, present: ast.expr | None, written: str) -> Edit:
    if present is not None:
        start = _column(lines, present.lineno, present.col_offset)
        end_line = present.end_lineno or present.lineno
        end = _column(lines, end_line, present.end_col_offset or 0)
        return Edit(TextRange(present.lineno, start, end_line, end), written)
    column = _column(lines, first.lineno, first.col_offset)
    indent = lines[first.lineno - 1][: column - 1]
    return Edit(TextRange(first.lineno, column), f"{written}\n{indent}")


def _column(lines: list[str], line: int, offset: int) -> int:
    """A column in characters from 1 of one in bytes from 0."""
    return len(lines[line - 1].encode()[:offset].decode()) + 1
