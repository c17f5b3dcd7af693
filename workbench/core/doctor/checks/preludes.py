"""The check of registers that are set in a scope around the one of a pipelined loop.

Where the loop is split between warps that copy and warps that compute, statements before it that
set registers go with the branch that reads them, directly in front of its loop: those of the
innermost scope first, those of the scopes around it after them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from workbench.core.diagnostics import Fix
from workbench.core.doctor.checks.producers import Level, Split, split_of
from workbench.core.doctor.checks.register_effects import Effects, Thing
from workbench.core.doctor.edits import drop_line, insert_before, set_keyword
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.findings import Finding, fix, named
from workbench.core.doctor.module import Module

_NO_PLACE = 99  # pass_configs is given by its name
_IN_LOOP = (
    "TileLang moves this into the loop of line {line}, in front of the pipelined loop, whose "
    "copies get warps of their own: {name} is set anew in each turn. If that is meant, set it "
    "there. Else set TL_DISABLE_WARP_SPECIALIZED in pass_configs, or keep what is carried from "
    "turn to turn in shared or global memory."
)
_IN_CONDITION = (
    "TileLang moves this into the condition of line {line}, in front of the pipelined loop, whose "
    "copies get warps of their own: where the condition is false, {name} is not set when it is "
    "read later. Read it inside of the condition, or let the number of the loop's turns be 0 there."
)
_BEHIND = (
    "TileLang moves this behind line {line}, which then has no effect on {name}: T.use_swizzle "
    "begins a scope of its own, and where copies get warps of their own, what was set outside of "
    "it is set last. Begin the kernel with T.use_swizzle."
)


def moved(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Registers that are set in a scope around the one of the pipelined loop."""
    split = split_of(facts, module)
    if split is None:
        return
    told = Effects(facts, module)
    targets = named(split.targets, facts.targets)
    staying = _staying(split, told)
    for depth, level in enumerate(split.levels[:-1]):
        for statement in level.before:
            for thing in told.of(statement).written - staying:
                message = _why_wrong(statement, thing, split, depth, told)
                if message is not None:
                    fixes = _mends(facts, module, split, level)
                    yield Finding(statement, message, fixes, targets)
                    break


def _why_wrong(
    statement: ast.stmt, thing: Thing, split: Split, depth: int, told: Effects
) -> str | None:
    """The sentence that says what becomes of a statement that is moved, None where no harm is."""
    opener, name = split.levels[depth].opener, told.name(thing)
    inner = [s for level in split.levels[depth + 1 :] for s in level.before]
    over = [s for s in inner if thing in told.of(s).written and not _same(s, statement)]
    line = opener.lineno if opener is not None else 0
    if isinstance(opener, ast.For) and (over or _carried(opener, thing, statement, told)):
        return _IN_LOOP.format(line=line, name=name)
    if isinstance(opener, ast.If) and _read_after(split.levels[: depth + 1], thing, told):
        return _IN_CONDITION.format(line=line, name=name)
    if isinstance(opener, ast.Expr) and over:
        return _BEHIND.format(line=over[0].lineno, name=name)
    return None


def _same(one: ast.stmt, other: ast.stmt) -> bool:
    return ast.dump(one) == ast.dump(other)


def _carried(loop: ast.For, thing: Thing, statement: ast.stmt, told: Effects) -> bool:
    """Whether a turn goes on from what the turn before left, as the source says it."""
    if any(_same(each, statement) for each in loop.body):
        return False
    return thing in told.of(loop).accumulated


def _read_after(levels: Iterable[Level], thing: Thing, told: Effects) -> bool:
    return any(thing in told.of(s).read for level in levels for s in level.after)


def _staying(split: Split, told: Effects) -> frozenset[Thing]:
    """What is not moved: nothing reads it in the loop or after, or a statement that stays does."""
    after = [s for level in split.levels for s in level.after]
    wanted = told.of(split.loop.node).read.union(*(told.of(s).read for s in after))
    before = [s for level in split.levels for s in level.before]
    staying: set[Thing] = set()
    for statement in before[::-1]:
        effect = told.of(statement)
        if not effect.written or effect.written & staying or not effect.written & wanted:
            staying |= effect.read
    unwanted = {thing for s in before for thing in told.of(s).written if thing not in wanted}
    return frozenset(staying | unwanted)


def _mends(facts: KernelFacts, module: Module, split: Split, level: Level) -> tuple[Fix, ...]:
    """T.use_swizzle in front of everything, or no warps that only copy."""
    opener, first = level.opener, split.kernel.body[0]
    if isinstance(opener, ast.Expr) and isinstance(opener.value, ast.Call):
        given = (*opener.value.args, *(k.value for k in opener.value.keywords))
        # What is made in the kernel is not there yet where it begins.
        if all(isinstance(each, ast.Constant) for each in given):
            edits = insert_before(module, first, ast.unparse(opener)), drop_line(module, opener)
            return fix("Begin with T.use_swizzle", *edits)
    decorator = facts.build.node if facts.build is not None else None
    given_names = {k.arg for k in decorator.keywords} if isinstance(decorator, ast.Call) else {None}
    if not isinstance(decorator, ast.Call) or given_names & {None, "pass_configs"}:
        return ()
    base = ast.unparse(decorator.func).rpartition(".")[0]
    text = f"{{{base}.PassConfigKey.TL_DISABLE_WARP_SPECIALIZED: True}}"
    edit = set_keyword(module, decorator, "pass_configs", _NO_PLACE, text)
    return fix("Have all warps copy", edit) if base else ()
