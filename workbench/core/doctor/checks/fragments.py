"""Checks of fragments: their elements are spread over the registers of the block's threads."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.doctor.facts import (
    REDUCTIONS,
    Access,
    KernelFacts,
    Loop,
    LoopKind,
    is_fragment,
)
from workbench.core.doctor.findings import Finding
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Form, buffer_of

_TIME = frozenset({LoopKind.SERIAL, LoopKind.UNROLLED, LoopKind.PIPELINED})


def two_index_maps(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Parallel loops that need an element of a fragment in two threads."""
    first: dict[tuple[Loop, Buffer], Access] = {}
    told: set[tuple[Loop, Buffer]] = set()
    for access in facts.accesses:
        outer = next((x for x in access.loops if x.kind is LoopKind.PARALLEL), None)
        if outer is None or not is_fragment(access.region) or not _is_certain(access):
            continue
        key = outer, access.region.buffer
        known = first.setdefault(key, access)
        if known.region.indices != access.region.indices and key not in told:
            told.add(key)
            yield _two_maps(module, known, access)


def _is_certain(access: Access) -> bool:
    """Whether all its indices are made of loop variables and constants alone."""
    variables = {v for loop in access.loops for v in loop.variables}
    for index in access.region.indices:
        if isinstance(index, Form):
            atoms = {atom for atom, _ in index.terms}
            # `(1+1*i@2)%8` is an atom too: what is in it shows in the variables.
            if not index.variables or not (atoms <= variables or index.variables <= variables):
                return False
            if any("#" in atom or ("(" in atom and "[" in atom) for atom in atoms):
                return False
        elif type(index) is not int:
            return False
    return True


def _two_maps(module: Module, known: Access, access: Access) -> Finding:
    name = access.region.buffer.name
    one, other = (_written(module, a) for a in (known, access))
    message = (
        f"This loop uses {one} and {other}. A fragment's element lies in the registers of one "
        f"thread, and the two maps need it in two. Stage {name} in shared memory for one of them."
    )
    return Finding(access.node, message)


def _written(module: Module, access: Access) -> str:
    where = module.range_of(access.node)
    line = module.lines[where.line - 1]
    one_line = where.end_line == where.line and where.end_column is not None
    return line[where.column - 1 : (where.end_column or 1) - 1] if one_line else "another element"


def serial_access(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Loops of one thread over elements that lie in many."""
    told: set[Buffer] = set()
    for access in facts.accesses:
        buffer = access.region.buffer
        if not is_fragment(buffer) or buffer in told:
            continue
        loop, place = _serial_index(access)
        if loop is not None and _is_spread(facts, buffer, place):
            told.add(buffer)
            yield _serial_finding(facts, module, access, loop, place)


def _serial_index(access: Access) -> tuple[Loop | None, int]:
    spread = {v for x in access.loops if x.kind is LoopKind.PARALLEL for v in x.variables}
    for loop in access.loops:
        if loop.kind not in _TIME or loop.extents[:1] == (1,):
            continue
        for place, index in enumerate(access.region.indices):
            own = index.variables if isinstance(index, Form) else frozenset()
            # With a parallel variable beside it, each thread addresses its own elements.
            if own & set(loop.variables) and not own & spread:
                return loop, place
    return None, 0


def _is_spread(facts: KernelFacts, buffer: Buffer, place: int) -> bool:
    """Whether that dimension is spread over threads for sure."""
    if any(
        is_fragment(value) and buffer_of(value) is buffer
        for product in facts.products()
        for value in (*product.arguments, *product.keywords.values())
    ):
        return True
    # Others may get a layout that keeps the serial dimension in one thread, if they have two.
    if len(buffer.shape) != 1 or buffer.shape[0] == 1:
        return False
    return _is_moved(facts, buffer) or _is_parallel(facts, buffer, place)


def _is_moved(facts: KernelFacts, buffer: Buffer) -> bool:
    moving = {"copy", *REDUCTIONS}
    return any(operation.name in moving for operation in facts.operations_on(buffer))


def _is_parallel(facts: KernelFacts, buffer: Buffer, place: int) -> bool:
    for access in facts.accesses:
        if access.region.buffer is not buffer or place >= len(access.region.indices):
            continue
        index = access.region.indices[place]
        spread = {v for x in access.loops if x.kind is LoopKind.PARALLEL for v in x.variables}
        if isinstance(index, Form) and index.variables & spread:
            return True
    return False


def _serial_finding(
    facts: KernelFacts, module: Module, access: Access, loop: Loop, place: int
) -> Finding:
    name = access.region.buffer.name
    variable = loop.variables[0].partition("@")[0] if loop.variables else "the loop"
    message = (
        f"{name} is a fragment: its elements are spread over the threads of the block, and the "
        f"serial loop over {variable} lets one thread address them all. Use a tile operation over "
        f"dimension {place} such as T.reduce_sum, T.Parallel, or keep {name} in shared memory."
    )
    return Finding(access.node, message)
