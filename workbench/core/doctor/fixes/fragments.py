"""Fixes of fragments whose elements are wanted in other threads than have them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix
from workbench.core.doctor.edits import drop_line, replace_node
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import (
    enclosing,
    language,
    replaced,
    simple_at,
    text_of,
)
from workbench.core.doctor.values import Scope

_SERIAL = ("serial", "Serial", "range", "unroll", "Unroll")


def reduced(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """A nest of loops that sums or takes maxima of a fragment, as one tile operation."""
    where, module = diagnostic.range, situation.module
    statement = simple_at(module, where.line) if where else None
    nest = _nest(situation, statement) if statement is not None else []
    found = _combined(situation, statement) if statement is not None else None
    if statement is None or found is None or not nest:
        return
    name, target, source = found
    dim = _dimension(nest, target, source)
    if dim is None or not _covers(situation, nest, source):
        return
    outer, prefix = nest[-1], language(module, statement)
    start = _clearing(situation, outer, _root(target), name)
    keep = "" if start is not None else ", clear=False"
    call = f"{prefix}.{name}({_root(source)}, {_root(target)}, dim={dim}{keep})"
    edits: list[Edit | None] = [replaced(module, outer, [call])]
    if start is not None and drop_line(module, start) is not None:
        edits.append(drop_line(module, start))
    for made in fix(f"Reduce with {prefix}.{name} over dimension {dim}", *edits):
        yield Fix(made.title, made.edits, True)


def _nest(situation: Situation, statement: ast.stmt) -> list[ast.For]:
    """The loops around a statement, the innermost first, that hold nothing but it."""
    nest: list[ast.For] = []
    inner: ast.stmt = statement
    for around in enclosing(situation.module, statement)[1:]:
        if not isinstance(around, ast.For) or around.body != [inner] or around.orelse:
            break
        if not isinstance(around.iter, ast.Call) or loop_kind(situation, around) is None:
            break
        nest.append(around)
        inner = around
    return nest


def loop_kind(situation: Situation, loop: ast.For) -> str | None:
    """The name of a loop's kind, None of one that is neither serial nor parallel."""
    call = loop.iter
    if not isinstance(call, ast.Call):
        return None
    plain = call.func.id if isinstance(call.func, ast.Name) else None
    name = situation.module.names.last(call.func) or plain
    return name if name in (*_SERIAL, "Parallel") else None


def _combined(
    situation: Situation, node: ast.stmt
) -> tuple[str, ast.Subscript, ast.Subscript] | None:
    """The reduction that a statement is a step of, its result and what is reduced."""
    if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add):
        pair = node.target, node.value
        return ("reduce_sum", *pair) if _are_elements(pair) else None  # type: ignore[return-value]
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    target, value = node.targets[0], node.value
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add):
        return _step(target, (value.left, value.right), "reduce_sum")
    if isinstance(value, ast.Call) and len(value.args) == 2:
        name = {"max": "reduce_max", "min": "reduce_min"}.get(
            situation.module.names.last(value.func) or ""
        )
        return _step(target, (value.args[0], value.args[1]), name) if name else None
    return None


def _step(
    target: ast.expr, sides: tuple[ast.expr, ast.expr], name: str
) -> tuple[str, ast.Subscript, ast.Subscript] | None:
    own = [ast.unparse(side) == ast.unparse(target) for side in sides]
    if sum(own) != 1:
        return None
    pair = target, sides[own.index(False)]
    return (name, *pair) if _are_elements(pair) else None  # type: ignore[return-value]


def _are_elements(pair: tuple[ast.expr, ast.expr]) -> bool:
    return all(isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) for n in pair)


def _root(node: ast.Subscript) -> str:
    assert isinstance(node.value, ast.Name)
    return node.value.id


def _names(node: ast.Subscript) -> list[str | None]:
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return [part.id if isinstance(part, ast.Name) else None for part in parts]


def _dimension(nest: list[ast.For], target: ast.Subscript, source: ast.Subscript) -> int | None:
    """The one dimension of the source that the result has not; None where it is otherwise."""
    kept, whole = _names(target), _names(source)
    if None in whole or len(set(whole)) != len(whole):
        return None
    for dim, name in enumerate(whole):
        rest = whole[:dim] + whole[dim + 1 :]
        if name not in kept and rest == kept and _is_serial(nest, name):
            return dim
    return 0 if len(whole) == 1 and ast.unparse(target.slice) == "0" else None


def _is_serial(nest: list[ast.For], name: str | None) -> bool:
    return any(isinstance(loop.target, ast.Name) and loop.target.id == name for loop in nest)


def _covers(situation: Situation, nest: list[ast.For], source: ast.Subscript) -> bool:
    """Whether the loops run over the whole source."""
    buffer = situation.buffer(_root(source), source.lineno)
    if buffer is None or buffer.scope is not Scope.FRAGMENT:
        return False
    extents: dict[str, str] = {}
    for loop in nest:
        targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
        assert isinstance(loop.iter, ast.Call)
        for variable, extent in zip(targets, loop.iter.args, strict=False):
            extents[ast.unparse(variable)] = ast.unparse(extent)
    return all(
        extents.get(name or "") in (text, str(size))
        for name, text, size in zip(_names(source), buffer.shape_texts, buffer.shape, strict=False)
    )


def _clearing(situation: Situation, loop: ast.stmt, name: str, reduction: str) -> ast.stmt | None:
    """The statement just before a loop that clears the result, which a reduction does itself."""
    module = situation.module
    for around in enclosing(module, loop)[1:]:
        for field in ("body", "orelse"):
            body = getattr(around, field, [])
            place = body.index(loop) if loop in body else 0
            before = body[place - 1] if place else None
            call = getattr(before, "value", None)
            if isinstance(before, ast.stmt) and isinstance(call, ast.Call) and call.args:
                sets = module.names.last(call.func) == "clear" and reduction == "reduce_sum"
                if sets and ast.unparse(call.args[0]) == name:
                    return before
    return None


def parallel(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The serial loops around an element-wise statement as `T.Parallel`."""
    where, module = diagnostic.range, situation.module
    statement = simple_at(module, where.line) if where else None
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    target = statement.targets[0]
    variables = set(filter(None, _names(target))) if isinstance(target, ast.Subscript) else set()
    edits: list[Edit] = []
    for loop in _nest(situation, statement):
        call = loop.iter
        assert isinstance(call, ast.Call)
        names = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
        if loop_kind(situation, loop) == "Parallel":
            continue
        if not names <= variables or len(call.args) != 1 or _is_carried(statement, names):
            return
        text = f"{language(module, statement)}.Parallel({text_of(module, call.args[0])})"
        edits.append(replace_node(module, call, text))
    if edits and _nest(situation, statement):
        yield Fix("Run the loop in parallel (T.Parallel)", tuple(edits))


def _is_carried(statement: ast.Assign, variables: set[str]) -> bool:
    """Whether a turn reads what another turn of these loops writes."""
    target = statement.targets[0]
    own = ast.unparse(target)
    root = ast.unparse(target.value) if isinstance(target, ast.Subscript) else own
    return any(
        isinstance(n, ast.Subscript) and ast.unparse(n.value) == root and ast.unparse(n) != own
        for n in ast.walk(statement.value)
    )
