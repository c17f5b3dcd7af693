"""Checks of layouts that a kernel gives by hand: a map of elements to addresses is one to one."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
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
    ast.Expression, ast.Constant, ast.Name, ast.Load, ast.Tuple, ast.List, ast.BinOp, ast.UnaryOp,
    ast.Compare, ast.IfExp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitXor,
    ast.BitAnd, ast.BitOr, ast.LShift, ast.RShift, ast.USub, ast.Lt, ast.LtE, ast.Gt, ast.GtE,
    ast.Eq, ast.NotEq, ast.cmpop,
)  # fmt: skip
_SHIFTS = (ast.LShift,)


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
    body = function.node.body
    if isinstance(body, list):
        only = body[0] if len(body) == 1 else None
        body = only.value if isinstance(only, ast.Return) and only.value is not None else None  # type: ignore[assignment]
    if not isinstance(body, ast.expr):
        return None
    names = [argument.arg for argument in function.node.args.args]
    used = {n.id for n in ast.walk(body) if isinstance(n, ast.Name)} - set(names)
    constants = {name: function.scope.get(name) for name in used}
    if not all(type(value) is int for value in constants.values()) or not _is_plain(body):
        return None
    arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
    made = ast.fix_missing_locations(ast.Expression(ast.Lambda(arguments, body)))
    # Nothing but arithmetic on integers is in it: no call, no attribute, no name of Python's own.
    scope: dict[str, Any] = {"__builtins__": {}, **constants}
    result: Callable[..., Any] = eval(compile(made, "<layout>", "eval"), scope)
    return result


def _is_plain(body: ast.expr) -> bool:
    for node in ast.walk(body):
        if not isinstance(node, _NODES):
            return False
        if isinstance(node, ast.Constant) and type(node.value) is not int:
            return False
        if isinstance(node, ast.BinOp) and isinstance(node.op, _SHIFTS):
            right = node.right
            if not (isinstance(right, ast.Constant) and 0 <= int(str(right.value)) <= 32):
                return False
    return True
