"""Fixes of `out_idx` and of the calls that do not go with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix, TextRange
from workbench.core.doctor.edits import replace_node, set_keyword
from workbench.core.doctor.findings import fix
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import enclosing
from workbench.core.doctor.values import Buffer


def fitting_call(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """A call without the tensor that the kernel returns, or a kernel that returns the last one."""
    call = _call_at(situation, diagnostic)
    if call is None:
        return
    for facts in situation.facts:
        count = len(facts.parameters)
        outputs = _outputs(facts.build.out_idx if facts.build is not None else None, count)
        if outputs and len(call.args) == count:
            yield from _without(situation, call, outputs)
            return
        if not outputs and len(call.args) == count - 1:
            last = facts.parameters[-1]
            written = isinstance(last, Buffer) and facts.is_written(last)
            if facts.build is not None and written:
                yield from _returning(situation, facts.build.node)
            return


def _outputs(value: object, count: int) -> list[int]:
    numbers = value if isinstance(value, tuple) else (value,)
    return [n % count for n in numbers if type(n) is int and -count <= n < count]


def _call_at(situation: Situation, diagnostic: Diagnostic) -> ast.Call | None:
    module, where = situation.module, diagnostic.range
    return next((c for c in module.calls if module.range_of(c) == where), None)


def _without(situation: Situation, call: ast.Call, outputs: list[int]) -> Iterator[Fix]:
    """The call with its inputs alone, whose value is given the names of its outputs."""
    module = situation.module
    edits: list[Edit] = [_dropped(situation, call, n) for n in sorted(outputs)]
    statement = enclosing(module, call)[0]
    if isinstance(statement, ast.Expr) and statement.value is call:
        given = [call.args[n] for n in outputs]
        if not all(isinstance(node, (ast.Name, ast.Subscript)) for node in given):
            return
        where = module.range_of(call)
        if all(isinstance(node, ast.Name) for node in given):
            names = ", ".join(ast.unparse(node) for node in given)
            edits.append(Edit(TextRange(where.line, where.column), f"{names} = "))
        elif len(given) == 1:
            start = TextRange(where.line, where.column)
            edits.append(Edit(start, f"{ast.unparse(given[0])}[...] = "))
    for made in fix("Use the tensor that is returned", *edits):
        yield Fix(made.title, made.edits, True)


def _dropped(situation: Situation, call: ast.Call, number: int) -> Edit:
    """Take an argument out with the comma before it, or after it where it is the first."""
    module = situation.module
    own = module.range_of(call.args[number])
    end = (own.end_line or own.line, own.end_column or own.column)
    if number > 0:
        before = module.range_of(call.args[number - 1])
        start = before.end_line or before.line, before.end_column or before.column
        return Edit(TextRange(*start, *end), "")
    after = [module.range_of(a) for a in call.args[1:2]]
    end = (after[0].line, after[0].column) if after else end
    return Edit(TextRange(own.line, own.column, *end), "")


def _returning(situation: Situation, build: ast.expr) -> Iterator[Fix]:
    """`out_idx=[-1]` where the kernel is built."""
    module = situation.module
    if isinstance(build, ast.Call):
        edit = set_keyword(module, build, "out_idx", 99, "[-1]")
    else:
        edit = replace_node(module, build, f"{ast.unparse(build)}(out_idx=[-1])")
    yield from fix("Have the kernel return its last tensor (out_idx=[-1])", edit)
