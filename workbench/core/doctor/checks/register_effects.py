"""What statements of a kernel do to registers: fragments, local buffers and variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.doctor.facts import KernelFacts, Operation, reads, writes
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Scope, buffer_of

Thing = Buffer | str
"""A buffer of registers, or the name of a `T.alloc_var`."""
_REGISTERS = frozenset({Scope.FRAGMENT, Scope.LOCAL})


@dataclass(frozen=True)
class Effect:
    """What a statement, or the body of a loop, sets, reads, and makes of what was there."""

    written: frozenset[Thing]
    read: frozenset[Thing]
    accumulated: frozenset[Thing]


class Effects:
    """The effects of the statements of one kernel, by what its facts say of their lines."""

    def __init__(self, facts: KernelFacts, module: Module) -> None:
        self._found = [*_of_operations(facts), *_of_accesses(facts)]
        self._variables = _variables(facts, module)
        self._known: dict[int, Effect] = {}

    def of(self, statement: ast.stmt) -> Effect:
        """The effects of a statement with everything in it."""
        known = self._known.get(id(statement))
        if known is None:
            known = self._known[id(statement)] = self._made(statement)
        return known

    def name(self, thing: Thing) -> str:
        """What a thing is called in the source."""
        return thing if isinstance(thing, str) else thing.name

    def _made(self, statement: ast.stmt) -> Effect:
        first, last = statement.lineno, statement.end_lineno or statement.lineno
        written, read, accumulated = (
            {b for kind, b, line in self._found if kind == sort and first <= line <= last}
            for sort in ("written", "read", "accumulated")
        )
        names = _Names(statement, self._variables)
        return Effect(
            frozenset(written | names.written),
            frozenset(read | names.read),
            frozenset(accumulated | names.accumulated),
        )


def _of_operations(facts: KernelFacts) -> Iterator[tuple[str, Thing, int]]:
    for operation in facts.operations:
        line = operation.node.lineno
        values = (*operation.arguments, *operation.keywords.values())
        for buffer in {b for v in values if (b := buffer_of(v)) and b.scope in _REGISTERS}:
            adds = _adds(operation, buffer)
            if writes(operation, buffer):
                yield "written", buffer, line
            if adds or reads(operation, buffer):
                yield "read", buffer, line
            if adds:
                yield "accumulated", buffer, line


def _adds(operation: Operation, buffer: Buffer) -> bool:
    """Whether a product or a reduction goes on from what its result held."""
    if "gemm" in operation.name:
        clear = operation.keywords.get("clear_accum", False)
        return buffer_of(operation.operand(2, "C")) is buffer and clear is False
    kept = operation.keywords.get("clear", True) is False
    return kept and buffer_of(operation.operand(1, "out")) is buffer


def _of_accesses(facts: KernelFacts) -> Iterator[tuple[str, Thing, int]]:
    for access in facts.accesses:
        buffer, line = access.region.buffer, access.node.lineno
        if buffer.scope in _REGISTERS:
            yield "written" if access.is_write else "read", buffer, line
            if access.is_write and access.accumulates:
                yield "accumulated", buffer, line


def _variables(facts: KernelFacts, module: Module) -> frozenset[str]:
    return frozenset(
        target.id
        for node in ast.walk(facts.function)
        if isinstance(node, ast.Assign) and _allocates(node.value, module)
        for target in node.targets
        if isinstance(target, ast.Name)
    )


def _allocates(value: ast.expr, module: Module) -> bool:
    return isinstance(value, ast.Call) and module.names.last(value.func) == "alloc_var"


class _Names(ast.NodeVisitor):
    """The variables that a statement sets and reads."""

    def __init__(self, statement: ast.stmt, variables: frozenset[str]) -> None:
        self.written: set[Thing] = set()
        self.read: set[Thing] = set()
        self.accumulated: set[Thing] = set()
        self._variables = variables
        self.visit(statement)

    def visit_Assign(self, node: ast.Assign) -> None:
        names = {t.id for t in node.targets if isinstance(t, ast.Name)} & self._variables
        if names and not _is_bare(node.value):
            self.written |= names
            read = {n.id for n in ast.walk(node.value) if isinstance(n, ast.Name)}
            self.accumulated |= names & read
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        name = node.target.id if isinstance(node.target, ast.Name) else None
        if name in self._variables:
            assert name is not None
            self.written.add(name)
            self.read.add(name)
            self.accumulated.add(name)
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        if node.id in self._variables and isinstance(node.ctx, ast.Load):
            self.read.add(node.id)


def _is_bare(value: ast.expr) -> bool:
    """Whether it is a `T.alloc_var` that is given no value."""
    if not isinstance(value, ast.Call):
        return False
    last = ast.unparse(value.func).rsplit(".", 1)[-1]
    given = [
        a for a in value.args[1:] if not (isinstance(a, ast.Constant) and isinstance(a.value, str))
    ]
    return last == "alloc_var" and not given and all(k.arg != "init" for k in value.keywords)
