"""Fixes of updates that threads or blocks lose: atomic additions in place of stores."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix
from workbench.core.doctor.edits import replace_node
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import (
    calls_in,
    enclosing,
    first_indices,
    language,
    loop_at,
    replaced,
    simple_at,
    text_of,
)
from workbench.core.doctor.values import Buffer

_KINDS = {"max": "atomic_max", "min": "atomic_min"}


def atomic_update(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """`a[i] = a[i] + v` and `a[i] += v` as `T.atomic_add(a[i], v)`; the same for max and min.

    A tensor that the call allocates starts unset: the update alone does not make it right.
    """
    where = diagnostic.range
    statement = simple_at(situation.module, where.line) if where else None
    found = _update(situation, statement) if statement is not None else None
    if statement is None or found is None:
        return
    name, place, value = found
    prefix = language(situation.module, statement)
    text = f"{prefix}.{name}({place}, {value})"
    edit = replace_node(situation.module, statement, text)
    unset = _unset(situation, place, statement.lineno)
    if unset is None:
        yield from _safe(fix(f"Use {prefix}.{name}", edit))
        return
    start = "has to be cleared" if name == "atomic_add" else "has to be filled"
    why = f"{unset} {start} first: the call allocates it unset"
    yield from fix(f"Use {prefix}.{name} ({why})", edit)


def _unset(situation: Situation, place: str, line: int) -> str | None:
    """The name of the updated tensor where the call allocates it."""
    root = _root(ast.parse(place, mode="eval").body)
    target = situation.buffer(root, line) if root is not None else None
    return root if target is not None and _is_allocated(situation, target) else None


def _safe(fixes: tuple[Fix, ...]) -> tuple[Fix, ...]:
    return tuple(Fix(each.title, each.edits, True) for each in fixes)


def _update(situation: Situation, node: ast.stmt) -> tuple[str, str, str] | None:
    """The atomic function of a statement, the place that it updates and by what."""
    module = situation.module
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        if isinstance(node.op, (ast.Add, ast.Sub)):
            value = text_of(module, node.value)
            value = f"-({value})" if isinstance(node.op, ast.Sub) else value
            return "atomic_add", text_of(module, node.target), value
        return None
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return None
    target, value_node = node.targets[0], node.value
    if not isinstance(target, ast.Subscript):
        return None
    place = text_of(module, target)
    if isinstance(value_node, ast.BinOp) and isinstance(value_node.op, ast.Add):
        sides = value_node.left, value_node.right
        return _other(situation, target, sides, "atomic_add", place)
    last = module.names.last(value_node.func) if isinstance(value_node, ast.Call) else None
    if isinstance(value_node, ast.Call) and last in _KINDS and len(value_node.args) == 2:
        sides = value_node.args[0], value_node.args[1]
        return _other(situation, target, sides, _KINDS[last], place)
    return None


def _other(
    situation: Situation,
    target: ast.Subscript,
    sides: tuple[ast.expr, ast.expr],
    name: str,
    place: str,
) -> tuple[str, str, str] | None:
    same = [ast.unparse(side) == ast.unparse(target) for side in sides]
    if sum(same) != 1:
        return None
    return name, place, text_of(situation.module, sides[same.index(False)])


def atomic_store(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Stores of several blocks to one place as additions, where the result starts from 0.

    A tensor that the call allocates (`out_idx`) starts from nothing: no fix.
    """
    where, module = diagnostic.range, situation.module
    statement = simple_at(module, where.line) if where else None
    target = situation.buffer(str(diagnostic.evidence.get("buffer")), where.line if where else None)
    if statement is None or target is None or _is_allocated(situation, target):
        return
    prefix = language(module, statement)
    title = f"Add with {prefix}.atomic_add ({target.name} has to start from 0)"
    yield from fix(title, *_tile(situation, statement, target, prefix))
    yield from fix(title, *_element(situation, statement, target, prefix))


def _is_allocated(situation: Situation, target: Buffer) -> bool:
    for facts in situation.facts:
        if target in facts.results:
            return True
        out = facts.build.out_idx if facts.build is not None else None
        numbers = out if isinstance(out, tuple) else (out,)
        count = len(facts.parameters)
        chosen = [facts.parameters[n] for n in numbers if type(n) is int and -count <= n < count]
        if any(isinstance(p, Buffer) and p.name == target.name for p in chosen):
            return True
    return False


def _tile(situation: Situation, statement: ast.stmt, target: Buffer, prefix: str) -> Iterator[Edit]:
    """`T.copy(tile, C[...])` as `T.atomic_add(C[...], tile)`."""
    module = situation.module
    for call in calls_in(module, statement, "copy"):
        if len(call.args) != 2 or _root(call.args[1]) != target.name:
            continue
        source = situation.buffer(_root(call.args[0]) or "", call.lineno)
        if source is None:
            return
        if source.dtype != target.dtype:
            yield from _cast(situation, statement, call, (source, target))
            return
        place, tile = text_of(module, call.args[1]), text_of(module, call.args[0])
        yield replace_node(module, call, f"{prefix}.atomic_add({place}, {tile})")


def _cast(
    situation: Situation, statement: ast.stmt, call: ast.Call, tiles: tuple[Buffer, Buffer]
) -> Iterator[Edit]:
    """A copy of a whole tile to one of another type, element by element."""
    module, (source, target) = situation.module, tiles
    place = call.args[1]
    first = first_indices(module, place)
    whole = isinstance(call.args[0], ast.Name) and len(first) == len(source.shape_texts)
    taken = {n.id for s in enclosing(module, call) for n in _targets(s)}
    names = [name for name in "ijkl" if name not in taken][: len(first)]
    if not whole or len(names) < len(first) or target.dtype is None:
        return
    prefix = language(module, statement)
    indices = ", ".join(f"{a} + {n}" if a else n for a, n in zip(first, names, strict=True))
    value = f'{prefix}.cast({source.name}[{", ".join(names)}], "{target.dtype}")'
    lines = [
        f"for {', '.join(names)} in {prefix}.Parallel({', '.join(source.shape_texts)}):",
        f"    {prefix}.atomic_add({target.name}[{indices}], {value})",
    ]
    edit = replaced(module, statement, lines)
    if edit is not None:
        yield edit


def _targets(statement: ast.stmt) -> list[ast.Name]:
    target = statement.target if isinstance(statement, ast.For) else None
    return [n for n in ast.walk(target) if isinstance(n, ast.Name)] if target is not None else []


def _element(
    situation: Situation, statement: ast.stmt, target: Buffer, prefix: str
) -> Iterator[Edit]:
    """`C[i, j] = v` as `T.atomic_add(C[i, j], v)`."""
    module = situation.module
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return
    place = statement.targets[0]
    if isinstance(place, ast.Subscript) and _root(place) == target.name:
        text = f"{prefix}.atomic_add({text_of(module, place)}, {text_of(module, statement.value)})"
        yield replace_node(module, statement, text)


def _root(node: ast.expr) -> str | None:
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


def serial_pipeline(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """`T.Pipelined(n, num_stages=2)` as `T.serial(n)`: each turn waits for the one before."""
    where, module = diagnostic.range, situation.module
    loop = loop_at(module, where.line) if where else None
    while loop is not None and not _pipelined(situation, loop):
        outer = [n for n in module.nodes.get(ast.For, []) if n is not loop and _holds(n, loop)]
        loop = max(outer, key=lambda n: n.lineno, default=None)
    if loop is None or not isinstance(loop.iter, ast.Call):
        return
    call = loop.iter
    if len(call.args) not in (1, 2, 3):
        return
    arguments = ", ".join(text_of(module, each) for each in call.args[:2])
    text = f"{language(module, loop)}.serial({arguments})"
    made = fix("Run the loop without a pipeline (T.serial)", replace_node(module, call, text))
    yield from _safe(made)


def _pipelined(situation: Situation, loop: ast.For) -> bool:
    call = loop.iter
    return isinstance(call, ast.Call) and situation.module.names.last(call.func) == "Pipelined"


def _holds(outer: ast.For, inner: ast.For) -> bool:
    return outer.lineno <= inner.lineno and (outer.end_lineno or 0) >= (inner.end_lineno or 0)
