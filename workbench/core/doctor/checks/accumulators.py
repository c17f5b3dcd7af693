"""Checks of what sums are kept in: cleared before the first term, and wide enough."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Fix, Severity
from workbench.core.doctor.arithmetic import variables_of
from workbench.core.doctor.edits import insert_before, replace_node
from workbench.core.doctor.facts import (
    Access,
    KernelFacts,
    Loop,
    LoopKind,
    Operation,
    reads,
    writes,
)
from workbench.core.doctor.findings import Finding, fix
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Region, Scope, buffer_of

_NARROW = frozenset({"float16", "bfloat16"})
_SUMS = ("reduce_sum", "reduce_abssum")
_TIME = frozenset({LoopKind.SERIAL, LoopKind.UNROLLED, LoopKind.PIPELINED})


def uninitialized(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Products that add to an accumulator before anything has set it, or set it only once."""
    told: set[Buffer] = set()
    for operation in facts.products():
        acc = buffer_of(operation.operand(2, "C"))
        if acc is None or acc in told or acc not in facts.buffers or _clears(operation):
            continue
        if not _is_set_before(facts, acc, operation):
            told.add(acc)
            yield _never_set(facts, module, acc, operation)
        else:
            yield from _carried(facts, module, acc, operation)


def _clears(operation: Operation) -> bool:
    """Whether a product overwrites, for sure or perhaps."""
    return operation.flag("clear_accum", 6) is not False


def _is_set_before(facts: KernelFacts, acc: Buffer, product: Operation) -> bool:
    if acc in facts.escaped:
        return True
    for access in facts.accesses:
        sets = access.is_write and not access.accumulates and access.region.buffer is acc
        if sets and access.order < product.order:
            return True
    return any(
        _sets(operation, acc) for operation in facts.operations_on(acc)
        if operation.order < product.order
    )  # fmt: skip


def _sets(operation: Operation, acc: Buffer) -> bool:
    if operation.name in {"gemm", "wgmma_gemm", "tcgen05_gemm"}:
        return _clears(operation)
    return writes(operation, acc)


def _prefix(operation: Operation) -> str:
    function = operation.node.func
    return ast.unparse(function.value) if isinstance(function, ast.Attribute) else "T"


def _sum_loop(operation: Operation) -> Loop | None:
    """The innermost loop over time around a product: the one that it sums over."""
    loops = [loop for loop in operation.loops if loop.kind is not LoopKind.PARALLEL]
    return loops[-1] if loops else None


def _never_set(facts: KernelFacts, module: Module, acc: Buffer, operation: Operation) -> Finding:
    message = (
        f"T.gemm adds to {acc.name}, and nothing has set it before: it starts from whatever its "
        f"registers held. Clear it before the loop, or pass clear_accum=True to the first product."
    )
    loop = _sum_loop(operation)
    used_inside = loop is not None and _is_used_in(facts, acc, loop, operation)
    place: ast.AST = operation.node if loop is None or used_inside else loop.node
    return Finding(operation.node, message, _clearing(module, acc, operation, place))


def _is_used_in(facts: KernelFacts, acc: Buffer, loop: Loop, product: Operation) -> bool:
    """Whether what a product gives is used in its own loop: then each turn starts anew."""
    used = any(
        a.region.buffer is acc and loop in a.loops and not a.is_write for a in facts.accesses
    )
    return used or any(
        loop in other.loops and other is not product and reads(other, acc)
        for other in facts.operations_on(acc)
    )


def _clearing(module: Module, acc: Buffer, operation: Operation, place: ast.AST) -> tuple[Fix, ...]:
    where = module.range_of(place)
    if module.lines[where.line - 1][: where.column - 1].strip():
        return ()
    edit = insert_before(module, place, f"{_prefix(operation)}.clear({acc.name})")
    return fix(f"Clear {acc.name} first", edit)


def _carried(
    facts: KernelFacts, module: Module, acc: Buffer, product: Operation
) -> Iterator[Finding]:
    """A tile loop that stores its accumulator each time but clears it only before the first."""
    inner = _sum_loop(product)
    for outer in product.loops[:-1]:
        if inner is None or outer is inner or outer.kind is LoopKind.PARALLEL:
            continue
        if _stores_tile(facts, acc, outer, inner) and not _is_set_in(facts, acc, outer):
            message = (
                f"{acc.name} is cleared before the loop over tiles alone: every tile after the "
                f"first starts from the sum of the one before."
            )
            fixes = _clearing(module, acc, product, inner.node)
            yield Finding(product.node, message, fixes, severity=Severity.WARNING)
            return


def _stores_tile(facts: KernelFacts, acc: Buffer, outer: Loop, inner: Loop) -> bool:
    """Whether the loop copies the whole accumulator to another place each time."""
    for operation in facts.operations_on(acc):
        target = operation.operand(1, "dst")
        inside = outer in operation.loops and inner not in operation.loops
        if operation.name == "copy" and inside and isinstance(target, Region):
            moved = variables_of(target.indices) & set(outer.variables)
            if target.buffer.scope is Scope.GLOBAL and moved:
                return True
    return False


def _is_set_in(facts: KernelFacts, acc: Buffer, loop: Loop) -> bool:
    written = any(a.is_write and a.region.buffer is acc and loop in a.loops for a in facts.accesses)
    return written or any(
        loop in operation.loops and _sets(operation, acc) for operation in facts.operations_on(acc)
    )


def low_precision(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Sums that are kept in 16 bits."""
    told: set[Buffer] = set()
    for acc, what in _sums(facts):
        if acc.dtype not in _NARROW or acc in told or acc not in facts.buffers:
            continue
        told.add(acc)
        limit = " and overflows at 65504" if acc.dtype == "float16" else ""
        message = (
            f"{what} are summed in {acc.name}, which is {acc.dtype}: that loses digits{limit}. "
            f"Allocate {acc.name} as float32 and convert what is stored."
        )
        yield Finding(acc.node, message, _widened(facts, module, acc))


def _sums(facts: KernelFacts) -> Iterator[tuple[Buffer, str]]:
    for operation in facts.products():
        acc = buffer_of(operation.operand(2, "C"))
        if acc is not None:
            yield acc, "Products"
    for operation in facts.named(*_SUMS):
        acc = buffer_of(operation.operand(1, "out"))
        if acc is not None:
            yield acc, "The values of a row"
    for access in facts.accesses:
        if access.adds and _is_running(facts, access):
            yield access.region.buffer, "The terms of a loop"


def _is_running(facts: KernelFacts, access: Access) -> bool:
    """Whether each turn of a loop over time adds another term to one element."""
    moving = variables_of(access.region.indices)
    return any(
        loop.kind in _TIME
        and loop.extents[:1] != (1,)
        and not moving & set(loop.variables)
        and not _begins_anew(facts, access.region.buffer, loop)
        for loop in access.loops
        if loop.variables
    )


def _begins_anew(facts: KernelFacts, acc: Buffer, loop: Loop) -> bool:
    """Whether the turns of a loop set the accumulator themselves."""
    written = any(
        a.is_write and not a.accumulates and a.region.buffer is acc and loop in a.loops
        for a in facts.accesses
    )
    return written or any(
        loop in operation.loops and _sets(operation, acc) for operation in facts.operations_on(acc)
    )


def _widened(facts: KernelFacts, module: Module, acc: Buffer) -> tuple[Fix, ...]:
    operands = [
        buffer_of(p.operand(i, n)) for p in facts.products() for i, n in ((0, "A"), (1, "B"))
    ]
    if acc.dtype_node is None or acc in operands:
        return ()
    return fix(f"Make {acc.name} float32", replace_node(module, acc.dtype_node, '"float32"'))
