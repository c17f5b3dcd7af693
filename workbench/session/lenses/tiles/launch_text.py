"""The launch in the document's text: its names, and the edit that gives blocks another order."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.analysis.rasterization import Rasterization
from workbench.core.diagnostics import Edit, Fix, TextRange
from workbench.session.lenses.tiles.words import swizzle_call


def swizzle_fix(text: str, line: int | None, swizzle: Rasterization) -> Fix | None:
    """Write T.use_swizzle into the launch on a line; None where it is not found in the text."""
    found = _launch_at(text, line)
    if found is None:
        return None
    node, item = found
    function = item.context_expr.func  # type: ignore[attr-defined]  # a call, as `_is_call` saw
    written = f"{ast.unparse(function.value)}.{swizzle_call(swizzle)}"
    present = next(_swizzles(node), None)
    title = f"{'Use' if present else 'Add'} {written}"
    return Fix(title, (_edit(text.splitlines(), node.body[0], present, written),))


def block_names(text: str, line: int | None) -> tuple[str, ...]:
    """What the document calls the block's indices, x first; empty where that is not found."""
    found = _launch_at(text, line)
    given = found[1].optional_vars if found is not None else None
    parts = given.elts if isinstance(given, ast.Tuple) else [given]
    names = [part.id for part in parts if isinstance(part, ast.Name)]
    return tuple(names) if len(names) == len(parts) else ()


def _launch_at(text: str, line: int | None) -> tuple[ast.With, ast.withitem] | None:
    """The launch that begins on a line, with what it is called as; None where it is not one."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    found = [
        (node, item)
        for node in ast.walk(tree)
        if isinstance(node, ast.With) and line is not None
        if node.lineno <= line <= node.body[0].lineno
        for item in node.items
        if _is_call(item.context_expr, "Kernel")
    ]
    return found[0] if len(found) == 1 else None


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
