"""Roots and quotients of sums that may be 0, with nothing that keeps them from it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from workbench.core.diagnostics import Fix
from workbench.core.doctor.edits import replace_node
from workbench.core.doctor.facts import REDUCTIONS, KernelFacts
from workbench.core.doctor.findings import Finding, fix
from workbench.core.doctor.guidelines.values_of import Origins, called_in, names_in, origins_of
from workbench.core.doctor.module import Module

_ROOTS = frozenset({"rsqrt"})
# A sum of exponentials whose largest is exp(0) is 1 at least, and choices are somebody's guard.
_GUARDS = frozenset(
    {"exp", "exp2", "exp10", "__exp", "sigmoid", "max", "maximum", "clamp", "if_then_else",
     "Select", "select", "where", "likely"}
)  # fmt: skip
_SMALL = "1e-6"
_EPSILON = re.compile(r"eps|tiny|delta|small", re.IGNORECASE)


def epsilon_advised(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Roots of and divisions by what a reduction gave, which a row of zeros makes 0."""
    if facts.escaped or not any(facts.named(*REDUCTIONS)):
        return
    origins = origins_of(facts, module)
    told: set[int] = set()
    for node, divisor in _divisors(facts.function):
        reduced = _unguarded(divisor, origins, facts)
        if reduced is None or divisor.lineno in told:
            continue
        told.add(divisor.lineno)
        what = "root" if isinstance(node, ast.Call) else "divisor"
        message = (
            f"The {what} is made of {reduced}, which is 0 for a row of zeros: the result is then "
            f"Inf or NaN. Add a small number, such as {_SMALL}."
        )
        yield Finding(node, message, _added(module, node, divisor))


def _divisors(function: ast.FunctionDef) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
            yield node, node.right
        elif isinstance(node, ast.Call) and node.args and called_in(node.func) == set():
            name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if name in _ROOTS:
                yield node, node.args[0]


def _unguarded(divisor: ast.expr, origins: Origins, facts: KernelFacts) -> str | None:
    """The reduced buffer that a divisor is made of, unless something keeps it from 0."""
    if _guards(divisor, origins):
        return None
    sources = [
        n for name in names_in(divisor) if origins.is_known(name) for n in origins.behind(name)
    ]
    reduced = None
    for name in dict.fromkeys(sources):
        expressions, operations = origins.expressions[name], origins.operations[name]
        if any(_guards(expression, origins) for expression in expressions):
            return None
        for operation, source in operations:
            if operation == "fill":
                return None  # begins with a number that may be the guard
            if operation in REDUCTIONS and source is not None:
                reduced = reduced or name
    return reduced


def _guards(expression: ast.expr, origins: Origins) -> bool:
    """Whether an expression cannot be 0, or somebody has seen to it."""
    if called_in(expression) & _GUARDS:
        return True
    for node in ast.walk(expression):
        if isinstance(node, ast.IfExp) or (isinstance(node, ast.Name) and _EPSILON.search(node.id)):
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            sides = (node.left, node.right)
            if any(_is_constant(side, origins) for side in sides):
                return True
    return False


def _is_constant(side: ast.expr, origins: Origins) -> bool:
    """Whether a summand is a number: a literal, or made of names that the kernel never writes."""
    if any(isinstance(node, ast.Subscript) for node in ast.walk(side)):
        return False
    return not any(origins.is_known(name) for name in names_in(side))


def _added(module: Module, node: ast.expr, divisor: ast.expr) -> tuple[Fix, ...]:
    text = ast.get_source_segment(module.text, divisor)
    if text is None or divisor.lineno != divisor.end_lineno:
        return ()
    inner = f"{text} + {_SMALL}" if isinstance(node, ast.Call) else f"({text} + {_SMALL})"
    return fix(f"Add {_SMALL}", replace_node(module, divisor, inner))
