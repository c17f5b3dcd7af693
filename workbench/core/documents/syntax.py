"""Walks over the syntax tree of a document, its source text by node, and its literal values."""

from __future__ import annotations

import ast
import operator
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
"""One line with its end, as Python counts lines: a form feed does not end one."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

# Operands beyond these mean nothing as a kernel's arguments, and could take for ever to work out.
_MAX_INTEGER = 1 << 64
_LIMITS: dict[type[ast.AST], int] = {ast.Pow: 64, ast.LShift: 4096}

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_SEQUENCES: dict[type[ast.expr], Callable[[Iterable[Any]], Any]] = {
    ast.Tuple: tuple,
    ast.List: list,
}


class NotLiteralError(ValueError):
    """An expression whose value the source alone does not tell."""


@lru_cache(maxsize=2)  # of one text the tree is read several times, and changed by nobody
def parse(text: str) -> ast.Module:
    """The syntax tree; raises SyntaxError, ValueError, RecursionError or MemoryError."""
    with warnings.catch_warnings():
        # An invalid escape in a string is the user's to see when the file runs, not on our stderr.
        warnings.simplefilter("ignore")
        return ast.parse(text)


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of one scope in order, those under `if`, `try`, `with` and loops included."""
    pending = list(body)[::-1]
    while pending:
        statement = pending.pop()
        yield statement
        if not isinstance(statement, _SCOPES):
            pending.extend(_nested(statement)[::-1])


def _nested(statement: ast.stmt) -> list[ast.stmt]:
    inner: list[ast.stmt] = []
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            inner.append(child)
        elif isinstance(child, (ast.ExceptHandler, ast.match_case)):
            inner.extend(child.body)
    return inner


def own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """All nodes of a function's body that are not in a scope nested in it."""
    pending: list[ast.AST] = [*reversed(function.body)]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _SCOPES):
            pending.extend(list(ast.iter_child_nodes(node))[::-1])


def string_lines(tree: ast.Module) -> frozenset[int]:
    """The lines, from 1, that begin inside a string literal."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) or (
            isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes))
        ):
            lines.update(range(node.lineno + 1, (node.end_lineno or node.lineno) + 1))
    return frozenset(lines)


class Source:
    """The text of a document, cut by the positions of syntax nodes."""

    def __init__(self, text: str) -> None:
        # Node columns count UTF-8 bytes.
        self._lines = [line.encode("utf-8", "surrogatepass") for line in LINE.findall(text)]

    def segment(self, node: ast.expr) -> str:
        """The text of an expression as it is written."""
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        lines = self._lines[first : last + 1]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"".join(lines).decode("utf-8", "surrogatepass")


def literal(node: ast.expr, constants: Mapping[str, Any]) -> Any:
    """The value of an expression of literals and `constants`; raises NotLiteralError."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, str)):
        return node.value
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    if isinstance(node, ast.Name) and node.id in constants:
        return constants[node.id]
    if isinstance(node, (ast.Tuple, ast.List)):
        return _SEQUENCES[type(node)](literal(item, constants) for item in node.elts)
    if isinstance(node, ast.Dict):
        return _dictionary(node, constants)
    if isinstance(node, (ast.UnaryOp, ast.BinOp)):
        return _computed(node, constants)
    raise NotLiteralError(ast.dump(node)[:80])


def _dictionary(node: ast.Dict, constants: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        name = literal(key, constants) if key is not None else None
        if not isinstance(name, str):
            raise NotLiteralError("a key that is not a string")
        result[name] = literal(value, constants)
    return result


def _computed(node: ast.UnaryOp | ast.BinOp, constants: Mapping[str, Any]) -> Any:
    sides = [node.operand] if isinstance(node, ast.UnaryOp) else [node.left, node.right]
    values = [literal(side, constants) for side in sides]
    operators: Mapping[Any, Callable[..., Any]] = (
        _UNARY if isinstance(node, ast.UnaryOp) else _BINARY
    )
    function = operators.get(type(node.op))
    limit = _LIMITS.get(type(node.op), _MAX_INTEGER)
    if function is None or not all(isinstance(v, (int, float)) and abs(v) <= limit for v in values):
        raise NotLiteralError("an operation on something else than moderate numbers")
    try:
        result = function(*values)
    except (ArithmeticError, TypeError, ValueError) as error:
        raise NotLiteralError(str(error)) from error
    if isinstance(result, complex):
        raise NotLiteralError("a complex number")
    return result


def try_literal(node: ast.expr, constants: Mapping[str, Any]) -> tuple[bool, Any]:
    """Whether the value of an expression is known from the source, and that value or None."""
    try:
        return True, literal(node, constants)
    except (NotLiteralError, RecursionError):
        return False, None


def module_constants(tree: ast.Module) -> dict[str, Any]:
    """The names that the module binds once, to a literal or to what such names give."""
    bound: Counter[str] = Counter()
    values: dict[str, ast.expr] = {}
    for statement in statements(tree.body):
        for name, value in _bindings(statement):
            bound[name] += 1
            if value is not None:
                values[name] = value
    constants: dict[str, Any] = {}
    for name, value in values.items():
        known, result = try_literal(value, constants)
        if known and bound[name] == 1:
            constants[name] = result
    return constants


def _bindings(statement: ast.stmt) -> Iterator[tuple[str, ast.expr | None]]:
    """The names a statement binds, with the expression where it binds the name to one."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _targets(target, statement.value)
    elif isinstance(statement, (ast.AnnAssign, ast.AugAssign)):
        plain = isinstance(statement, ast.AnnAssign)
        yield from _targets(statement.target, statement.value if plain else None)
    elif isinstance(statement, (ast.For, ast.AsyncFor)):
        yield from _targets(statement.target, None)
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        for item in statement.items:
            yield from _targets(item.optional_vars, None)
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            yield alias.asname or alias.name.split(".")[0], None
    elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name, None


def _targets(
    target: ast.expr | None, value: ast.expr | None
) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        pairs = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        values = value.elts if pairs else [None] * len(target.elts)  # type: ignore[union-attr]
        for item, part in zip(target.elts, values, strict=True):
            yield from _targets(item, part)


def bound_names(tree: ast.Module) -> frozenset[str] | None:
    """The names that the module binds, or None where an `import *` leaves that open."""
    names = {name for statement in statements(tree.body) for name, _ in _bindings(statement)}
    return None if "*" in names else frozenset(names)
