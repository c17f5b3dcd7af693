"""Finds statements and expressions at lines, and edits whole statements in their own style."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from workbench.core.diagnostics import Edit, TextRange
from workbench.core.doctor.module import Module

_TERMS = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant, ast.Tuple, ast.List)


def text_of(module: Module, node: ast.AST) -> str:
    """A node as it is written, over several lines too."""
    where = module.range_of(node)
    last, end = where.end_line or where.line, (where.end_column or 1) - 1
    if last == where.line:
        return module.lines[where.line - 1][where.column - 1 : end]
    first = module.lines[where.line - 1][where.column - 1 :]
    return "\n".join([first, *module.lines[where.line : last - 1], module.lines[last - 1][:end]])


def term(module: Module, node: ast.expr) -> str:
    """A node as it is written, in brackets where an operator beside it would split it."""
    text = text_of(module, node)
    return text if isinstance(node, _TERMS) else f"({text})"


def statements_at(module: Module, line: int) -> list[ast.stmt]:
    """The statements that a line is a part of, the innermost first."""
    found = [
        node
        for kind, nodes in module.nodes.items()
        if issubclass(kind, ast.stmt)
        for node in nodes
        if node.lineno <= line <= (node.end_lineno or node.lineno)
    ]
    return sorted(found, key=lambda n: (n.end_lineno - n.lineno, -n.lineno, -n.col_offset))


def simple_at(module: Module, line: int) -> ast.stmt | None:
    """The innermost statement at a line, None where it holds other statements."""
    found = statements_at(module, line)
    return found[0] if found and not hasattr(found[0], "body") else None


def loop_at(module: Module, line: int) -> ast.For | None:
    """The innermost `for` around a line."""
    return next((n for n in statements_at(module, line) if isinstance(n, ast.For)), None)


def enclosing(module: Module, node: ast.AST) -> list[ast.stmt]:
    """The statements around a node, its own first."""
    line, column = getattr(node, "lineno", 1), getattr(node, "col_offset", 0)
    end = getattr(node, "end_lineno", line), getattr(node, "end_col_offset", column)
    return [
        each
        for each in statements_at(module, line)
        if (each.lineno, each.col_offset) <= (line, column)
        and (each.end_lineno or 0, each.end_col_offset or 0) >= end
    ]


def calls_in(module: Module, node: ast.AST, *names: str) -> list[ast.Call]:
    """The calls of some TileLang functions in a node, in the order of the text."""
    found = [
        each
        for each in ast.walk(node)
        if isinstance(each, ast.Call) and module.names.last(each.func) in names
    ]
    return sorted(found, key=lambda each: (each.lineno, each.col_offset))


def language(module: Module, near: ast.AST) -> str:
    """What the language of kernels is called in the functions around a node: `T`, mostly."""
    line = getattr(near, "lineno", 1)
    spans = [f for f in module.functions if f.lineno <= line <= (f.end_lineno or f.lineno)]
    for function in sorted(spans, key=lambda f: -f.lineno):
        for call in module.calls:
            inside = function.lineno <= call.lineno <= (function.end_lineno or 0)
            if inside and module.names.last(call.func) == "Kernel":
                return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else "T"
    return "T"


def indent_of(module: Module, statement: ast.stmt) -> str | None:
    """The white space before a statement; None where something else stands there."""
    where = module.range_of(statement)
    before = module.lines[where.line - 1][: where.column - 1]
    return None if before.strip() else before


def unit_of(indent: str) -> str:
    """One level more of indentation, in the same characters."""
    return "\t" if "\t" in indent else "    "


def lines_before(module: Module, statement: ast.stmt, lines: Iterable[str]) -> Edit | None:
    """Insert lines before a statement, indented as it is; None where it shares its line."""
    indent = indent_of(module, statement)
    if indent is None:
        return None
    where = module.range_of(statement)
    text = "".join(f"{line}\n{indent}" for line in lines)
    return Edit(TextRange(where.line, where.column), text)


def lines_after(module: Module, statement: ast.stmt, lines: Iterable[str]) -> Edit | None:
    """Insert lines after a statement and the comment behind it, indented as it is."""
    indent = indent_of(module, statement)
    last = statement.end_lineno or statement.lineno
    rest = module.lines[last - 1][(module.range_of(statement).end_column or 1) - 1 :].strip()
    if indent is None or (rest and not rest.startswith("#")):
        return None
    text = "".join(f"\n{indent}{line}" for line in lines)
    return Edit(TextRange(last, len(module.lines[last - 1]) + 1), text)


def guarded(module: Module, statement: ast.stmt, condition: str) -> list[Edit]:
    """Put a statement under an `if`; none where it has text that must not be indented."""
    indent = indent_of(module, statement)
    last = statement.end_lineno or statement.lineno
    has_text = any(
        isinstance(each, ast.Constant) and isinstance(each.value, str) and each.lineno != last
        for each in ast.walk(statement)
    )
    if indent is None or (has_text and last > statement.lineno):
        return []
    unit = unit_of(indent)
    where = module.range_of(statement)
    head = Edit(TextRange(where.line, where.column), f"if {condition}:\n{indent}{unit}")
    return [head, *(Edit(TextRange(n, 1), unit) for n in range(where.line + 1, last + 1))]


def replaced(module: Module, statement: ast.stmt, lines: Iterable[str]) -> Edit | None:
    """Write lines in place of a statement; None where comments inside it would be lost."""
    indent = indent_of(module, statement)
    where = module.range_of(statement)
    last = where.end_line or where.line
    inner = module.lines[where.line : last]
    if indent is None or any(line.lstrip().startswith("#") for line in inner):
        return None
    return Edit(where, f"\n{indent}".join(lines))


def first_indices(module: Module, place: ast.expr) -> list[str]:
    """The first index of each dimension of a region, empty where 0; none of a whole buffer."""
    if not isinstance(place, ast.Subscript):
        return []
    parts = place.slice.elts if isinstance(place.slice, ast.Tuple) else [place.slice]
    nodes = [part.lower if isinstance(part, ast.Slice) else part for part in parts]
    texts = [text_of(module, node) if node is not None else "" for node in nodes]
    return ["" if text == "0" else text for text in texts]


def free_name(module: Module, wanted: str) -> str:
    """A name that the document does not use yet."""
    used = {node.id for node in module.nodes.get(ast.Name, [])}
    used |= {node.arg for node in module.nodes.get(ast.arg, [])}
    number, name = 2, wanted
    while name in used:
        name, number = f"{wanted}_{number}", number + 1
    return name
