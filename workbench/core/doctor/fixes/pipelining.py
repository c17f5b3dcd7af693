"""Fixes of loops whose copies and products take turns: a software pipeline that fits."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix
from workbench.core.doctor.edits import replace_node, set_keyword, set_values
from workbench.core.doctor.facts import KernelFacts, Loop, LoopKind
from workbench.core.doctor.fixes.shrinking import limit_of, shared_bytes
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import language
from workbench.core.doctor.values import Buffer, buffer_of
from workbench.core.figures import size

_STAGES = (2, 3)
_SERIAL = ("serial", "Serial", "range")


def pipelined(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """`T.Pipelined` with two stages, or three, as far as every target's shared memory holds them.

    The title says what a block takes now and then.
    """
    where = diagnostic.range
    loop = next(
        (n for n in situation.module.nodes.get(ast.For, []) if where and n.lineno == where.line),
        None,
    )
    if loop is None or not isinstance(loop.iter, ast.Call):
        return
    for stages in _STAGES:
        edits = _edits(situation, loop, loop.iter, stages)
        change = _change(situation, Fix("", edits), where.line if where else 0) if edits else None
        if change is not None:
            yield Fix(f"Pipeline with {stages} stages: {change}", edits)


def _edits(situation: Situation, loop: ast.For, call: ast.Call, stages: int) -> tuple[Edit, ...]:
    module = situation.module
    name = module.names.last(call.func)
    plain = call.func.id if isinstance(call.func, ast.Name) else None
    if name == "Pipelined":
        node = next((k.value for k in call.keywords if k.arg == "num_stages"), None)
        if node is None:
            return (set_keyword(module, call, "num_stages", 2, str(stages)),)
        present = next(
            (x.num_stages for f in situation.facts for x in f.loops if x.node is loop), 0
        )
        return set_values(module, node, present, str(stages))
    # Where a range begins elsewhere than at 0, T.Pipelined takes the same two arguments.
    if (name or plain) not in _SERIAL or call.keywords or len(call.args) not in (1, 2):
        return ()
    function = f"{language(module, loop)}.Pipelined"
    stage = set_keyword(module, call, "num_stages", 2, str(stages))
    return (replace_node(module, call.func, function), stage)


def _change(situation: Situation, made: Fix, line: int) -> str | None:
    """What becomes of shared memory; None where a target has not so much."""
    after = situation.after(made)
    before = next((shared_bytes(f) for f in situation.facts_at(line)), None)
    if after is None:
        return None
    for facts in after.facts_at(line):
        needed = shared_bytes(facts)
        limits = [n for n in map(limit_of, facts.targets) if n is not None]
        if needed is None or before is None:
            return "shared memory grows by as much as a stage"
        if limits and needed > min(limits):
            return None
        return f"{size(before)} of shared memory → {size(needed)}"
    return None


def same_depth(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The lower number of stages for every pipeline that fills the same tile."""
    line = diagnostic.range.line if diagnostic.range is not None else None
    for facts in situation.facts_at(line):
        loops = _filling(facts)
        for sharing in loops.values():
            stages = min(loop.num_stages for loop in sharing)
            deeper = [loop for loop in sharing if loop.num_stages > stages]
            at = [loop for loop in sharing if loop.node.lineno == line]
            edits = [e for loop in deeper for e in _edits_of(situation, loop, stages)]
            if deeper and (at or line is None) and edits:
                yield Fix(f"Use {stages} stages in both loops", tuple(dict.fromkeys(edits)), True)
                return


def _filling(facts: KernelFacts) -> dict[Buffer, list[Loop]]:
    """The pipelines that copy into each tile."""
    found: dict[Buffer, list[Loop]] = {}
    for operation in facts.named("copy", "async_copy"):
        tile = buffer_of(operation.operand(1, "dst"))
        loop = next((x for x in operation.loops[::-1] if x.kind is LoopKind.PIPELINED), None)
        if tile is not None and loop is not None and type(loop.num_stages) is int:
            found.setdefault(tile, []).append(loop)
    return found


def _edits_of(situation: Situation, loop: Loop, stages: int) -> tuple[Edit, ...]:
    call = loop.node.iter if isinstance(loop.node, ast.For) else None
    if not isinstance(loop.node, ast.For) or not isinstance(call, ast.Call):
        return ()
    return _edits(situation, loop.node, call, stages)
