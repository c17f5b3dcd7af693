"""Fixes of blocks with too much shared memory: fewer stages, or smaller tiles."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity
from workbench.core.doctor.edits import set_keyword, set_values
from workbench.core.doctor.facts import KernelFacts, Loop, LoopKind
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.values import Buffer, Scope, bits_of, buffer_of
from workbench.core.figures import size
from workbench.core.targets.model import Target

_COPIES = ("copy", "async_copy")
_LEAST_TILE = 16
_MOST = 3


def shared_bytes(facts: KernelFacts) -> int | None:
    """Bytes of a block's shared tiles with the copies that pipelines keep; None where unknown."""
    copies = _copies(facts)
    total = 0
    for buffer in facts.buffers:
        if buffer.scope is not Scope.SHARED:
            continue
        bits = bits_of(buffer.dtype)
        if buffer.sizes is None or bits is None:
            return None
        total += math.prod(buffer.sizes) * bits // 8 * copies.get(buffer, 1)
    return total


def _copies(facts: KernelFacts) -> dict[Buffer, int]:
    found: dict[Buffer, int] = {}
    for operation in facts.named(*_COPIES):
        tile, loop = buffer_of(operation.operand(1, "dst")), _pipeline(operation.loops)
        if tile is not None and loop is not None and type(loop.num_stages) is int:
            found[tile] = max(found.get(tile, 1), loop.num_stages)
    return found


def _pipeline(loops: tuple[Loop, ...]) -> Loop | None:
    return next((x for x in loops[::-1] if x.kind is LoopKind.PIPELINED), None)


def fewer_stages(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The most stages with which the tiles fit every target that the finding names."""
    for facts, limit in _concerned(situation, diagnostic):
        deep = [x for x in facts.loops if x.kind is LoopKind.PIPELINED and _is_deep(x)]
        most = max((x.num_stages for x in deep), default=0)
        for stages in range(most - 1, 0, -1):
            edits = [
                e for x in deep if x.num_stages > stages for e in _staged(situation, x, stages)
            ]
            made = Fix("", tuple(dict.fromkeys(edits)))
            change = _fits(situation, made, limit, facts) if edits else None
            if change is not None:
                yield Fix(f"Use num_stages={stages}: {change}", made.edits, True)
                return


def _is_deep(loop: Loop) -> bool:
    return type(loop.num_stages) is int and loop.num_stages > 1


def _staged(situation: Situation, loop: Loop, stages: int) -> tuple[Edit, ...]:
    call = loop.node.iter if isinstance(loop.node, ast.For) else None
    if not isinstance(call, ast.Call):
        return ()
    node = next((k.value for k in call.keywords if k.arg == "num_stages"), None)
    node = node or (call.args[2] if len(call.args) > 2 else None)
    if node is None:
        return (set_keyword(situation.module, call, "num_stages", 2, str(stages)),)
    return set_values(situation.module, node, loop.num_stages, str(stages))


def smaller_tiles(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The extents of tiles that are arguments, halved until the block fits, each on its own."""
    offered = 0
    for facts, limit in _concerned(situation, diagnostic):
        for name, node, value in _extents(facts):
            made = _halved(situation, facts, (node, value), limit)
            if made is not None:
                new, change, edits = made
                yield Fix(f"Use {name}={new}: {change}", edits)
                offered += 1
            if offered == _MOST:
                return


def _halved(
    situation: Situation, facts: KernelFacts, extent: tuple[ast.expr, int], limit: int
) -> tuple[int, str, tuple[Edit, ...]] | None:
    node, value = extent
    new = value // 2
    while new >= _LEAST_TILE and value % new == 0:
        made = Fix("", set_values(situation.module, node, value, str(new)))
        change = _fits(situation, made, limit, facts) if made.edits else None
        if change is not None:
            return new, change, made.edits
        new //= 2
    return None


def _extents(facts: KernelFacts) -> list[tuple[str, ast.expr, int]]:
    """The names in the shapes of shared tiles, those of staged tiles first."""
    copies = _copies(facts)
    tiles = [b for b in facts.buffers if b.scope is Scope.SHARED]
    tiles.sort(key=lambda b: -copies.get(b, 1))
    found: dict[str, tuple[str, ast.expr, int]] = {}
    for tile in tiles:
        shape = tile.shape_node
        nodes = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else []
        for node, value in zip(reversed(nodes), reversed(tile.shape), strict=False):
            if isinstance(node, ast.Name) and type(value) is int:
                found.setdefault(node.id, (node.id, node, value))
    return [*found.values()]


def _concerned(situation: Situation, diagnostic: Diagnostic) -> Iterator[tuple[KernelFacts, int]]:
    """The kernels at the finding's line, and the least limit of the targets that it names."""
    line = diagnostic.range.line if diagnostic.range is not None else None
    for facts in [*situation.facts_at(line)] or situation.facts:
        named = [t for t in facts.targets if t.name in diagnostic.targets] or facts.targets
        limits = [n for n in map(limit_of, named) if n is not None]
        needed = shared_bytes(facts)
        if limits and needed is not None and needed > min(limits):
            yield facts, min(limits)


def limit_of(target: Target) -> int | None:
    """Bytes of shared memory that a block of a target can have."""
    return target.arch.limits.most_shared_bytes


def _fits(situation: Situation, made: Fix, limit: int, facts: KernelFacts) -> str | None:
    """What a change does to the bytes of the kernel, if it fits then and nothing else breaks."""
    after = situation.after(made)
    if after is None:
        return None
    place = situation.facts.index(facts)
    changed = after.facts[place] if place < len(after.facts) else None
    needed = shared_bytes(changed) if changed is not None else None
    before = {d.code for d in situation.linted if d.severity is Severity.ERROR}
    now = {d.code for d in after.linted if d.severity is Severity.ERROR}
    if needed is None or needed > limit or not now <= before:
        return None
    return f"{size(shared_bytes(facts) or 0)} of shared memory → {size(needed)} ({size(limit)} fit)"
