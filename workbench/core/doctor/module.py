"""A document's syntax tree with its names, evaluated module level and places in the text."""

from __future__ import annotations

import ast
import re
from collections import ChainMap, defaultdict
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from workbench.core.diagnostics import TextRange
from workbench.core.doctor.arithmetic import opaque
from workbench.core.doctor.evaluating import Evaluator
from workbench.core.doctor.interpreting import assign, bind_target, merged
from workbench.core.doctor.values import Function, Record
from workbench.core.documents.names import Names
from workbench.core.documents.syntax import parse

_LEAVES = frozenset({"ctx", "op"})
_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, eq=False)
class Module:
    """A document that Python can read; `constants` are its module-level names."""

    text: str
    tree: ast.Module
    names: Names
    lines: tuple[str, ...]
    nodes: dict[type[ast.AST], list[Any]] = field(repr=False)
    """Every node by its class, so that no rule has to walk the tree; in no order."""
    constants: dict[str, Any] = field(repr=False)

    @property
    def functions(self) -> list[ast.FunctionDef]:
        """Every function, nested ones too."""
        return self.nodes.get(ast.FunctionDef, [])

    @property
    def calls(self) -> list[ast.Call]:
        """Every call."""
        return self.nodes.get(ast.Call, [])

    def column(self, line: int, byte: int) -> int:
        """The column, from 1 in characters, of a syntax node's byte offset."""
        text = self.lines[line - 1]
        if text.isascii():
            return byte + 1
        return len(text.encode("utf-8", "surrogatepass")[:byte].decode("utf-8", "replace")) + 1

    def range_of(self, node: ast.AST) -> TextRange:
        """The place of a syntax node."""
        line, end = getattr(node, "lineno", 1), getattr(node, "end_lineno", 1)
        first, last = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", 0)
        return TextRange(line, self.column(line, first), end, self.column(end, last))


@lru_cache(maxsize=8)
def read_module(text: str) -> Module | None:
    """The module of a text, None where Python cannot read it."""
    try:
        tree = parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    nodes = _nodes(tree)
    names = _names(tree, nodes)
    lines = tuple(_LINE_END.split(text))
    return Module(text, tree, names, lines, nodes, _constants(tree, names))


def _nodes(tree: ast.Module) -> dict[type[ast.AST], list[Any]]:
    nodes: dict[type[ast.AST], list[Any]] = defaultdict(list)
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        nodes[type(node)].append(node)
        # Not `ast.walk`: it is three times as slow, and this runs while somebody types.
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                if name not in _LEAVES:
                    pending.append(value)
            elif isinstance(value, list):
                pending.extend([item for item in value if isinstance(item, ast.AST)])
    return dict(nodes)


def _names(tree: ast.Module, nodes: dict[type[ast.AST], list[Any]]) -> Names:
    """The aliases of a module, read from the statements alone that can make one."""
    imports = [*nodes.get(ast.Import, []), *nodes.get(ast.ImportFrom, [])]
    imports.sort(key=lambda node: (node.lineno, node.col_offset))
    aliases = [statement for statement in tree.body if isinstance(statement, ast.Assign)]
    return Names(ast.Module([*imports, *aliases], []))


def _constants(tree: ast.Module, names: Names) -> dict[str, Any]:
    """Module-level names: what they are assigned, the functions, and the classes of constants."""
    evaluator = Evaluator(names)
    scope: dict[str, Any] = {}
    _bind_all(tree.body, evaluator, scope)
    return scope


def _bind_all(
    body: Iterable[ast.stmt], evaluator: Evaluator, scope: MutableMapping[str, Any]
) -> None:
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            names = evaluator.names
            is_macro = any(names.last(d) == "macro" for d in statement.decorator_list)
            if is_macro or not statement.decorator_list:
                scope[statement.name] = Function(statement, scope, is_macro)
        elif isinstance(statement, ast.Assign):
            assign(statement, evaluator, scope)
        elif isinstance(statement, ast.AnnAssign):
            given = statement.value
            value = evaluator.value(given, scope) if given is not None else opaque("field")
            bind_target(statement.target, value, scope)
        elif isinstance(statement, ast.ClassDef):
            fields: dict[str, Any] = {}
            _bind_all(statement.body, evaluator, ChainMap(fields, scope))
            scope[statement.name] = Record(fields)
        elif isinstance(statement, ast.If):
            _bind_branches(statement, evaluator, scope)
        else:
            for part in ("body", "orelse", "finalbody"):
                _bind_all(getattr(statement, part, ()), evaluator, scope)


def _bind_branches(node: ast.If, evaluator: Evaluator, scope: MutableMapping[str, Any]) -> None:
    truth = evaluator.truth(node.test, scope)
    if truth is not None:
        _bind_all(node.body if truth else node.orelse, evaluator, scope)
        return
    first, second = dict(scope), dict(scope)
    _bind_all(node.body, evaluator, first)
    _bind_all(node.orelse, evaluator, second)
    scope.update(merged(first, second))
