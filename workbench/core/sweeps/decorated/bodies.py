"""Runs the functions and classes that a decorator's source uses, statement by statement."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from workbench.core.sweeps.decorated.bounds import DEEPEST_CALL, UnreadError
from workbench.core.sweeps.decorated.expressions import FAULTS, Evaluator
from workbench.core.sweeps.decorated.values import Blueprint, Closure, Instance, Scope

_CACHES = frozenset({"functools.lru_cache", "functools.cache"})
_DATACLASS = "dataclasses.dataclass"


class _Returned(Exception):  # noqa: N818 - the way out of nested blocks, no error
    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class _Broken(Exception):  # noqa: N818 - likewise
    pass


class _Continued(Exception):  # noqa: N818 - likewise
    pass


def call(
    evaluator: Evaluator, function: Any, args: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    """What a function or a class of the document gives; raises UnreadError."""
    if isinstance(function, Blueprint):
        return _made(evaluator, function, args, options)
    if evaluator.depth >= DEEPEST_CALL:
        raise UnreadError(f"`{function.name}` calls itself too often", function.node.lineno)
    owner = () if function.owner is None else (function.owner,)
    inside: Scope = ChainMap({}, function.scope)
    _take(evaluator, function, (*owner, *args), options, inside)
    evaluator.depth += 1
    try:
        if isinstance(function.node, ast.Lambda):
            return evaluator.value(function.node.body, inside)
        run(evaluator, function.node.body, inside)
    except _Returned as returned:
        return returned.value
    finally:
        evaluator.depth -= 1
    return None


def _made(
    evaluator: Evaluator, kind: Blueprint, args: Sequence[Any], options: Mapping[str, Any]
) -> Instance:
    """An object of a class of the document."""
    made = Instance(kind, {})
    start = kind.members.get("__init__")
    if isinstance(start, Closure):
        call(evaluator, Closure(start.node, start.scope, made), args, options)
        return made
    given = {**dict(zip(kind.fields, args, strict=False)), **options}
    unknown = [name for name in given if name not in kind.fields]
    lacking = [name for name in kind.fields if name not in kind.members and name not in given]
    if unknown or lacking or len(args) > len(kind.fields) or (given and not kind.is_dataclass):
        raise UnreadError(f"`{kind.name}` is made in a way that is not understood")
    made.attributes.update(given)
    return made


def _take(
    evaluator: Evaluator,
    function: Closure,
    args: Sequence[Any],
    options: Mapping[str, Any],
    inside: Scope,
) -> None:
    """Give a function's parameters their values."""
    takes = function.node.args
    names = [each.arg for each in (*takes.posonlyargs, *takes.args)]
    known = [*names, *(each.arg for each in takes.kwonlyargs)]
    defaults = dict(zip(names[len(names) - len(takes.defaults) :], takes.defaults, strict=True))
    only = zip(takes.kwonlyargs, takes.kw_defaults, strict=True)
    defaults |= {each.arg: default for each, default in only if default is not None}
    given = {**dict(zip(names, args, strict=False))}
    extra = {name: value for name, value in options.items() if name not in known}
    twice = [name for name in options if name in given]
    if twice or (extra and takes.kwarg is None) or (len(args) > len(names) and not takes.vararg):
        raise UnreadError(f"`{function.name}` is called with what it does not take")
    given.update({name: value for name, value in options.items() if name in known})
    for name in known:
        if name not in given and name not in defaults:
            raise UnreadError(f"`{function.name}` is called without `{name}`")
        inside[name] = (
            given[name] if name in given else evaluator.value(defaults[name], function.scope)
        )
    if takes.vararg is not None:
        inside[takes.vararg.arg] = tuple(args[len(names) :])
    if takes.kwarg is not None:
        inside[takes.kwarg.arg] = extra


def run(evaluator: Evaluator, body: Iterable[ast.stmt], scope: Scope) -> None:
    """Run statements; raises UnreadError at the first that is not understood."""
    for statement in body:
        evaluator.step(statement)
        handler = _STATEMENTS.get(type(statement))
        if handler is None:
            said = ast.unparse(statement).partition("\n")[0]
            raise UnreadError(f"`{said[:60]}` is not understood", statement.lineno)
        try:
            handler(evaluator, statement, scope)
        except UnreadError as error:
            error.line = error.line or statement.lineno
            raise
        except FAULTS as error:
            raise UnreadError(f"it fails: {error}", statement.lineno) from error


def _nothing(evaluator: Evaluator, node: ast.stmt, scope: Scope) -> None:
    """An import, whose names are known already, or `pass`."""


def _expression(evaluator: Evaluator, node: ast.Expr, scope: Scope) -> None:
    evaluator.value(node.value, scope)


def _assign(evaluator: Evaluator, node: ast.Assign, scope: Scope) -> None:
    value = evaluator.value(node.value, scope)
    for target in node.targets:
        evaluator.bind(target, value, scope)


def _annotated(evaluator: Evaluator, node: ast.AnnAssign, scope: Scope) -> None:
    if node.value is not None:
        evaluator.bind(node.target, evaluator.value(node.value, scope), scope)


def _augmented(evaluator: Evaluator, node: ast.AugAssign, scope: Scope) -> None:
    before = evaluator.value(node.target, scope)
    value = evaluator.value(node.value, scope)
    if isinstance(before, list) and isinstance(node.op, ast.Add):
        before.extend(evaluator.items(value))  # in place, as whoever else holds the list sees
        return
    evaluator.bind(node.target, evaluator.operate(node.op, before, value), scope)


def _if(evaluator: Evaluator, node: ast.If, scope: Scope) -> None:
    run(evaluator, node.body if evaluator.value(node.test, scope) else node.orelse, scope)


def _for(evaluator: Evaluator, node: ast.For, scope: Scope) -> None:
    for item in evaluator.items(evaluator.value(node.iter, scope)):
        evaluator.bind(node.target, item, scope)
        if not _goes_on(evaluator, node.body, scope):
            return
    run(evaluator, node.orelse, scope)


def _while(evaluator: Evaluator, node: ast.While, scope: Scope) -> None:
    while evaluator.value(node.test, scope):
        if not _goes_on(evaluator, node.body, scope):
            return
    run(evaluator, node.orelse, scope)


def _goes_on(evaluator: Evaluator, body: Sequence[ast.stmt], scope: Scope) -> bool:
    """One turn of a loop; False where it was the last."""
    try:
        run(evaluator, body, scope)
    except _Continued:
        pass
    except _Broken:
        return False
    return True


def _return(evaluator: Evaluator, node: ast.Return, scope: Scope) -> None:
    raise _Returned(None if node.value is None else evaluator.value(node.value, scope))


def _assert(evaluator: Evaluator, node: ast.Assert, scope: Scope) -> None:
    if not evaluator.value(node.test, scope):
        raise UnreadError("an assertion does not hold", node.lineno)


def _break(evaluator: Evaluator, node: ast.Break, scope: Scope) -> None:
    raise _Broken


def _continue(evaluator: Evaluator, node: ast.Continue, scope: Scope) -> None:
    raise _Continued


def _function(evaluator: Evaluator, node: ast.FunctionDef, scope: Scope) -> None:
    """A function as it is; one that is wrapped by more than a cache is not understood."""
    if any(evaluator.names.resolve(each) not in _CACHES for each in node.decorator_list):
        raise UnreadError(f"`{node.name}` is decorated", node.lineno)
    if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(node)):
        raise UnreadError(f"`{node.name}` yields", node.lineno)
    scope[node.name] = Closure(node, scope)


def _class(evaluator: Evaluator, node: ast.ClassDef, scope: Scope) -> None:
    """A class of constants, methods and properties, or a dataclass."""
    wrapped = [evaluator.names.resolve(each) for each in node.decorator_list]
    if node.bases or node.keywords or any(each != _DATACLASS for each in wrapped):
        raise UnreadError(f"the class `{node.name}` is not understood", node.lineno)
    members: dict[str, Any] = {}
    inside: Scope = ChainMap(members, scope)
    properties, fields = set(), []
    for each in node.body:
        if isinstance(each, ast.FunctionDef):
            if _is_property(each):
                properties.add(each.name)
            elif each.decorator_list:
                raise UnreadError(f"`{node.name}.{each.name}` is decorated", each.lineno)
            members[each.name] = Closure(each, scope)
            continue
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            fields.append(each.target.id)
        run(evaluator, (each,), inside)
    made = Blueprint(node.name, members, tuple(fields), frozenset(properties), bool(wrapped))
    scope[node.name] = made


def _is_property(node: ast.FunctionDef) -> bool:
    decorators = node.decorator_list
    return (
        len(decorators) == 1
        and isinstance(decorators[0], ast.Name)
        and (decorators[0].id == "property")
    )


_STATEMENTS: dict[type[ast.stmt], Callable[[Evaluator, Any, Scope], None]] = {
    ast.Import: _nothing,
    ast.ImportFrom: _nothing,
    ast.Pass: _nothing,
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.While: _while,
    ast.Return: _return,
    ast.Assert: _assert,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.FunctionDef: _function,
    ast.ClassDef: _class,
}
