"""Checks of loops over time: software pipelines, and two of them that share a tile."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Fix, Severity
from workbench.core.doctor.edits import replace_node, set_keyword
from workbench.core.doctor.facts import Access, KernelFacts, Loop, LoopKind, Operation
from workbench.core.doctor.findings import Finding, fix, listed, named
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Region, Scope, buffer_of

_COPIES = ("copy", "async_copy")
_SERIAL = frozenset({"serial", "Serial"})


def missing_pipelining(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Loops that copy tiles for a product and wait for each copy."""
    targets = facts.on_gpu()
    for loop in facts.loops:
        if not targets or _turns(loop) == 1 or not isinstance(loop.node, ast.For):
            continue
        serial = loop.kind is LoopKind.SERIAL and _is_serial(loop.node.iter, module)
        if not serial and not (loop.kind is LoopKind.PIPELINED and _has_one_stage(loop)):
            continue
        tiles = _fed_tiles(facts, loop)
        if not tiles:
            continue
        names = listed(tile.name for tile in tiles)
        message = (
            f"Every turn of this loop waits for the copies into {names} before its product. "
            f"T.Pipelined with num_stages of 2 to 4 loads the next tiles meanwhile, if shared "
            f"memory holds that many."
        )
        severity = None if serial else Severity.INFO
        fixes = _pipelined(module, loop)
        concerned = named(targets, facts.targets)
        yield Finding(loop.node, message, fixes, concerned, severity)


def _is_serial(header: ast.expr, module: Module) -> bool:
    """Whether a loop goes one turn after another, and is not one of a name that nobody knows."""
    if not isinstance(header, ast.Call):
        return True
    is_range = isinstance(header.func, ast.Name) and header.func.id == "range"
    return is_range or module.names.last(header.func) in _SERIAL


def _has_one_stage(loop: Loop) -> bool:
    call = loop.node.iter if isinstance(loop.node, ast.For) else None
    given = {k.arg for k in call.keywords} if isinstance(call, ast.Call) else set()
    # A schedule by hand says itself how deep it is.
    return loop.num_stages in {0, 1} and not given & {"order", "stage"}


def _turns(loop: Loop) -> object:
    return loop.extents[0] if len(loop.extents) == 1 else None


def _innermost(operation: Operation) -> Loop | None:
    return operation.loops[-1] if operation.loops else None


def _over_time(access: Access) -> Loop | None:
    """The innermost loop around an access that is not spread over threads."""
    loops = [loop for loop in access.loops if loop.kind is not LoopKind.PARALLEL]
    return loops[-1] if loops else None


def _reads_global(facts: KernelFacts, store: Access) -> bool:
    """Whether the loops of a store read global memory too."""
    return any(
        other.loops == store.loops and other.region.buffer.scope is Scope.GLOBAL
        for other in facts.accesses
        if not other.is_write
    )


def _fed_tiles(facts: KernelFacts, loop: Loop) -> list[Buffer]:
    """The shared tiles that the loop itself copies from global memory and multiplies."""
    copied = [
        target
        for operation in facts.named(*_COPIES)
        if _innermost(operation) is loop
        and (source := buffer_of(operation.operand(0, "src"))) is not None
        and source.scope is Scope.GLOBAL
        and (target := operation.operand(1, "dst")) is not None
    ]
    copied += [
        access.region
        for access in facts.accesses
        if access.is_write and _over_time(access) is loop and _reads_global(facts, access)
    ]
    multiplied = [
        product.operand(place, name)
        for product in facts.products()
        if _innermost(product) is loop
        for place, name in ((0, "A"), (1, "B"))
    ]
    tiles = (buffer_of(c) for c in copied if any(_is_same_part(c, m) for m in multiplied))
    return list(dict.fromkeys(t for t in tiles if t is not None and t.scope is Scope.SHARED))


def _is_same_part(copied: object, multiplied: object) -> bool:
    """Whether a product takes what was just copied: with stages by hand it takes another part."""
    if buffer_of(copied) is not buffer_of(multiplied):
        return False
    if not isinstance(copied, Region) or not isinstance(multiplied, Region):
        return True
    pairs = zip(copied.indices, multiplied.indices, strict=False)
    return all(one == other for one, other in pairs if one is not None and other is not None)


def _pipelined(module: Module, loop: Loop) -> tuple[Fix, ...]:
    assert isinstance(loop.node, ast.For)
    call = loop.node.iter
    if not isinstance(call, ast.Call) or (len(call.args) != 1 and loop.kind is LoopKind.SERIAL):
        return ()
    stages = set_keyword(module, call, "num_stages", 2, "2")
    if loop.kind is LoopKind.PIPELINED:
        return fix("Use two stages", stages)
    if not isinstance(call.func, ast.Attribute) or call.keywords:
        return ()
    function = replace_node(module, call.func, f"{ast.unparse(call.func.value)}.Pipelined")
    return fix("Pipeline with two stages", function, stages)


def sibling_pipelines(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Pipelines of different depth that fill the same shared tile."""
    deep: dict[Buffer, tuple[Loop, int]] = {}
    told: set[Loop] = set()
    for operation in facts.named(*_COPIES):
        loop = next((x for x in operation.loops[::-1] if x.kind is LoopKind.PIPELINED), None)
        tile = buffer_of(operation.operand(1, "dst"))
        if loop is None or tile is None or tile.scope is not Scope.SHARED:
            continue
        stages = loop.num_stages
        if type(stages) is not int or stages < 2:
            continue
        first, known = deep.setdefault(tile, (loop, stages))
        if known != stages and loop not in told:
            told.add(loop)
            yield _sibling(module, tile, first, known, loop, stages)


def _sibling(
    module: Module, tile: Buffer, first: Loop, known: int, loop: Loop, stages: int
) -> Finding:
    message = (
        f"This pipeline keeps {stages} copies of {tile.name}, the one in line "
        f"{first.node.lineno} {known}: one tile cannot have both. Give both the same num_stages, "
        f"or each its own tile."
    )
    call = loop.node.iter if isinstance(loop.node, ast.For) else None
    assert isinstance(call, ast.Call)
    edit = set_keyword(module, call, "num_stages", 2, str(min(known, stages)))
    fixes = () if stages < known else fix(f"Use {known} stages", edit)
    return Finding(loop.node, message, fixes)
