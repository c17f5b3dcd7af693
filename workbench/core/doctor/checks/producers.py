"""Finds the pipelined loop whose copies TileLang gives warps of their own, and what is around it.

`producer_consumer_ws.cc` of TileLang 0.1.15 takes the first pipelined loop of a launch, where it
copies by TMA, and splits it into a branch of warps that copy and one of warps that compute.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from workbench.core.doctor.facts import KernelFacts, Loop, LoopKind, Operation
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, Region, Scope, bits_of, buffer_of
from workbench.core.targets.model import Feature, Target

COPYING_THREADS = 128
"""The threads that are added for copying, at least."""
_OFF = ("TL_DISABLE_WARP_SPECIALIZED", "tl.disable_warp_specialized", "isable_tma")
_BY_HAND = frozenset({"ws", "WarpSpecialize"})
_TMA_BITS = 128  # a copy by TMA moves whole runs of 16 bytes


@dataclass(frozen=True)
class Level:
    """The statements of one scope before what opens the next one, or before the loop itself."""

    before: tuple[ast.stmt, ...]
    opener: ast.stmt | None
    after: tuple[ast.stmt, ...]
    """What follows the opener, where its scope has ended."""


@dataclass(frozen=True)
class Split:
    """A pipelined loop whose copies get warps of their own, with the scopes around it."""

    loop: Loop
    kernel: ast.With
    levels: tuple[Level, ...]
    targets: tuple[Target, ...]


def split_of(facts: KernelFacts, module: Module) -> Split | None:
    """The loop that is split and the scopes around it; None where none is, or not for sure."""
    loop = next((x for x in facts.loops if x.kind is LoopKind.PIPELINED), None)
    targets = tuple(t for t in facts.on_gpu() if t.arch.has(Feature.TMA))
    if loop is None or not targets or len(facts.launches) != 1:
        return None
    stages = loop.num_stages
    if type(stages) is not int or stages < 1 or _is_off(facts, module):
        return None
    kernel = next(
        (n for n in ast.walk(facts.function) if isinstance(n, ast.With) and _launches(n, facts)),
        None,
    )
    if kernel is None or not any(_by_tma(o, loop) for o in facts.operations):
        return None
    levels = _levels(kernel.body, loop, facts)
    return Split(loop, kernel, levels, targets) if levels else None


def _is_off(facts: KernelFacts, module: Module) -> bool:
    """Whether the document switches it off somewhere, or gives warps their roles by hand."""
    if any(text in module.text for text in _OFF):
        return True
    items = [i for n in ast.walk(facts.function) if isinstance(n, ast.With) for i in n.items]
    calls = [i.context_expr for i in items if isinstance(i.context_expr, ast.Call)]
    return any(module.names.last(call.func) in _BY_HAND for call in calls)


def _launches(node: ast.With, facts: KernelFacts) -> bool:
    return any(item.context_expr is facts.launches[0].node for item in node.items)


def _by_tma(operation: Operation, loop: Loop) -> bool:
    """Whether a copy of the loop itself is one by TMA for sure."""
    if not operation.loops or operation.loops[-1] is not loop or operation.keywords:
        return False
    if operation.name in {"im2col", "c2d_im2col"}:
        return True
    source, tile = operation.operand(0, "src"), buffer_of(operation.operand(1, "dst"))
    tensor = buffer_of(source)
    if operation.name != "copy" or tensor is None or tile is None:
        return False
    pair = tensor.scope is Scope.GLOBAL and tile.scope is Scope.SHARED
    return pair and tensor.dtype == tile.dtype and _in_runs(tensor, tile, source)


def _in_runs(tensor: Buffer, tile: Buffer, source: object) -> bool:
    """Whether rows of the tensor and of the part of it are whole runs of 16 bytes."""
    bits, sizes, wide = bits_of(tensor.dtype), tensor.sizes, tile.sizes
    if bits is None or not sizes or not wide:
        return False
    last = source.extents[-1] if isinstance(source, Region) and source.extents else None
    # An index alone stands for a part as large as the tile.
    taken = wide[-1] if last in {None, 1} else last
    widths = (sizes[-1], wide[-1], taken)
    return all(type(n) is int and n * bits % _TMA_BITS == 0 for n in widths)


def _levels(body: list[ast.stmt], loop: Loop, facts: KernelFacts) -> tuple[Level, ...]:
    """The scopes from the kernel's own to that of the loop, () where the way there is not plain."""
    found: list[Level] = []
    while True:
        place = next((n for n, s in enumerate(body) if _holds(s, loop.node)), None)
        if place is None:
            return ()
        own, after = body[:place], tuple(body[place + 1 :])
        swizzle = next((n for n, s in enumerate(own) if _is_swizzle(s, facts)), None)
        if swizzle is not None:
            found.append(Level(tuple(own[:swizzle]), own[swizzle], ()))
            own = own[swizzle + 1 :]
        inner = body[place]
        if inner is loop.node:
            return (*found, Level(tuple(own), None, after))
        blocks = [getattr(inner, name, []) for name in ("body", "orelse")]
        body = next((b for b in blocks if any(_holds(s, loop.node) for s in b)), [])
        other = [s for b in blocks if b is not body for s in b]
        if not isinstance(inner, (ast.For, ast.If)):
            return ()
        if isinstance(inner, ast.If) and not loop.conditional:  # one of Python's, when it is built
            body = [*own, *body, *after]
            continue
        if isinstance(inner, ast.If) and any(isinstance(level.opener, ast.If) for level in found):
            return ()  # which of the two the kernel looks at is not known
        found.append(Level(tuple(own), inner, (*other, *after)))


def _holds(statement: ast.stmt, node: ast.AST) -> bool:
    first, last = statement.lineno, statement.end_lineno or statement.lineno
    line = getattr(node, "lineno", 0)
    return statement is node or (
        first <= line <= last and isinstance(statement, (ast.For, ast.If, ast.While, ast.With))
    )


def _is_swizzle(statement: ast.stmt, facts: KernelFacts) -> bool:
    call = statement.value if isinstance(statement, ast.Expr) else None
    return any(o.node is call for o in facts.named("use_swizzle"))
