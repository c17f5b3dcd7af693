"""Edits of a document by its syntax nodes: what the fixes of rules are made of."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterator
from typing import Any

from workbench.core.diagnostics import Edit, TextRange
from workbench.core.doctor.module import Module

_FENCE = re.compile(r"#\s*///")
_COMMA_BEFORE = re.compile(r",\s*$")


def replace_node(module: Module, node: ast.AST, text: str) -> Edit:
    """Write `text` in place of a node."""
    return Edit(module.range_of(node), text)


def _end(where: TextRange) -> tuple[int, int]:
    """The end of a syntax node's range, which always has one."""
    return where.end_line or where.line, where.end_column or where.column


def set_keyword(module: Module, call: ast.Call, name: str, place: int, text: str) -> Edit:
    """Give a call's argument, which is the keyword `name` or the one at `place`, another value."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return replace_node(module, keyword.value, text)
    if place < len(call.args):
        return replace_node(module, call.args[place], text)
    last = max(
        [*call.args, *(k.value for k in call.keywords)],
        key=lambda node: (node.end_lineno or 0, node.end_col_offset or 0),
        default=None,
    )
    if last is None:
        end = module.range_of(call)
        line, column = _end(end)
        return Edit(TextRange(line, column - 1), f"{name}={text}")
    where = module.range_of(last)
    line, column = _end(where)
    return Edit(TextRange(line, column), f", {name}={text}")


def drop_keyword(module: Module, call: ast.Call, name: str) -> Edit | None:
    """Take a keyword out of a call, with the comma before it (else the one after)."""
    keyword = next((k for k in call.keywords if k.arg == name), None)
    if keyword is None:
        return None
    where = module.range_of(keyword)
    line, column = _end(where)
    before = _before(module, where)
    if before is not None:
        return Edit(TextRange(*before, line, column), "")
    rest = module.lines[line - 1][column - 1 :]
    after = re.match(r"\s*,\s*", rest)
    end = column + (after.end() if after else 0)
    return Edit(TextRange(where.line, where.column, line, end), "")


def _before(module: Module, where: TextRange) -> tuple[int, int] | None:
    """The place of the comma before a range, looked for over line ends; None without one."""
    line, text = where.line, module.lines[where.line - 1][: where.column - 1]
    while not text.strip() and line > 1:
        line -= 1
        text = module.lines[line - 1]
    comma = _COMMA_BEFORE.search(text)
    return (line, comma.start() + 1) if comma else None


def entry_dropped(module: Module, table: ast.Dict, place: int) -> Edit:
    """Take an entry of a dictionary out with the comma that goes with it."""
    key = table.keys[place]
    assert key is not None
    own, last = module.range_of(key), module.range_of(table.values[place])
    start = own.line, own.column
    end = last.end_line or last.line, last.end_column or last.column
    if place + 1 < len(table.keys) and table.keys[place + 1] is not None:
        after = module.range_of(table.keys[place + 1])  # type: ignore[arg-type]
        end = after.line, after.column
    elif place > 0:
        before = module.range_of(table.values[place - 1])
        start = before.end_line or before.line, before.end_column or before.column
    return Edit(TextRange(*start, *end), "")


def insert_before(module: Module, statement: ast.AST, text: str) -> Edit:
    """Insert a line before a statement, indented as it is."""
    where = module.range_of(statement)
    indent = module.lines[where.line - 1][: where.column - 1]
    return Edit(TextRange(where.line, where.column), f"{text}\n{indent}")


def drop_line(module: Module, node: ast.AST) -> Edit | None:
    """Take out a statement with its lines; None where it shares them, or is its block's only one.

    A comment behind it goes with it.
    """
    where = module.range_of(node)
    last = where.end_line or where.line
    before = module.lines[where.line - 1][: where.column - 1]
    after = module.lines[last - 1][(where.end_column or 1) - 1 :].strip()
    alone = not before.strip() and (not after or after.startswith("#"))
    if not isinstance(node, ast.stmt) or not alone or _is_only(module, node):
        return None
    if last < len(module.lines):
        return Edit(TextRange(where.line, 1, last + 1, 1), "")
    if where.line == 1:
        return Edit(TextRange(1, 1, last, len(module.lines[last - 1]) + 1), "")
    end = len(module.lines[where.line - 2]) + 1
    return Edit(TextRange(where.line - 1, end, last, len(module.lines[last - 1]) + 1), "")


def _is_only(module: Module, statement: ast.stmt) -> bool:
    """Whether Python would miss a statement, were it taken out."""
    for nodes in module.nodes.values():
        for node in nodes:
            for name in ("body", "orelse", "finalbody"):
                body = getattr(node, name, None)
                if isinstance(body, list) and body == [statement]:
                    return not isinstance(node, ast.Module)
    return False


def set_value(
    module: Module, function: ast.FunctionDef | None, node: ast.expr, old: object, new: str
) -> Edit | None:
    """Change a number where it comes from: itself, a name's default, or a case of the block.

    None where it is made in some other way, or in more than one place.
    """
    edits = set_values(module, node, old, new)
    return edits[0] if len(edits) == 1 else None


def set_values(module: Module, node: ast.expr, old: object, new: str) -> tuple[Edit, ...]:
    """Change a number wherever it comes from: itself, every case of the block, or a default.

    Cases that give it another value keep theirs. None at all where it is made in some other way, or
    where more than one default or assignment could be meant.
    """
    if _number(node) is not None:
        return (replace_node(module, node, new),)
    if not isinstance(node, ast.Name):
        return ()
    places = _in_block(module, node.id, old)
    if not places:
        places = _bindings(module, node.id, old)
        places = places if len(places) == 1 else []
    return tuple(Edit(place, new) for place in places)


def _in_block(module: Module, name: str, old: object) -> list[TextRange]:
    """Where the comment block sets an argument to a value."""
    found = []
    pattern = re.compile(rf"(?<![\w.]){re.escape(name)}\s*=\s*({re.escape(str(old))})(?![\w.])")
    for number, line in _block_lines(module):
        for match in pattern.finditer(line):
            found.append(TextRange(number, match.start(1) + 1, number, match.end(1) + 1))
    return found


def _block_lines(module: Module) -> Iterator[tuple[int, str]]:
    """The lines of the comment block between its fences, with their numbers."""
    inside = False
    for number, line in enumerate(module.lines, 1):
        if _FENCE.match(line):
            inside = not inside and "workbench" in line
        elif inside and line.startswith("#"):
            yield number, line


def _bindings(module: Module, name: str, old: object) -> list[TextRange]:
    """Where a default or an assignment gives a name a literal."""
    nodes: list[ast.expr] = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.arguments):
            positional = [*node.posonlyargs, *node.args]
            defaulted = positional[len(positional) - len(node.defaults) :]
            pairs = [*zip(defaulted, node.defaults, strict=True)]
            pairs += [(a, d) for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True) if d]
            nodes += [default for argument, default in pairs if argument.arg == name]
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            nodes += _assigned(node.targets[0], node.value, name)
    return [module.range_of(node) for node in nodes if _number(node) == old]


def _assigned(target: ast.expr, value: ast.expr, name: str) -> list[ast.expr]:
    """What an assignment gives a name, in tuples too."""
    if isinstance(target, ast.Name):
        return [value] if target.id == name else []
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        pairs = zip(target.elts, value.elts, strict=False)
        return [found for one, other in pairs for found in _assigned(one, other, name)]
    return []


_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


def _number(node: ast.expr) -> object:
    """The value of a literal, or of literals added and multiplied; None of anything else."""
    if isinstance(node, ast.Constant):
        return node.value
    apply = _ARITHMETIC.get(type(node.op)) if isinstance(node, ast.BinOp) else None
    if apply is None or not isinstance(node, ast.BinOp):
        return None
    sides = _number(node.left), _number(node.right)
    return apply(*sides) if all(type(side) is int for side in sides) else None
