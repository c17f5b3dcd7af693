"""Takes the functions of a document that need no kernel out of it, with what they use."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def reference_source(text: str, names: tuple[str, ...]) -> str:
    """The statements of a document's top level that define `names`, and whatever those use.

    They stand in the document's order with its own words. Empty where it defines none of them.
    Raises SyntaxError.
    """
    tree = ast.parse(text)
    statements = [node for node in tree.body if not _is_main(node)]
    defining: dict[str, list[ast.stmt]] = {}
    for node in statements:
        for name in _bound(node):
            defining.setdefault(name, []).append(node)
    wanted = _closure(defining, names)
    if not wanted:
        return ""
    future = [node for node in statements if _is_future(node)]
    lines = text.splitlines()
    parts = [_lines(node, lines) for node in statements if node in wanted or node in future]
    return "\n".join(parts).strip("\n") + "\n"


def _closure(defining: dict[str, list[ast.stmt]], names: tuple[str, ...]) -> set[ast.stmt]:
    found: set[ast.stmt] = set()
    waiting = [name for name in names if name in defining]
    while waiting:
        for node in defining.get(waiting.pop(), ()):
            if node not in found:
                found.add(node)
                waiting.extend(_used(node))
    return found


def _used(node: ast.stmt) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load):
            yield each.id


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a statement of the top level binds, also within its blocks."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
        return
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield alias.asname or alias.name.split(".")[0]
        return
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield from _bound(child)
        elif isinstance(child, ast.ExceptHandler):
            for inner in child.body:
                yield from _bound(inner)


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and any(
        isinstance(each, ast.Name) and each.id == "__name__" for each in ast.walk(node.test)
    )


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _lines(node: ast.stmt, lines: list[str]) -> str:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    text = "\n".join(lines[first - 1 : node.end_lineno])
    # Between definitions two rows are left, as the field's formatters do.
    is_block = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    return f"\n\n{text}\n" if is_block else text
