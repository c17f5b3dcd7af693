"""The names of a document's module as they are where a function of it is defined."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from workbench.core.documents.names import Names
from workbench.core.sweeps.decorated.bodies import call, run
from workbench.core.sweeps.decorated.bounds import UnreadError
from workbench.core.sweeps.decorated.expressions import Evaluator
from workbench.core.sweeps.decorated.values import MUTABLE, Closure, Scope, Unknown


def names_before(tree: ast.Module, line: int) -> tuple[Evaluator, Scope]:
    """The names bound by the statements above a line, and what evaluates with them.

    A statement that is not understood leaves what it binds, and what it may have changed, unknown.
    """
    evaluator = Evaluator(Names(tree), call)
    scope: Scope = {}
    for statement in tree.body:
        if (statement.end_lineno or statement.lineno) >= line:
            break
        try:
            run(evaluator, (statement,), scope)
        except UnreadError as error:
            _forget(statement, error, scope)
    return evaluator, scope


def _forget(statement: ast.stmt, error: UnreadError, scope: Scope) -> None:
    unknown = Unknown(str(error), error.line)
    changed = [scope.get(name) for name in _mentioned(statement, scope)]
    held = {id(value) for value in changed if isinstance(value, MUTABLE)}
    for name, value in scope.items():
        if id(value) in held:
            scope[name] = unknown
    for name in _bound(statement):
        scope[name] = unknown


def _mentioned(statement: ast.stmt, scope: Scope) -> set[str]:
    """The names that a statement uses, and those that the document's functions in it use."""
    found: set[str] = set()
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and each.id not in found:
                found.add(each.id)
                function = scope.get(each.id)
                if isinstance(function, Closure):
                    pending.append(function.node)
    return found


def _bound(statement: ast.stmt) -> Iterable[str]:
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            yield node.id
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name
