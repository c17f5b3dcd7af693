"""Tiles that reach past the end of a row, whose zeros then count in a maximum or a softmax."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.doctor.facts import KernelFacts, Operation
from workbench.core.doctor.findings import Finding
from workbench.core.doctor.guidelines.values_of import (
    Origins,
    called_in,
    filled_past_the_end,
    origins_of,
)
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, buffer_of

_EXTREMES = frozenset({"reduce_max", "reduce_min"})
_EXPONENTIALS = frozenset({"exp", "exp2", "exp10", "__exp"})
# Whoever chooses between values, or says what lies outside, has thought of the end.
_HANDLED = frozenset({"if_then_else", "Select", "select", "where", "annotate_safe_value"})


def boundary_padding(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Reductions along rows whose last tile is filled up with zeros that are no neutral element."""
    ragged = {name: (row, width) for name, row, width in filled_past_the_end(facts)}
    if not ragged or facts.escaped or _is_handled(facts.function):
        return
    origins = origins_of(facts, module)
    told: set[str] = set()
    for operation in facts.named(*_EXTREMES, "reduce_sum"):
        source = buffer_of(operation.operand(0, "src"))
        if source is None or not _along_rows(operation, source):
            continue
        behind = list(origins.behind(source.name))
        tile = next((name for name in behind if name in ragged), None)
        if tile is None or tile in told or not _counts(operation, behind, origins):
            continue
        told.add(tile)
        row, width = ragged[tile]
        message = (
            f"Rows have {row} elements and tiles {width}: T.copy fills the last tile of {tile} up "
            f"with zeros, and they count in this {_what(operation)}. Set what lies past {row} to "
            f"the neutral element, with T.if_then_else or T.annotate_safe_value."
        )
        yield Finding(operation.node, message)


def _is_handled(function: ast.FunctionDef) -> bool:
    chosen = any(isinstance(node, (ast.If, ast.IfExp)) for node in ast.walk(function))
    return chosen or bool(called_in(function) & _HANDLED)


def _along_rows(operation: Operation, source: Buffer) -> bool:
    dim = operation.operand(2, "dim")
    rank = len(source.shape)
    return (dim if dim is not None else -1) in (-1, rank - 1) and rank > 0


def _counts(operation: Operation, behind: list[str], origins: Origins) -> bool:
    """Whether a 0 before changes the result: of a maximum, or of a sum of exponentials."""
    if operation.name in _EXTREMES:
        return True
    expressions = [e for name in behind for e in origins.expressions[name]]
    return any(called_in(expression) & _EXPONENTIALS for expression in expressions)


def _what(operation: Operation) -> str:
    return {"reduce_max": "maximum", "reduce_min": "minimum"}.get(
        operation.name, "sum, as exp(0 - maximum)"
    )
