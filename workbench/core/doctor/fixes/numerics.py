"""Fixes of values that overflow or divide by 0: an epsilon, and the maximum taken off exponents."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix
from workbench.core.doctor.edits import replace_node
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import (
    calls_in,
    enclosing,
    free_name,
    language,
    lines_after,
    lines_before,
    simple_at,
    term,
    text_of,
)
from workbench.core.doctor.values import Buffer, Scope

_ROOTS = ("rsqrt", "sqrt", "log", "log2")
_EPSILON = "1e-5"
_SMALL = re.compile(r"^\s*\d*\.?\d*e-\d+\s*$")
_DIVISOR = "to the divisor"
_EXPONENTS = ("exp", "exp2", "exp10")


def with_epsilon(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """A small number under a root, or beside a divisor, that may be 0.

    It is the one of the document's reference where that has one.
    """
    where, module = diagnostic.range, situation.module
    statement = simple_at(module, where.line) if where else None
    if statement is None:
        return
    epsilon = _epsilon(situation)
    for node, what in _places(situation, statement, diagnostic):
        text = f"{term(module, node) if _splits(node) else text_of(module, node)} + {epsilon}"
        bracketed = f"({text})" if what == _DIVISOR else text
        yield from fix(f"Add {epsilon} {what}", replace_node(module, node, bracketed))


def _under(function: str | None) -> str:
    return "under the root" if function in {"rsqrt", "sqrt"} else f"to the argument of {function}"


def _splits(node: ast.expr) -> bool:
    """Whether `+` beside it would take a part of it."""
    return isinstance(node, (ast.IfExp, ast.Compare, ast.BoolOp, ast.Lambda))


def _places(
    situation: Situation, statement: ast.stmt, diagnostic: Diagnostic
) -> list[tuple[ast.expr, str]]:
    """What may be 0: the arguments of roots, else divisors that are no constants."""
    module = situation.module
    operation = str(diagnostic.evidence.get("operation", ""))
    roots = calls_in(module, statement, *_ROOTS)
    named = [c for c in roots if module.names.last(c.func) == operation]
    found: list[tuple[ast.expr, str]] = [
        (call.args[0], _under(module.names.last(call.func))) for call in named or roots if call.args
    ]
    if found and not ("quotient" in operation and not named):
        return found
    divisors = [
        n.right
        for n in ast.walk(statement)
        if isinstance(n, ast.BinOp)
        and isinstance(n.op, ast.Div)
        and not isinstance(n.right, ast.Constant)
    ]
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Div):
        divisors.append(statement.value)
    return [(node, _DIVISOR) for node in divisors] or found


def _epsilon(situation: Situation) -> str:
    """The document's own: `eps=1e-6` or a lone small constant of its reference."""
    module = situation.module
    names = {s.kernel.reference for s in situation.subjects}
    functions = [f for f in module.functions if f.name in names or "ref" in f.name]
    for function in functions:
        for node in ast.walk(function):
            if isinstance(node, ast.keyword) and node.arg in {"eps", "epsilon"}:
                return text_of(module, node.value)
        for node in ast.walk(function):
            if isinstance(node, ast.Constant) and isinstance(node.value, float):
                text = text_of(module, node)
                if _SMALL.match(text):
                    return text
    return _EPSILON


def without_maximum(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Take the row's maximum off before exponents: the quotient of softmax stays the same."""
    where, module = diagnostic.range, situation.module
    statement = simple_at(module, where.line) if where else None
    calls = calls_in(module, statement, *_EXPONENTS) if statement is not None else []
    if statement is None or len(calls) != 1 or not calls[0].args:
        return
    element = _element(calls[0].args[0])
    buffer = situation.buffer(_name(element), statement.lineno) if element is not None else None
    if element is None or buffer is None or buffer.scope is not Scope.FRAGMENT:
        return
    edits = _maximum(situation, statement, element, buffer)
    yield from fix(f"Subtract the maximum of each row of {buffer.name} first", *edits)


def widened(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Sum in float32 where a sum in 16 bits has overflowed: as the lint stage offers there."""
    for each in situation.linted:
        known = _line(each) is not None and _line(each) == _line(diagnostic)
        if known and each.code == "low-precision-accumulator":
            yield from each.fixes


def _line(diagnostic: Diagnostic) -> int | None:
    return diagnostic.range.line if diagnostic.range is not None else None


def _name(node: ast.Subscript) -> str:
    return node.value.id if isinstance(node.value, ast.Name) else ""


def _element(node: ast.expr) -> ast.Subscript | None:
    """The only element that an exponent is made of."""
    found = [n for n in ast.walk(node) if isinstance(n, ast.Subscript)]
    linear = isinstance(node, ast.Subscript) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    )
    return found[0] if len(found) == 1 and linear else None


def _maximum(
    situation: Situation, statement: ast.stmt, element: ast.Subscript, buffer: Buffer
) -> list[Edit | None]:
    module = situation.module
    allocation = situation.allocation(buffer)
    indices = element.slice.elts if isinstance(element.slice, ast.Tuple) else []
    shape = buffer.shape_node
    extents = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else []
    if allocation is None or len(indices) < 2 or len(extents) != len(indices):
        return [None]
    loops = [n for n in enclosing(module, statement) if isinstance(n, ast.For)]
    outer = loops[0] if loops else statement
    for loop in loops[1:]:
        if not _is_parallel(situation, loop):
            break
        outer = loop
    prefix, top = language(module, statement), free_name(module, f"{buffer.name}_max")
    kept = ", ".join(text_of(module, extent) for extent in extents[:-1])
    kept = f"({kept},)" if len(extents) == 2 else f"({kept})"
    dtype = text_of(module, buffer.dtype_node) if buffer.dtype_node is not None else '"float32"'
    rows = ", ".join(text_of(module, index) for index in indices[:-1])
    reduce = f"{prefix}.reduce_max({buffer.name}, {top}, dim={len(extents) - 1})"
    shifted = f"{text_of(module, element)} - {top}[{rows}]"
    alone = any(element is call.args[0] for call in calls_in(module, statement, *_EXPONENTS))
    return [
        lines_after(module, allocation, [f"{top} = {prefix}.alloc_fragment({kept}, {dtype})"]),
        lines_before(module, outer, [reduce]),
        replace_node(module, element, shifted if alone else f"({shifted})"),
    ]


def _is_parallel(situation: Situation, loop: ast.For) -> bool:
    call = loop.iter
    return isinstance(call, ast.Call) and situation.module.names.last(call.func) == "Parallel"
