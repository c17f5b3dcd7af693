"""Runs the small plain functions of a document, as far as what they are given is known."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from typing import TYPE_CHECKING, Any

from workbench.core.doctor.arithmetic import binary, is_plain, opaque
from workbench.core.doctor.values import Function

if TYPE_CHECKING:
    from workbench.core.doctor.evaluating import Evaluator

# A function that works out sizes is done long before.
_MOST_STEPS = 400
_MOST_ITEMS = 64


class UntoldError(Exception):
    """The source does not tell what a function does or gives."""


class _Returned(Exception):  # noqa: N818 - the way out of nested blocks, no error
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


def call_result(evaluator: Evaluator, body: Iterable[ast.stmt], names: dict[str, Any]) -> Any:
    """What statements return; raises UntoldError where that depends on what is not known."""
    run = _Run(evaluator, names)
    try:
        run.block(body)
    except _Returned as returned:
        return returned.value
    return None


def assign(statement: ast.Assign, evaluator: Evaluator, scope: MutableMapping[str, Any]) -> None:
    """Bind what a plain assignment binds, names in tuples too."""
    value = evaluator.value(statement.value, scope)
    for target in statement.targets:
        bind_target(target, value, scope)


def bind_target(target: ast.expr, value: Any, scope: MutableMapping[str, Any]) -> None:
    """Bind a name, or the names of a tuple to the parts of a known one."""
    if isinstance(target, ast.Name):
        scope[target.id] = value
    elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, tuple):
        for name, part in zip(target.elts, value, strict=False):
            bind_target(name, part, scope)


def merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """The names after one of two branches, of which nobody knows which is taken.

    A name of both keeps its value where they agree; one of a single branch keeps its own.
    """
    found = {**first, **second}
    for name in first.keys() & second.keys():
        one, other = first[name], second[name]
        if one is not other and not _equal(one, other):
            found[name] = opaque(f"{name}?")
    return found


def _equal(first: Any, second: Any) -> bool:
    return type(first) is type(second) and is_plain(first) and bool(first == second)


class _Run:
    def __init__(self, evaluator: Evaluator, names: dict[str, Any]) -> None:
        self._evaluator = evaluator
        self._names = names
        self._steps = 0

    def block(self, body: Iterable[ast.stmt]) -> None:
        for statement in body:
            self._steps += 1
            handler = _STATEMENTS.get(type(statement))
            if handler is None or self._steps > _MOST_STEPS:
                raise UntoldError
            handler(self, statement)

    def _nothing(self, node: ast.stmt) -> None:
        """A statement that says nothing of what is returned."""

    def _expression(self, node: ast.Expr) -> None:
        called = node.value.func if isinstance(node.value, ast.Call) else None
        prints = isinstance(called, ast.Name) and called.id == "print"
        if not prints and not isinstance(node.value, ast.Constant):
            raise UntoldError

    def _assign(self, node: ast.Assign) -> None:
        if not all(isinstance(t, (ast.Name, ast.Tuple, ast.List)) for t in node.targets):
            raise UntoldError
        assign(node, self._evaluator, self._names)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            bind_target(node.target, self._evaluator.value(node.value, self._names), self._names)

    def _augmented(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            raise UntoldError
        name = node.target.id
        value = self._evaluator.value(node.value, self._names)
        self._names[name] = binary(node.op, self._names.get(name), value)

    def _truth(self, test: ast.expr) -> bool:
        truth = self._evaluator.truth(test, self._names)
        if truth is None:
            raise UntoldError
        return truth

    def _if(self, node: ast.If) -> None:
        self.block(node.body if self._truth(node.test) else node.orelse)

    def _while(self, node: ast.While) -> None:
        while self._truth(node.test):
            self.block(node.body)
        self.block(node.orelse)

    def _for(self, node: ast.For) -> None:
        items = self._evaluator.value(node.iter, self._names)
        if not isinstance(items, tuple) or len(items) > _MOST_ITEMS:
            raise UntoldError
        for item in items:
            bind_target(node.target, item, self._names)
            self.block(node.body)
        self.block(node.orelse)

    def _return(self, node: ast.Return) -> None:
        raise _Returned(self._evaluator.value(node.value, self._names))

    def _function(self, node: ast.FunctionDef) -> None:
        if node.decorator_list:
            raise UntoldError
        self._names[node.name] = Function(node, self._names)


_STATEMENTS: dict[type[ast.stmt], Callable[[_Run, Any], None]] = {
    ast.Assert: _Run._nothing,
    ast.Import: _Run._nothing,
    ast.ImportFrom: _Run._nothing,
    ast.Pass: _Run._nothing,
    ast.Expr: _Run._expression,
    ast.Assign: _Run._assign,
    ast.AnnAssign: _Run._annotated,
    ast.AugAssign: _Run._augmented,
    ast.If: _Run._if,
    ast.While: _Run._while,
    ast.For: _Run._for,
    ast.Return: _Run._return,
    ast.FunctionDef: _Run._function,
}
