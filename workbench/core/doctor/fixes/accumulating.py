"""Fixes of values that nothing has set: cleared, or filled with what a reduction begins from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Fix
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import (
    calls_in,
    enclosing,
    language,
    lines_before,
    simple_at,
)
from workbench.core.doctor.values import Buffer, Scope

_MOST, _LEAST = ("reduce_max", "reduce_absmax", "max"), ("reduce_min", "min")


def initialised(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Set a buffer before the outermost loop that reads it: to 0, or what a maximum begins from."""
    where, module = diagnostic.range, situation.module
    name = str(diagnostic.evidence.get("buffer"))
    statement = simple_at(module, where.line) if where else None
    buffer = situation.buffer(name, where.line if where else None)
    if statement is None or buffer is None or buffer.scope is Scope.GLOBAL:
        return
    prefix = language(module, statement)
    value = _start(situation, statement, buffer, prefix)
    place = _first(situation, statement, buffer)
    text = f"{prefix}.clear({name})" if value is None else f"{prefix}.fill({name}, {value})"
    what = "Clear" if value is None else "Fill"
    ending = " first" if value is None else f" with {value} first"
    for made in fix(f"{what} {name}{ending}", lines_before(module, place, [text])):
        yield Fix(made.title, made.edits, True)


def _start(situation: Situation, statement: ast.stmt, buffer: Buffer, prefix: str) -> str | None:
    """What the buffer has to begin from; None: 0."""
    dtype = buffer.dtype or "float32"
    if calls_in(situation.module, statement, *_MOST):
        return (
            f'-{prefix}.infinity("{dtype}")'
            if "float" in dtype
            else f'{prefix}.min_value("{dtype}")'
        )
    if calls_in(situation.module, statement, *_LEAST):
        return (
            f'{prefix}.infinity("{dtype}")'
            if "float" in dtype
            else f'{prefix}.max_value("{dtype}")'
        )
    return None


def _first(situation: Situation, statement: ast.stmt, buffer: Buffer) -> ast.stmt:
    """The outermost loop around a statement in which the buffer is not set anew."""
    place = statement
    allocation = situation.allocation(buffer)
    line = allocation.lineno if allocation is not None else 0
    for around in enclosing(situation.module, statement)[1:]:
        if not isinstance(around, (ast.For, ast.While)) or around.lineno <= line:
            break
        place = around
    return place
