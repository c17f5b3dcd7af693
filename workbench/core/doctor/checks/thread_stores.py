"""The check of stores by thread index before a pipelined loop that gets threads to copy.

Statements that set no registers stay in front of the loop and are run by the added threads too.
The index is not shifted there: it goes on behind the number of threads of T.Kernel.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from workbench.core.diagnostics import Fix
from workbench.core.doctor.checks.producers import COPYING_THREADS, Split, split_of
from workbench.core.doctor.edits import replace_node
from workbench.core.doctor.facts import Access, KernelFacts
from workbench.core.doctor.findings import Finding, fix, named
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Form, Scope

_THREAD = "get_thread_binding()"


def unshifted(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Stores by thread index before the loop, which the warps that only copy make too."""
    split = split_of(facts, module)
    threads = facts.launches[0].threads if split is not None else None
    if split is None or type(threads) is not int:
        return
    direct = {id(s) for level in split.levels for s in level.before if isinstance(s, ast.Assign)}
    stores = {
        id(target): s
        for s in module.nodes.get(ast.Assign, [])
        if id(s) in direct
        for target in s.targets
    }
    for access in facts.accesses:
        statement = stores.get(id(access.node))
        if access.is_write and statement is not None:
            place = _beyond(access, threads)
            if place is not None:
                yield _by_thread(facts, module, split, access, statement, threads, place)


def _beyond(access: Access, threads: int) -> str | None:
    """Where the threads that are added store, None where it is nowhere they should not."""
    buffer = access.region.buffer
    for index, extent in zip(access.region.indices, buffer.shape, strict=False):
        factor = dict(index.terms).get(_THREAD, 0) if isinstance(index, Form) else 0
        if factor <= 0:
            continue
        if buffer.scope is Scope.GLOBAL and not (index == _alone(factor) and extent == threads):
            return f"elements of {buffer.name} that are not this block's"
        last = factor * (threads + COPYING_THREADS - 1)
        if buffer.scope is Scope.SHARED and type(extent) is int and last >= extent:
            return f"beyond the end of {buffer.name}"
    return None


def _alone(factor: int) -> Form:
    """An index that is nothing but the thread's."""
    return Form(((_THREAD, factor),))


def _by_thread(
    facts: KernelFacts,
    module: Module,
    split: Split,
    access: Access,
    statement: ast.Assign,
    threads: int,
    place: str,
) -> Finding:
    message = (
        f"The copies of the loop of line {split.loop.node.lineno} get at least {COPYING_THREADS} "
        f"threads of their own, which run this too, with thread indices from {threads} on: they "
        f"store {place}. Store by T.Parallel, which TileLang spreads over all threads. A "
        f"condition for indices below {threads} does not help: TileLang takes it for true before "
        f"it adds them."
    )
    return Finding(
        statement,
        message,
        _spread(module, statement, threads),
        named(split.targets, facts.targets),
        evidence={"threads": threads, "buffer": access.region.buffer.name},
    )


def _spread(module: Module, statement: ast.Assign, threads: int) -> tuple[Fix, ...]:
    """The store as a loop over the elements, where the thread index has one name."""
    calls = {
        target.id: assign.value
        for assign in module.nodes.get(ast.Assign, [])
        if isinstance(assign.value, ast.Call)
        and module.names.last(assign.value.func) == "get_thread_binding"
        for target in assign.targets
        if isinstance(target, ast.Name)
    }
    text = ast.get_source_segment(module.text, statement)
    if len(calls) != 1 or text is None or "\n" in text:
        return ()
    ((name, call),) = calls.items()
    variable = next(n for n in ("i", f"{name}_i") if not re.search(rf"\b{n}\b", text))
    prefix = ast.unparse(call.func).rpartition(".")[0]
    stored = re.sub(rf"\b{name}\b", variable, text)
    indent = " " * (statement.col_offset + 4)
    loop = f"for {variable} in {prefix}.Parallel({threads}):\n{indent}{stored}"
    return fix("Store by T.Parallel", replace_node(module, statement, loop)) if prefix else ()
