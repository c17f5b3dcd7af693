"""A document's syntax tree with its names, evaluated module level and places in the text."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from workbench.core.diagnostics import TextRange
from workbench.core.doctor.evaluating import Evaluator
from workbench.core.doctor.values import Function
from workbench.core.documents.names import Names
from workbench.core.documents.syntax import parse, statements

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
    """Module-level names: what they are assigned, and the functions."""
    evaluator = Evaluator(names)
    scope: dict[str, Any] = {}
    for statement in statements(tree.body):
        if isinstance(statement, ast.FunctionDef):
            is_macro = any(names.last(d) == "macro" for d in statement.decorator_list)
            if is_macro or not statement.decorator_list:
                scope[statement.name] = Function(statement, scope, is_macro)
        elif isinstance(statement, ast.Assign):
            assign(statement, evaluator, scope)
    return scope


def assign(statement: ast.Assign, evaluator: Evaluator, scope: dict[str, Any]) -> None:
    """Bind what a plain assignment binds, names in tuples too."""
    value = evaluator.value(statement.value, scope)
    for target in statement.targets:
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, ast.Tuple) and isinstance(value, tuple):
            pairs = zip(target.elts, value, strict=False)
            scope.update({t.id: v for t, v in pairs if isinstance(t, ast.Name)})
