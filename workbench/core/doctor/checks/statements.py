"""What the statements of a kernel write element by element, and what their right sides read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from workbench.core.doctor.facts import Access, KernelFacts
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer


@dataclass(frozen=True, eq=False)
class Write:
    """One element that a statement writes, with what its right side is and reads."""

    access: Access
    value: ast.expr
    operator: ast.operator | None
    reads: frozenset[Buffer]

    @property
    def buffer(self) -> Buffer:
        """The buffer that is written."""
        return self.access.region.buffer


@lru_cache(maxsize=8)  # several checks ask, for each loop
def reads_by_node(facts: KernelFacts) -> Mapping[int, set[Buffer]]:
    """The buffers that each place of the syntax tree reads."""
    found: dict[int, set[Buffer]] = {}
    for access in facts.accesses:
        if not access.is_write or access.accumulates:
            found.setdefault(id(access.node), set()).add(access.region.buffer)
    return found


@lru_cache(maxsize=8)
def writes_of(facts: KernelFacts, module: Module) -> tuple[Write, ...]:
    """The elements that statements write, with their right sides."""
    return tuple(_writes(facts, module, reads_by_node(facts)))


def _writes(
    facts: KernelFacts, module: Module, reads: Mapping[int, set[Buffer]]
) -> Iterator[Write]:
    statements: dict[int, tuple[ast.expr, ast.operator | None]] = {}
    for assign in module.nodes.get(ast.Assign, []):
        statements.update({id(target): (assign.value, None) for target in assign.targets})
    for augmented in module.nodes.get(ast.AugAssign, []):
        statements[id(augmented.target)] = (augmented.value, augmented.op)
    for access in facts.accesses:
        known = statements.get(id(access.node)) if access.is_write else None
        if known is not None:
            value, operator = known
            read = {b for each in ast.walk(value) for b in reads.get(id(each), ())}
            yield Write(access, value, operator, frozenset(read))
