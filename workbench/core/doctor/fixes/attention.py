"""Fixes of attention: running sums that follow the maximum, and scores that are scaled."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix
from workbench.core.doctor.edits import replace_node
from workbench.core.doctor.facts import KernelFacts, Operation
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import (
    enclosing,
    language,
    lines_after,
    lines_before,
    simple_at,
    text_of,
)
from workbench.core.doctor.values import Buffer, Scope, buffer_of

_EXPONENTIALS = ("exp", "exp2")
_INDICES = ("i", "j")


def rescaled(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Multiply a running sum by the factor that the kernel has of the old and the new maximum."""
    where = diagnostic.range
    statement = simple_at(situation.module, where.line) if where else None
    if statement is None:
        return
    for factor in _factors(situation, statement):
        edits = _of_product(situation, statement, factor) or _of_sum(situation, statement, factor)
        if edits:
            yield from fix(f"Multiply by {factor} first", *edits)
            return


def _factors(situation: Situation, statement: ast.stmt) -> list[str]:
    """Fragments that are set above a statement to exp(one vector - another), the nearest first."""
    found: list[tuple[int, str]] = []
    for node in situation.module.nodes.get(ast.Assign, []):
        target = node.targets[0]
        if node.lineno >= statement.lineno or not isinstance(target, ast.Subscript):
            continue
        value = node.value
        named = isinstance(value, ast.Call) and situation.module.names.last(value.func)
        parts = [n for n in ast.walk(value) if isinstance(n, ast.Subscript)]
        same = {ast.unparse(part.slice) for part in parts} == {ast.unparse(target.slice)}
        if named in _EXPONENTIALS and len(parts) == 2 and same and _is_vector(target):
            found.append((node.lineno, ast.unparse(target.value)))
    return [name for _, name in sorted(found, reverse=True)]


def _is_vector(node: ast.Subscript) -> bool:
    return isinstance(node.slice, ast.Name) and isinstance(node.value, ast.Name)


def _of_product(situation: Situation, statement: ast.stmt, factor: str) -> list[Edit | None]:
    """A loop before a product that shrinks its accumulator row by row."""
    found = _product_at(situation, statement)
    acc = buffer_of(found.operand(2, "C")) if found is not None else None
    if acc is None or acc.scope is not Scope.FRAGMENT or len(acc.shape_texts) != 2:
        return []
    prefix = language(situation.module, statement)
    i, j = _INDICES
    element = f"{acc.name}[{i}, {j}]"
    lines = [
        f"for {i}, {j} in {prefix}.Parallel({', '.join(acc.shape_texts)}):",
        f"    {element} = {element} * {factor}[{i}]",
    ]
    return [lines_before(situation.module, statement, lines)]


def _product_at(situation: Situation, statement: ast.stmt) -> Operation | None:
    for facts in situation.facts_at(statement.lineno):
        for operation in facts.products():
            if statement.lineno <= operation.node.lineno <= (statement.end_lineno or 0):
                return operation
    return None


def _of_sum(situation: Situation, statement: ast.stmt, factor: str) -> list[Edit | None]:
    """`total[i] = total[i] * factor[i] + term[i]`."""
    module = situation.module
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, ast.Add):
        target = statement.target
        if not isinstance(target, ast.Subscript) or not _is_vector(target):
            return []
        place, index = text_of(module, target), ast.unparse(target.slice)
        text = f"{place} = {place} * {factor}[{index}] + {text_of(module, statement.value)}"
        return [replace_node(module, statement, text)]
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.BinOp):
        return []
    placed = statement.targets[0]
    own = ast.unparse(placed)
    sides = [s for s in (statement.value.left, statement.value.right) if ast.unparse(s) == own]
    if not isinstance(placed, ast.Subscript) or len(sides) != 1 or not _is_vector(placed):
        return []
    index = ast.unparse(placed.slice)
    return [replace_node(module, sides[0], f"{own} * {factor}[{index}]")]


def scaled(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Multiply the scores of the first product by the root of the size that it sums over."""
    line = diagnostic.range.line if diagnostic.range is not None else None
    for facts in situation.facts_at(line):
        found = _scores(facts, line)
        if found is None:
            continue
        operation, scores, size = found
        statement = enclosing(situation.module, operation.node)[0]
        prefix = language(situation.module, statement)
        i, j = _INDICES
        element = f"{scores.name}[{i}, {j}]"
        lines = [
            f"for {i}, {j} in {prefix}.Parallel({', '.join(scores.shape_texts)}):",
            f"    {element} = {element} * {size}**-0.5",
        ]
        edit = lines_after(situation.module, statement, lines)
        yield from fix(f"Multiply {scores.name} by {size}**-0.5", edit)
        return


def _scores(facts: KernelFacts, line: int | None) -> tuple[Operation, Buffer, str] | None:
    """The product at a line, else the first; its result, and the text of what it sums over."""
    products = [*facts.products()]
    at = [p for p in products if p.node.lineno <= (line or 0) <= (p.node.end_lineno or 0)]
    for operation in at or products[:1]:
        left, scores = (buffer_of(operation.operand(n, name)) for n, name in ((0, "A"), (2, "C")))
        if left is None or scores is None or len(scores.shape_texts) != 2:
            continue
        transposed = operation.flag("transpose_A", 3)
        texts = left.shape_texts[::-1] if transposed else left.shape_texts
        if len(texts) == 2 and scores.scope is Scope.FRAGMENT:
            return operation, scores, texts[1]
    return None
