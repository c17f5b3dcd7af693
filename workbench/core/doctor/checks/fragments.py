"""Checks of fragments: their elements are spread over the registers of the block's threads."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.doctor.facts import (
    REDUCTIONS,
    Access,
    KernelFacts,
    Loop,
    LoopKind,
    Operation,
    is_fragment,
)
from workbench.core.doctor.findings import Finding
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Form, buffer_of

_TIME = frozenset({LoopKind.SERIAL, LoopKind.UNROLLED, LoopKind.PIPELINED})


def two_index_maps(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Parallel loops, and stores of single elements, that need an element in two threads."""
    first: dict[tuple[Loop | int, Buffer], Access] = {}
    told: set[tuple[Loop | int, Buffer]] = set()
    stores = {
        access.statement
        for access in facts.accesses
        if access.is_write and is_fragment(access.region)
    }
    for access in facts.accesses:
        place = _distributed(access, stores)
        if place is None or not is_fragment(access.region) or not _is_certain(access):
            continue
        key = place, access.region.buffer
        known = first.setdefault(key, access)
        if known.region.indices != access.region.indices and key not in told:
            told.add(key)
            yield _two_maps(module, known, access)


def _distributed(access: Access, stores: set[int]) -> Loop | int | None:
    """What is spread over threads as one: the outermost parallel loop, else a fragment's store."""
    parallel = next((loop for loop in access.loops if loop.kind is LoopKind.PARALLEL), None)
    if parallel is not None:
        return parallel
    return access.statement if access.statement in stores and access.loops else None


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
    fixed = _fixed(facts)
    for access in facts.accesses:
        buffer = access.region.buffer
        # Without a parallel loop around it each thread looks for the elements that it holds.
        parallel = any(loop.kind is LoopKind.PARALLEL for loop in access.loops)
        if buffer not in fixed or buffer in told or not parallel:
            continue
        loop, place = _serial_index(access)
        if loop is not None:
            told.add(buffer)
            yield _serial_finding(access, loop, place)


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


def _fixed(facts: KernelFacts) -> set[Buffer]:
    """The fragments whose elements lie where a product puts them, or what is made of those.

    Any other fragment gets a layout that suits the loop: each thread may hold all of it.
    """
    found = {
        buffer
        for product in facts.products()
        for value in (*product.arguments, *product.keywords.values())
        if is_fragment(value) and (buffer := buffer_of(value)) is not None
    }
    links = [_linked(operation) for operation in facts.named("copy", *sorted(REDUCTIONS))]
    for _ in links:
        more = {b for link in links if found & link for b in link}
        if more <= found:
            break
        found |= more
    return found


def _linked(operation: Operation) -> set[Buffer]:
    """The fragments that a copy or a reduction ties to one another."""
    values = (operation.operand(0, "src"), operation.operand(1, "dst"))
    if operation.name != "copy":
        values = (operation.operand(0, "buffer"), operation.operand(1, "out"))
    return {b for value in values if is_fragment(value) and (b := buffer_of(value)) is not None}


def _serial_finding(access: Access, loop: Loop, place: int) -> Finding:
    name = access.region.buffer.name
    variable = loop.variables[0].partition("@")[0] if loop.variables else "the loop"
    message = (
        f"{name} is a fragment: its elements are spread over the threads of the block, and the "
        f"serial loop over {variable} lets one thread address them all. Use a tile operation over "
        f"dimension {place} such as T.reduce_sum, T.Parallel, or keep {name} in shared memory."
    )
    return Finding(access.node, message)
