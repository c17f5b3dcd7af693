"""Checks of layouts that a kernel gives by hand: a map of elements to addresses is one to one."""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from workbench.core.doctor.evaluating import Evaluator
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.findings import Finding
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Function

if TYPE_CHECKING:
    import numpy.typing as npt


# Elements that are tried: a collision inside a part of the buffer is one of the whole.
_MOST = 1 << 16
_NODES = (
    ast.Constant, ast.Name, ast.Load, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp,
    ast.Compare, ast.IfExp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitXor,
    ast.BitAnd, ast.BitOr, ast.LShift, ast.RShift, ast.USub, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
    ast.Eq, ast.NotEq, ast.cmpop,
)  # fmt: skip
_SHIFTS = (ast.LShift,)
_LARGEST_SHIFT = 32
_OPERATORS: dict[str, type[ast.operator]] = {
    "bitwise_xor": ast.BitXor,
    "bitwise_and": ast.BitAnd,
    "bitwise_or": ast.BitOr,
    "shift_left": ast.LShift,
    "shift_right": ast.RShift,
    "floordiv": ast.FloorDiv,
    "truncdiv": ast.FloorDiv,
    "indexdiv": ast.FloorDiv,
    "floormod": ast.Mod,
    "truncmod": ast.Mod,
    "indexmod": ast.Mod,
}
"""TileLang's functions of two integers, none of them negative, by the operator they stand for."""


def not_injective(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Layouts that put two elements at one address."""
    for layout in facts.layouts:
        shape = layout.shape
        function = _function(layout.function, Evaluator(facts.names))
        if function is None or not all(type(n) is int and n > 0 for n in shape):
            continue
        collision = _collision(function, shape)
        if collision is not None:
            first, second, address = collision
            message = (
                f"This layout puts the elements {list(first)} and {list(second)} at one address, "
                f"{list(address)}: one overwrites the other. A layout has to be one to one, as the "
                f"identity, padding or an XOR swizzle are."
            )
            yield Finding(layout.node, message)


def _collision(
    function: Callable[..., Any], shape: tuple[int, ...]
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None:
    """Two elements with one address, and that address."""
    import numpy as np  # here: the window starts without it

    tried = _tried(shape)
    elements = [axis.ravel() for axis in np.indices(tried, dtype=np.int64)]
    try:
        found = function(*elements)
    except (ArithmeticError, TypeError, ValueError):
        return None
    parts = found if isinstance(found, (tuple, list)) else (found,)
    addresses = [np.broadcast_to(np.asarray(part, np.int64), elements[0].shape) for part in parts]
    pair = _equal_pair(np.stack(addresses))
    if pair is None:
        return None
    first, second = (tuple(int(axis[place]) for axis in elements) for place in pair)
    return first, second, tuple(int(part[pair[0]]) for part in addresses)


def _equal_pair(addresses: npt.NDArray[Any]) -> tuple[int, int] | None:
    """The places of two equal columns, the first that show themselves."""
    import numpy as np

    keys = np.zeros(addresses.shape[1], np.int64)
    for part in addresses:
        low = int(part.min())
        keys = keys * (int(part.max()) - low + 1) + (part - low)
    order = np.argsort(keys, kind="stable")
    equal = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if not equal.size:
        return None
    place = min(equal, key=lambda index: int(order[index + 1]))
    return int(order[place]), int(order[place + 1])


def _tried(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The part of a buffer that is tried: all of it, unless it is large."""
    extents = list(shape)
    while math.prod(extents) > _MOST:
        place = extents.index(max(extents))
        extents[place] = (extents[place] + 1) // 2
    return tuple(extents)


def _function(function: Function, evaluator: Evaluator) -> Callable[..., Any] | None:
    """The map as a Python function of integers, if it is made of plain arithmetic alone."""
    names = [argument.arg for argument in function.node.args.args]
    body = function.node.body
    statements = body if isinstance(body, list) else [ast.Return(body)]
    plain = _Plain(evaluator, function.scope, frozenset(names))
    try:
        made = [plain.statement(statement) for statement in statements]
    except _NotPlainError:
        return None
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    definition = ast.FunctionDef("layout", arguments, made or [ast.Pass()], [])
    tree = ast.Module([definition], [])
    for node in ast.walk(tree):
        node.lineno = node.end_lineno = 1  # type: ignore[attr-defined]
        node.col_offset = node.end_col_offset = 0  # type: ignore[attr-defined]
    # Nothing but arithmetic on integers is in it: no call, no attribute, no name of Python's own.
    scope: dict[str, Any] = {"__builtins__": {}}
    exec(compile(tree, "<layout>", "exec"), scope)
    result: Callable[..., Any] = scope["layout"]
    return result


class _NotPlainError(Exception):
    """Something else than arithmetic on integers."""


class _Plain(ast.NodeTransformer):
    """Statements of plain arithmetic, with constants and functions of two numbers inlined."""

    def __init__(
        self, evaluator: Evaluator, scope: Mapping[str, Any], names: frozenset[str]
    ) -> None:
        self._evaluator = evaluator
        self._scope = scope
        self._names = set(names)

    def statement(self, node: ast.stmt) -> ast.stmt:
        """One statement anew: an assignment to a name, or the return."""
        node = copy.deepcopy(node)
        if isinstance(node, ast.Return) and node.value is not None:
            return ast.Return(self.visit(node.value))
        target = (
            node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        )
        if not isinstance(node, ast.Assign) or not isinstance(target, ast.Name):
            raise _NotPlainError
        value = self.visit(node.value)
        self._names.add(target.id)
        return ast.Assign([ast.Name(target.id, ast.Store())], value)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Go on below a node that is allowed."""
        if not isinstance(node, _NODES):
            raise _NotPlainError
        return super().generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) is not int:
            raise _NotPlainError
        return ast.Constant(node.value)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self._names:
            return ast.Name(node.id, ast.Load())
        return self._constant(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self._constant(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return self._constant(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        if isinstance(node.op, _SHIFTS):
            right = self._evaluator.value(node.right, self._scope)
            if type(right) is not int or not 0 <= right <= _LARGEST_SHIFT:
                raise _NotPlainError
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """A function of TileLang that stands for an operator, else a value that is known."""
        operator = _OPERATORS.get(self._evaluator.names.last(node.func) or "")
        if operator is None or len(node.args) != 2 or node.keywords:
            return self._constant(node)
        return self.visit_BinOp(ast.BinOp(node.args[0], operator(), node.args[1]))

    def _constant(self, node: ast.expr) -> ast.AST:
        used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        value = self._evaluator.value(node, self._scope) if not used & self._names else None
        if type(value) is not int:
            raise _NotPlainError
        return ast.Constant(value)
