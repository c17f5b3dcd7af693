"""Layouts given by hand that put a matrix operand where its rows share banks.

TileLang swizzles the operands of T.gemm itself, so no layout has to be annotated for that; a tile
whose rows are no multiple of 32 bytes is left plain, and then its odd stride spreads over the banks
(seen in what 0.1.15 lowers for sm_80). What is left to tell is an annotation that undoes it.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import Any

from workbench.core.diagnostics import Fix
from workbench.core.doctor.checks.products import products_of
from workbench.core.doctor.edits import drop_line
from workbench.core.doctor.evaluating import Evaluator
from workbench.core.doctor.facts import KernelFacts, Operation
from workbench.core.doctor.findings import Finding, fix, named
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Layout, Scope, bits_of
from workbench.core.targets.model import Feature, Target

# ldmatrix reads 8 rows of 16 bytes in one phase, and 32 banks of 4 bytes are 8 times 16 bytes.
_ROW, _ROWS = 16, 8
_FEWEST_WAYS = 2
_COLUMNS = (0, 1, 7, 8, 16)  # with 8 rows they show whether a map is linear


def swizzle_prevented(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Operands of products with a linear layout whose rows begin in the same banks."""
    operands = {buffer for p in products_of(facts) for buffer in (p.a, p.b)}
    targets = tuple(t for t in facts.on_gpu() if _swizzles(t))
    for operation in facts.named("annotate_layout"):
        given = operation.operand(0, "layout_map")
        for buffer, layout in given.items() if isinstance(given, dict) else ():
            if not isinstance(buffer, Buffer) or not isinstance(layout, Layout) or not targets:
                continue
            ways = _ways(facts, buffer, layout)
            if buffer in operands and ways >= _FEWEST_WAYS:
                message = (
                    f"This layout puts the rows of {buffer.name} one after the other, so 8 rows "
                    f"that a matrix instruction reads at once begin in {_ROWS // ways} of 8 groups "
                    f"of banks: {ways}-way conflicts. T.gemm swizzles its operands itself where "
                    f"none is given: leave the annotation out."
                )
                concerned = named(targets, facts.targets)
                fixes = _without(module, operation, given)
                yield Finding(layout.node, message, fixes, concerned)


def _swizzles(target: Target) -> bool:
    return target.arch.has(Feature.LDMATRIX) or target.arch.has(Feature.WGMMA)


def _without(module: Module, operation: Operation, given: dict[Any, Any]) -> tuple[Fix, ...]:
    """The annotation left out, where it is of this buffer alone and a line of its own."""
    if len(given) != 1:
        return ()
    statements = module.nodes.get(ast.Expr, [])
    statement = next((s for s in statements if s.value is operation.node), None)
    return fix("Leave the layout to T.gemm", drop_line(module, statement) if statement else None)


def _ways(facts: KernelFacts, buffer: Buffer, layout: Layout) -> int:
    """How many of 8 rows of 16 bytes begin in one group of banks; 0 where it is not linear."""
    bits = bits_of(buffer.dtype)
    if buffer.scope is not Scope.SHARED or bits is None or len(layout.shape) != 2:
        return 0
    if not all(type(n) is int and n >= _ROWS for n in layout.shape):
        return 0
    stride = _stride(facts, layout)
    if stride is None or stride * bits % (8 * _ROW):
        return 0
    return math.gcd(stride * bits // (8 * _ROW), _ROWS)


def _stride(facts: KernelFacts, layout: Layout) -> int | None:
    """The elements between rows of a linear layout whose columns lie side by side."""
    evaluator = Evaluator(facts.names)
    width = int(layout.shape[1])
    columns = [j for j in _COLUMNS if j < width]
    places = {(i, j): _place(evaluator, layout, i, j, width) for i in range(_ROWS) for j in columns}
    start, below, beside = (places.get(at) for at in ((0, 0), (1, 0), (0, 1)))
    if start is None or below is None or beside is None:
        return None
    stride = below - start
    linear = all(place == start + i * stride + j for (i, j), place in places.items())
    return stride if linear else None


def _place(evaluator: Evaluator, layout: Layout, i: int, j: int, width: int) -> int | None:
    """Where an element lies, in elements; None where the map does not tell."""
    node = layout.function.node
    last = node.body if isinstance(node.body, ast.expr) else node.body[-1]
    result = last.value if isinstance(last, ast.Return) else last
    names = [argument.arg for argument in node.args.args]
    if not isinstance(result, ast.expr) or len(names) != 2:
        return None
    found = evaluator.value(result, {**layout.function.scope, names[0]: i, names[1]: j})
    parts = found if isinstance(found, tuple) else (found,)
    if not all(type(part) is int for part in parts) or len(parts) > 2:
        return None
    return int(parts[0]) if len(parts) == 1 else int(parts[0]) * width + int(parts[1])
