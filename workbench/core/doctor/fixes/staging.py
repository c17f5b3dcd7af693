"""Fixes of fragments that more threads need than have them: kept or copied in shared memory."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Fix
from workbench.core.doctor.edits import replace_node
from workbench.core.doctor.facts import is_fragment
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.fragments import loop_kind
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import (
    free_name,
    language,
    lines_after,
    lines_before,
    statements_at,
    text_of,
)
from workbench.core.doctor.values import Buffer, Scope


def staged(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Keep a fragment in shared memory: all of it, or a copy for the loop that needs it."""
    where, module = diagnostic.range, situation.module
    line = where.line if where else None
    buffer = _fragment_at(situation, diagnostic)
    if line is None or buffer is None:
        return
    allocation = situation.allocation(buffer)
    if allocation is None or not isinstance(allocation.value, ast.Call):
        return
    if _is_free(situation, buffer):
        function = allocation.value.func
        if isinstance(function, ast.Attribute):
            text = f"{ast.unparse(function.value)}.alloc_shared"
            yield from fix(
                f"Keep {buffer.name} in shared memory", replace_node(module, function, text)
            )
    yield from _copied(situation, buffer, allocation, line)


def _fragment_at(situation: Situation, diagnostic: Diagnostic) -> Buffer | None:
    """The fragment that a finding is about: by name, by its allocation, or by an access."""
    line = diagnostic.range.line if diagnostic.range is not None else 0
    names = diagnostic.evidence.get("buffers") or [diagnostic.evidence.get("buffer")]
    for facts in situation.facts_at(line):
        fragments = [b for b in facts.buffers if b.scope is Scope.FRAGMENT]
        for buffer in fragments:
            if buffer.name in names or getattr(buffer.node, "lineno", 0) == line:
                return buffer
        seen = [
            a.region.buffer
            for a in facts.accesses
            if is_fragment(a.region) and a.node.lineno <= line <= (a.node.end_lineno or 0)
        ]
        read = [
            b
            for b in seen
            if f"{b.name}[" in diagnostic.message or f"{b.name} " in diagnostic.message
        ]
        if read or seen:
            return (read or seen)[0]
    return None


def _is_free(situation: Situation, buffer: Buffer) -> bool:
    """Whether no product and no reduction needs it in registers."""
    for facts in situation.facts:
        for operation in facts.operations_on(buffer):
            if operation.name not in {"copy", "clear", "fill"}:
                return False
    return True


def _copied(
    situation: Situation, buffer: Buffer, allocation: ast.Assign, line: int
) -> Iterator[Fix]:
    """A shared copy, read in the loops around a line in place of the fragment."""
    module = situation.module
    loops = [n for n in statements_at(module, line) if isinstance(n, ast.For)]
    loops = [n for n in loops if loop_kind(situation, n) is not None]
    written = {
        a.node.lineno
        for f in situation.facts
        for a in f.accesses
        if a.is_write and a.region.buffer.name == buffer.name
    }
    if not loops or not isinstance(allocation.value, ast.Call):
        return
    outer = loops[-1]
    reads = [n for n in ast.walk(outer) if isinstance(n, ast.Name) and n.id == buffer.name]
    if not reads or any(outer.lineno <= n <= (outer.end_lineno or 0) for n in written):
        return
    prefix, name = language(module, outer), free_name(module, f"{buffer.name}_shared")
    call = allocation.value
    arguments = ", ".join(text_of(module, a) for a in (*call.args, *call.keywords))
    yield from fix(
        f"Read {buffer.name} from a copy in shared memory",
        lines_after(module, allocation, [f"{name} = {prefix}.alloc_shared({arguments})"]),
        lines_before(module, outer, [f"{prefix}.copy({buffer.name}, {name})"]),
        *(replace_node(module, node, name) for node in reads),
    )
