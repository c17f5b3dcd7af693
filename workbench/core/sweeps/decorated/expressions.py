"""Evaluates the expressions of a decorator's source; gives up where the source does not tell."""

from __future__ import annotations

import ast
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from workbench.core.doctor.values import dtype_named
from workbench.core.documents.names import Names
from workbench.core.sweeps.decorated.bounds import (
    MOST_STEPS,
    UnreadError,
    items_of,
    require_moderate,
    size_of,
)
from workbench.core.sweeps.decorated.callables import FUNCTIONS, QUICK, SLOW_METHODS, method
from workbench.core.sweeps.decorated.operations import COMPARE, UNARY, binary
from workbench.core.sweeps.decorated.values import Blueprint, Closure, Instance, Scope, Unknown

#: tilelang.tileop.base.GemmWarpPolicy of TileLang 0.1.15, whose members are integers.
_POLICIES = {"Square": 0, "FullRow": 1, "FullCol": 2}
#: What an operation may raise on values that do not suit it.
FAULTS = (ArithmeticError, TypeError, ValueError, LookupError, AttributeError, RecursionError)

Call = Callable[["Evaluator", Any, Sequence[Any], Mapping[str, Any]], Any]


class Evaluator:
    """Evaluates expressions within a number of steps; `call` runs a function of the document."""

    def __init__(self, names: Names, call: Call) -> None:
        self.names = names
        self.depth = 0
        self._call = call
        self._steps = 0

    def step(self, node: ast.AST) -> None:
        """Count a step; raises UnreadError where there were too many."""
        self.spend(1, getattr(node, "lineno", None))

    def spend(self, steps: int, line: int | None = None) -> None:
        """Count what takes so many steps, or holds so many items."""
        self._steps += steps
        if self._steps > MOST_STEPS:
            raise UnreadError("it takes too many steps", line)

    def items(self, value: Any) -> list[Any]:
        """The items of something iterable, each a step; raises UnreadError."""
        found = items_of(value)
        self.spend(len(found))
        return found

    def value(self, node: ast.expr, scope: Scope) -> Any:
        """The value of an expression; raises UnreadError."""
        self.step(node)
        handler = _HANDLERS.get(type(node))
        if handler is None:
            raise UnreadError(f"`{_short(node)}` is not understood", node.lineno)
        try:
            return handler(self, node, scope)
        except UnreadError as error:
            error.line = error.line or node.lineno
            raise
        except FAULTS as error:
            raise UnreadError(f"`{_short(node)}` fails: {error}", node.lineno) from error

    def apply(self, function: Any, args: Sequence[Any], options: Mapping[str, Any]) -> Any:
        """What a call gives; raises UnreadError."""
        if isinstance(function, (Closure, Blueprint)):
            return self._call(self, function, args, options)
        if function not in QUICK:
            self.spend(sum(size_of(each) for each in args))
        return self._counted(function(*args, **options))

    def _counted(self, value: Any) -> Any:
        """A new value, of moderate size, whose items count as steps."""
        self.spend(size_of(require_moderate(value)))
        return value

    def _name(self, node: ast.Name, scope: Scope) -> Any:
        if node.id in scope:
            found = scope[node.id]
            if isinstance(found, Unknown):
                raise UnreadError(found.reason, found.line)
            return found
        path = self.names.resolve(node)
        known = self._known(path or node.id)
        if known is None:
            raise UnreadError(f"`{node.id}` is not known before the file runs", node.lineno)
        return known

    def _known(self, path: str) -> Any:
        """What an imported name, or one of Python's own, stands for; None where it is unknown."""
        if path in FUNCTIONS:
            return FUNCTIONS[path]
        root, _, last = path.rpartition(".")
        if path.split(".")[0] != "tilelang":
            return None
        if root.endswith("GemmWarpPolicy"):
            return _POLICIES.get(last)
        return dtype_named(last)

    def _attribute(self, node: ast.Attribute, scope: Scope) -> Any:
        path = None if self._is_value(node, scope) else self.names.resolve(node)
        known = self._known(path) if path is not None else None
        if known is not None:
            return known
        owner = self.value(node.value, scope)
        if isinstance(owner, Instance):
            return self._member(owner, node)
        found = method(owner, node.attr)
        self.spend(size_of(owner) if node.attr in SLOW_METHODS else 0)
        if found is None:
            raise UnreadError(f"`{_short(node)}` is not known before the file runs", node.lineno)
        return found

    def _is_value(self, node: ast.expr, scope: Scope) -> bool:
        """Whether a dotted name begins with one that the document binds to a value."""
        while isinstance(node, ast.Attribute):
            node = node.value
        return not isinstance(node, ast.Name) or node.id in scope

    def _member(self, owner: Instance, node: ast.Attribute) -> Any:
        kind, name = owner.blueprint, node.attr
        if name in owner.attributes:
            return owner.attributes[name]
        if name not in kind.members:
            raise UnreadError(f"`{kind.name}` has no attribute `{name}`", node.lineno)
        found = kind.members[name]
        if not isinstance(found, Closure):
            return found
        bound = Closure(found.node, found.scope, owner)
        return self.apply(bound, (), {}) if name in kind.properties else bound

    def _sequence(self, node: ast.Tuple | ast.List | ast.Set, scope: Scope) -> Any:
        kind = {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)]
        return kind(self._items(node.elts, scope))

    def _items(self, nodes: Sequence[ast.expr], scope: Scope) -> list[Any]:
        """The values of items or arguments, of `*items` their parts."""
        found: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                found += self.items(self.value(node.value, scope))
            else:
                found.append(self.value(node, scope))
        return found

    def _dictionary(self, node: ast.Dict, scope: Scope) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                more = self.value(value, scope)
                self.spend(size_of(more))
                found.update(more)
            else:
                found[self.value(key, scope)] = self.value(value, scope)
        return found

    def _binary(self, node: ast.BinOp, scope: Scope) -> Any:
        return self.operate(node.op, self.value(node.left, scope), self.value(node.right, scope))

    def operate(self, op: ast.operator, left: Any, right: Any) -> Any:
        """The value of an operation on two values; raises UnreadError and FAULTS."""
        return self._counted(binary(op, left, right))

    def _unary(self, node: ast.UnaryOp, scope: Scope) -> Any:
        return UNARY[type(node.op)](self.value(node.operand, scope))

    def _logic(self, node: ast.BoolOp, scope: Scope) -> Any:
        stops_at = isinstance(node.op, ast.Or)
        value: Any = not stops_at
        for each in node.values:
            value = self.value(each, scope)
            if bool(value) is stops_at:
                break
        return value

    def _compare(self, node: ast.Compare, scope: Scope) -> bool:
        left = self.value(node.left, scope)
        for op, other in zip(node.ops, node.comparators, strict=True):
            right = self.value(other, scope)
            self.spend(size_of(left) + size_of(right))
            if not COMPARE[type(op)](left, right):
                return False
            left = right
        return True

    def _choice(self, node: ast.IfExp, scope: Scope) -> Any:
        return self.value(node.body if self.value(node.test, scope) else node.orelse, scope)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> Any:
        owner = self.value(node.value, scope)
        if not isinstance(owner, (list, tuple, dict, str, range)):
            raise UnreadError(f"`{_short(node)}` is not understood", node.lineno)
        if not isinstance(node.slice, ast.Slice):
            return owner[self.value(node.slice, scope)]
        ends = (node.slice.lower, node.slice.upper, node.slice.step)
        cut = slice(*(None if e is None else self.value(e, scope) for e in ends))
        return self._counted(owner[cut])

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp, scope: Scope) -> list[Any]:
        return [self.value(node.elt, inside) for inside in self._rounds(node.generators, scope)]

    def _set_comprehension(self, node: ast.SetComp, scope: Scope) -> set[Any]:
        return {self.value(node.elt, inside) for inside in self._rounds(node.generators, scope)}

    def _dict_comprehension(self, node: ast.DictComp, scope: Scope) -> dict[Any, Any]:
        rounds = self._rounds(node.generators, scope)
        return {self.value(node.key, each): self.value(node.value, each) for each in rounds}

    def _rounds(self, loops: Sequence[ast.comprehension], scope: Scope) -> Iterator[Scope]:
        """The names inside a comprehension, round for round."""
        if not loops:
            yield scope
            return
        loop = loops[0]
        for item in self.items(self.value(loop.iter, scope)):
            inside: Scope = ChainMap({}, scope)
            self.bind(loop.target, item, inside)
            if all(self.value(test, inside) for test in loop.ifs):
                yield from self._rounds(loops[1:], inside)

    def bind(self, target: ast.expr, value: Any, scope: Scope) -> None:
        """Give a value to a name, to the names of a tuple, to an item or an attribute."""
        self.step(target)
        if isinstance(target, ast.Name):
            scope[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = self.items(value)
            for name, part in zip(target.elts, items, strict=True):
                self.bind(name, part, scope)
        elif isinstance(target, ast.Subscript) and not isinstance(target.slice, ast.Slice):
            owner = self.value(target.value, scope)
            if not isinstance(owner, (list, dict)):
                raise UnreadError(f"`{_short(target)}` is not understood", target.lineno)
            owner[self.value(target.slice, scope)] = value
        elif isinstance(target, ast.Attribute):
            owner = self.value(target.value, scope)
            if not isinstance(owner, Instance):
                raise UnreadError(f"`{_short(target)}` is not understood", target.lineno)
            owner.attributes[target.attr] = value
        else:
            raise UnreadError(f"`{_short(target)}` is not understood", target.lineno)

    def _called(self, node: ast.Call, scope: Scope) -> Any:
        function = self.value(node.func, scope)
        if not callable(function) and not isinstance(function, (Closure, Blueprint)):
            raise UnreadError(f"`{_short(node.func)}` is no function", node.lineno)
        args = self._items(node.args, scope)
        options: dict[str, Any] = {}
        for each in node.keywords:
            value = self.value(each.value, scope)
            options.update(value if each.arg is None else {each.arg: value})
        return self.apply(function, args, options)

    def _text(self, node: ast.JoinedStr, scope: Scope) -> str:
        parts = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue) and part.format_spec is not None:
                raise UnreadError("a text is formatted", node.lineno)
            inner = part.value if isinstance(part, ast.FormattedValue) else part
            parts.append(str(self.value(inner, scope)))
        return str(self._counted("".join(parts)))


def _short(node: ast.AST) -> str:
    text = ast.unparse(node).partition("\n")[0]
    return text if len(text) <= 60 else f"{text[:57]}..."


_HANDLERS: dict[type[ast.expr], Callable[[Evaluator, Any, Scope], Any]] = {
    ast.Constant: lambda evaluator, node, scope: node.value,
    ast.Name: Evaluator._name,
    ast.Attribute: Evaluator._attribute,
    ast.Tuple: Evaluator._sequence,
    ast.List: Evaluator._sequence,
    ast.Set: Evaluator._sequence,
    ast.Dict: Evaluator._dictionary,
    ast.BinOp: Evaluator._binary,
    ast.UnaryOp: Evaluator._unary,
    ast.BoolOp: Evaluator._logic,
    ast.Compare: Evaluator._compare,
    ast.IfExp: Evaluator._choice,
    ast.Subscript: Evaluator._subscript,
    ast.ListComp: Evaluator._comprehension,
    ast.GeneratorExp: Evaluator._comprehension,
    ast.SetComp: Evaluator._set_comprehension,
    ast.DictComp: Evaluator._dict_comprehension,
    ast.Call: Evaluator._called,
    ast.Lambda: lambda evaluator, node, scope: Closure(node, scope),
    ast.JoinedStr: Evaluator._text,
}
