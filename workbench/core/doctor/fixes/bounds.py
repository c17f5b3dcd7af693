"""Fixes of accesses outside buffers and of results that no block writes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix
from workbench.core.doctor.edits import replace_node
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import (
    guarded,
    language,
    lines_after,
    simple_at,
    term,
    text_of,
)
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Scope, buffer_of


def guarded_write(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Write only where the index is inside the buffer."""
    where, module = diagnostic.range, situation.module
    statement = simple_at(module, where.line) if where else None
    if statement is None:
        return
    conditions: list[str] = []
    for place, below, above in _outside(situation, statement, diagnostic):
        text, size = _side(module, place[0]), place[1]
        conditions += [f"{text} >= 0"] if below else []
        conditions += [f"{text} < {size}"] if above else []
    if not conditions:
        return
    condition = " and ".join(dict.fromkeys(conditions))
    yield from fix(f"Write only if {condition}", *guarded(module, statement, condition))


def _side(module: Module, node: ast.expr) -> str:
    """An index as one side of a comparison."""
    return text_of(module, node) if isinstance(node, ast.BinOp) else term(module, node)


def clamped_read(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Read the nearest element that the buffer has."""
    where, module = diagnostic.range, situation.module
    statement = simple_at(module, where.line) if where else None
    if statement is None:
        return
    prefix = language(module, statement)
    edits = []
    for (node, size), _, _ in _outside(situation, statement, diagnostic, offsets=True):
        text = text_of(module, node)
        edits.append(replace_node(module, node, _clamped(prefix, node, text, size)))
    name = diagnostic.evidence.get("buffer")
    yield from fix(f"Keep the index of {name} within its shape", *edits)


def _clamped(prefix: str, node: ast.expr, text: str, size: str) -> str:
    """An index moved back is held at 0, one moved on at the last element, others at both."""
    last = str(int(size) - 1) if size.isdigit() else f"{size} - 1"
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant):
        if isinstance(node.op, ast.Sub):
            return f"{prefix}.max({text}, 0)"
        if isinstance(node.op, ast.Add):
            return f"{prefix}.min({text}, {last})"
    return f"{prefix}.max({prefix}.min({text}, {last}), 0)"


def _outside(
    situation: Situation, statement: ast.stmt, diagnostic: Diagnostic, offsets: bool = False
) -> Iterator[tuple[tuple[ast.expr, str], bool, bool]]:
    """The indices that leave the buffer, the size of their dimension, and on which sides.

    With `offsets` those that only name a loop variable or a sum of them are left as they are where
    others are moved by a constant: it is the move that leaves.
    """
    evidence = diagnostic.evidence
    buffer = situation.buffer(str(evidence.get("buffer")), statement.lineno)
    index = evidence.get("index")
    if buffer is None or not isinstance(index, (list, tuple)) or not buffer.shape:
        return
    parts = [
        (dimension, part)
        for node in _subscripts(statement, buffer.name)
        for dimension, part in enumerate(_indices(node))
    ]
    if offsets and any(_is_moved(part) for _, part in parts):
        parts = [(dimension, part) for dimension, part in parts if _is_moved(part)]
    for dimension, part in parts:
        if dimension >= len(index) or dimension >= len(buffer.shape_texts):
            continue
        size, at = buffer.shape[dimension], index[dimension]
        below = type(at) is int and at < 0
        above = type(at) is int and type(size) is int and at >= size
        if below or above or offsets:
            yield (part, buffer.shape_texts[dimension]), below, above


def _is_moved(node: ast.expr) -> bool:
    right = node.right if isinstance(node, ast.BinOp) else None
    adds = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))
    return adds and isinstance(right, ast.Constant)


def _subscripts(statement: ast.stmt, name: str) -> list[ast.Subscript]:
    return [
        n
        for n in ast.walk(statement)
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id == name
    ]


def _indices(node: ast.Subscript) -> list[ast.expr]:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [part for part in parts if not isinstance(part, ast.Slice)]


def rounded_up(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """`M // block` of a grid as `T.ceildiv(M, block)`: the last block is a part of a tile."""
    module = situation.module
    for facts in situation.facts:
        edits: list[Edit] = []
        for launch in facts.launches:
            prefix = language(module, launch.node)
            for node in launch.node.args:
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
                    sides = text_of(module, node.left), text_of(module, node.right)
                    text = f"{prefix}.ceildiv({sides[0]}, {sides[1]})"
                    edits.append(replace_node(module, node, text))
        if edits:
            for made in fix("Round the grid up with T.ceildiv", *edits):
                yield Fix(made.title, made.edits, True)
            return


def written_back(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Copy the accumulator of the last product to the result, at the place of its tile."""
    where, module = diagnostic.range, situation.module
    for facts in situation.facts:
        results = (*facts.tensors, *facts.results)
        target = next((t for t in results if _is_at(situation, t, where)), None)
        product = next(iter([*facts.products()][::-1]), None)
        tile = buffer_of(product.operand(2, "C")) if product is not None else None
        if target is None or product is None or tile is None or facts.is_written(target):
            continue
        last = product.loops[0].node if product.loops else simple_at(module, product.node.lineno)
        place = _place(facts, target, tile)
        if last is None or place is None or tile.scope is not Scope.FRAGMENT:
            continue
        text = f"{language(module, last)}.copy({tile.name}, {target.name}[{place}])"
        yield from fix(f"Copy {tile.name} to {target.name}", lines_after(module, last, [text]))
        return


def _is_at(situation: Situation, tensor: Buffer, where: object) -> bool:
    return situation.module.range_of(tensor.node) == where


def _place(facts: KernelFacts, target: Buffer, tile: Buffer) -> str | None:
    """The first element of a block's tile: each dimension by the block's number along it."""
    launch = facts.launches[0] if len(facts.launches) == 1 else None
    names = _block_names(facts, launch.node) if launch is not None else []
    if launch is None or len(tile.shape_texts) != len(target.shape_texts):
        return None
    found = []
    for whole, part in zip(target.shape_texts, tile.shape_texts, strict=True):
        number = next(
            (n for n, a in zip(names, launch.node.args, strict=False) if _counts(a, whole, part)),
            None,
        )
        if number is None and whole != part:
            return None
        found.append("0" if number is None else f"{number} * {part}")
    return ", ".join(found)


def _counts(node: ast.expr, whole: str, part: str) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
        return (ast.unparse(node.left), ast.unparse(node.right)) == (whole, part)
    arguments = [ast.unparse(a) for a in node.args] if isinstance(node, ast.Call) else []
    return arguments == [whole, part]


def _block_names(facts: KernelFacts, call: ast.Call) -> list[str]:
    for node in ast.walk(facts.function):
        for item in node.items if isinstance(node, ast.With) else []:
            if item.context_expr is call:
                variables = item.optional_vars
                nodes = variables.elts if isinstance(variables, ast.Tuple) else [variables]
                return [n.id if isinstance(n, ast.Name) else "" for n in nodes]
    return []
