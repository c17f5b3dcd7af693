"""Checks of buffers: used at all, with the right number of dimensions, and results written."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Fix, Severity
from workbench.core.doctor.edits import drop_line, replace_node
from workbench.core.doctor.facts import REDUCTIONS, KernelFacts, Operation
from workbench.core.doctor.findings import Finding, fix
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Scope

_TILES = frozenset({Scope.SHARED, Scope.FRAGMENT, Scope.LOCAL})


def unused(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Buffers that are declared and then never named again."""
    for buffer in facts.buffers:
        if buffer.name not in facts.used_names and _is_own(facts, buffer):
            message = (
                f"{buffer.name} is allocated and never read or written: TileLang drops it, so it "
                f"only misleads. Delete it, or use it."
            )
            statement = next(
                (n for n in ast.walk(facts.function)
                 if isinstance(n, ast.Assign) and n.value is buffer.node),
                None,
            )  # fmt: skip
            line = drop_line(module, statement) if statement is not None else None
            yield Finding(buffer.node, message, fix(f"Delete {buffer.name}", line))
        elif _is_only_written(facts, buffer):
            message = (
                f"{buffer.name} is written and never read: what is put there is lost. Read it, or "
                f"delete it with the statements that write it."
            )
            yield Finding(buffer.node, message)
    for tensor in facts.tensors:
        if tensor.name not in facts.used_names:
            # An input may stand there for the sake of a common signature, a result may not.
            result = tensor in declared_outputs(facts) or tensor is facts.tensors[-1]
            severity = None if result else Severity.INFO
            message = f"The parameter {tensor.name} is never used."
            yield Finding(tensor.node, message, severity=severity)


def _is_only_written(facts: KernelFacts, buffer: Buffer) -> bool:
    """Whether a kernel that has a result writes a tile of its own for nothing."""
    results = (*facts.tensors, *facts.results)
    stores = any(facts.is_written(tensor) for tensor in results)
    if not stores or buffer.scope not in _TILES or not _is_own(facts, buffer):
        return False
    return facts.is_written(buffer) and not facts.is_read(buffer)


def _is_own(facts: KernelFacts, buffer: Buffer) -> bool:
    """Whether the kernel's own function allocates it, not a macro from elsewhere."""
    line = getattr(buffer.node, "lineno", 0)
    return facts.function.lineno <= line <= (facts.function.end_lineno or 0)


def rank_mismatch(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Buffers used with another number of dimensions than they have."""
    told: set[Buffer] = set()
    for operation in facts.named(*sorted(REDUCTIONS)):
        for finding, buffer in _reduction(facts, module, operation):
            if buffer not in told:
                told.add(buffer)
                yield finding
    for access in facts.accesses:
        region = access.region
        given, has = len(region.indices), len(region.buffer.shape)
        if not has or given == has or region.buffer in told or None in region.indices:
            continue
        told.add(region.buffer)
        message = (
            f"{region.buffer.name} has {_dimensions(has)} "
            f"({', '.join(region.buffer.shape_texts)}) and is given {given} "
            f"{'index' if given == 1 else 'indices'}."
        )
        yield Finding(access.node, message)


def _dimensions(count: int) -> str:
    return "one dimension" if count == 1 else f"{count} dimensions"


def _reduction(
    facts: KernelFacts, module: Module, operation: Operation
) -> Iterator[tuple[Finding, Buffer]]:
    values = operation.operand(0, "buffer"), operation.operand(1, "out")
    source, result = values
    if not isinstance(source, Buffer) or not isinstance(result, Buffer):
        return
    if not source.shape or not result.shape:
        return
    rank, given = len(source.shape), len(result.shape)
    dim = operation.operand(2, "dim")
    dim = -1 if dim is None else dim
    # A reduction of one dimension leaves (1,): there is no buffer without dimensions.
    expected = max(rank - 1, 1)
    if given != expected:
        kept = _without(source, dim, rank)
        message = (
            f"{operation.name} of {source.name} ({', '.join(source.shape_texts)}) leaves "
            f"{_dimensions(expected)}, but {result.name} ({', '.join(result.shape_texts)}) has "
            f"{given}. Allocate it as {kept}."
        )
        fixes = _reshaped(facts, module, result, kept)
        yield Finding(result.node, message, fixes), result
    elif _differ(source, result, dim, rank):
        message = (
            f"{operation.name} of {source.name} ({', '.join(map(str, source.shape))}) over "
            f"dimension {dim} leaves {_without(source, dim, rank)}, but {result.name} is "
            f"({', '.join(map(str, result.shape))})."
        )
        yield Finding(operation.node, message), result


def _kept(buffer: Buffer, dim: object, rank: int) -> list[int] | None:
    if type(dim) is not int or not -rank <= dim < rank:
        return None
    return [place for place in range(rank) if place != dim % rank]


def _without(source: Buffer, dim: object, rank: int) -> str:
    places = _kept(source, dim, rank)
    if places is None or len(source.shape_texts) != rank:
        return "a buffer without the dimension that is reduced"
    texts = [source.shape_texts[place] for place in places] or ["1"]
    return f"({', '.join(texts)}{',' if len(texts) == 1 else ''})"


def _differ(source: Buffer, result: Buffer, dim: object, rank: int) -> bool:
    places = _kept(source, dim, rank)
    if rank < 2 or places is None or source.sizes is None or result.sizes is None:
        return False
    return tuple(source.sizes[place] for place in places) != result.sizes


def _reshaped(facts: KernelFacts, module: Module, result: Buffer, shape: str) -> tuple[Fix, ...]:
    """Another shape, where no index and no copy depends on the present one."""
    indexed = any(a.region.buffer is result for a in facts.accesses)
    copied = any(
        operation.name not in {*REDUCTIONS, "clear", "fill"}
        for operation in facts.operations_on(result)
    )
    if indexed or copied or result.shape_node is None or not shape.startswith("("):
        return ()
    return fix(f"Allocate {shape}", replace_node(module, result.shape_node, shape))


def not_covered(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Results that no statement writes."""
    if not facts.launches or not facts.complete:
        return
    for tensor in facts.results:
        if not facts.is_written(tensor):
            yield _unwritten(tensor)
    outputs = declared_outputs(facts)
    written = [t for t in facts.tensors if facts.is_written(t)]
    if outputs:
        wrong = [t for t in outputs if not facts.is_written(t)]
        others = [t for t in written if t not in outputs]
        if not others and not any(facts.is_read(t) for t in wrong):
            yield from map(_unwritten, wrong)
    elif not written and not facts.results and facts.tensors:
        yield _unwritten(facts.tensors[-1])


def _unwritten(tensor: Buffer) -> Finding:
    message = (
        f"{tensor.name} is the kernel's result, but no statement writes it: copy the tile back, as "
        f"in T.copy(tile, {tensor.name}[...])."
    )
    return Finding(tensor.node, message)


def declared_outputs(facts: KernelFacts) -> list[Buffer]:
    """The tensors that `out_idx` names; none where it names none or is at fault."""
    out = facts.build.out_idx if facts.build is not None else None
    numbers = out if isinstance(out, tuple) else (out,)
    count = len(facts.parameters)
    if not all(type(n) is int and -count <= n < count for n in numbers):
        return []
    found = [facts.parameters[n] for n in numbers]
    return [p for p in found if isinstance(p, Buffer)]
