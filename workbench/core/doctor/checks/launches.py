"""Checks of the launch: threads of a block, and the order in which blocks walk over the result."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from workbench.core.diagnostics import Edit, Severity
from workbench.core.doctor.edits import insert_before, set_keyword, set_value
from workbench.core.doctor.facts import KernelFacts, Launch
from workbench.core.doctor.findings import Finding, fix, listed, named
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Region, Scope, buffer_of
from workbench.core.targets.model import Target

# Below this many tiles, or in a grid of one row, an order of blocks saves little.
_FEWEST_TILES = 128
_FEWEST_IN_A_ROW = 4


def partial_warp(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Blocks that fill no whole number of warps."""
    for launch in facts.launches:
        threads = launch.threads
        if type(threads) is not int or threads < 1:
            continue
        concerned = [t for t in facts.on_gpu() if threads % (t.arch.limits.warp_size or 1)]
        if not concerned:
            continue
        warp = max(t.arch.limits.warp_size or 1 for t in concerned)
        nearest = -(-threads // warp) * warp
        part = "fill part of" if threads < warp else "end inside"
        message = (
            f"{threads} threads {part} a warp of {warp}: its other lanes idle, and instructions "
            f"that elect one thread of a warp expect it whole. Use a multiple of {warp}: "
            f"threads={nearest}."
        )
        edit = _threads(facts, module, launch, nearest)
        names = named(concerned, facts.targets)
        # One thread alone is no mistake of counting.
        severity = Severity.INFO if threads == 1 else None
        fixes = fix(f"Use {nearest} threads", edit) if threads > 1 else ()
        yield Finding(launch.node, message, fixes, names, severity)


def _threads(facts: KernelFacts, module: Module, launch: Launch, count: int) -> Edit | None:
    node = launch.threads_node
    if node is None:
        return set_keyword(module, launch.node, "threads", len(launch.node.args), str(count))
    return set_value(module, facts.function, node, launch.threads, str(count))


def too_many_threads(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Blocks of more threads than a target can launch."""
    for launch in facts.launches:
        threads = launch.threads
        if type(threads) is not int:
            continue
        concerned = [t for t in facts.on_gpu() if threads > _most(t)]
        if not concerned:
            continue
        most = min(_most(t) for t in concerned)
        message = (
            f"{threads} threads a block, and {listed(t.name for t in concerned)} allow {most}."
        )
        edit = _threads(facts, module, launch, most)
        names = named(concerned, facts.targets)
        yield Finding(launch.node, message, fix(f"Use {most} threads", edit), names)


def _most(target: Target) -> int:
    return target.arch.limits.max_threads_per_block or 1 << 30


def missing_swizzle(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Products of many tiles whose blocks run row by row."""
    targets = facts.on_gpu()
    launch = facts.launches[0] if len(facts.launches) == 1 else None
    swizzled = any(facts.named("use_swizzle", "annotate_l2_hit_ratio"))
    if launch is None or swizzled or not targets:
        return
    numbers = [n for n in launch.grid if type(n) is int]
    if len(launch.grid) < 2 or len(numbers) != len(launch.grid):
        return
    tiles = numbers[0] * numbers[1]
    if tiles < _FEWEST_TILES or min(numbers[:2]) < _FEWEST_IN_A_ROW:
        return
    if not _tiles_two_operands(facts, module):
        return
    message = (
        f"{numbers[0]} x {numbers[1]} blocks run row by row, so neighbours in time share one "
        f"operand's tiles alone. T.use_swizzle(panel_size=10) lets them share both in the L2 "
        f"cache; it pays where the operands are larger than that cache."
    )
    edit = _swizzle(facts, module, launch)
    concerned = named(targets, facts.targets)
    yield Finding(launch.node, message, fix("Add T.use_swizzle", edit), concerned)


def _tiles_two_operands(facts: KernelFacts, module: Module) -> bool:
    """Whether blocks of one row share an operand's tiles, and those of one column the other's.

    In attention a block's place along one axis chooses the head: blocks of other heads share
    nothing, and those of one head run side by side already.
    """
    axes = _block_indices(facts, module)
    chosen = []
    for copy in facts.named("copy"):
        source, target = copy.operand(0, "src"), copy.operand(1, "dst")
        scopes = [getattr(buffer_of(value), "scope", None) for value in (source, target)]
        if scopes == [Scope.GLOBAL, Scope.SHARED] and isinstance(source, Region):
            # A slice has no index of its own: its bounds stand in the call.
            parts = [*map(str, source.indices), *map(ast.unparse, copy.node.args[:1])]
            text = " ".join(parts)
            chosen.append({axis for axis in axes if re.search(rf"\b{axis}\b", text)})
    apart = any(a and b and not a & b for a in chosen for b in chosen)
    return apart and any(facts.products())


def _block_indices(facts: KernelFacts, module: Module) -> list[str]:
    """The names that a kernel gives to a block's place in the grid."""
    launched = {id(launch.node) for launch in facts.launches}
    items = [item for node in module.nodes.get(ast.With, []) for item in node.items]
    given = [i.optional_vars for i in items if id(i.context_expr) in launched]
    return [n.id for v in given if v is not None for n in ast.walk(v) if isinstance(n, ast.Name)]


def _swizzle(facts: KernelFacts, module: Module, launch: Launch) -> Edit | None:
    for node in ast.walk(facts.function):
        if isinstance(node, ast.With) and any(i.context_expr is launch.node for i in node.items):
            function = launch.node.func
            prefix = ast.unparse(function.value) if isinstance(function, ast.Attribute) else "T"
            return insert_before(module, node.body[0], f"{prefix}.use_swizzle(panel_size=10)")
    return None
