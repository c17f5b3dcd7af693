"""Checks of `out_idx`: the parameters that the compiled kernel allocates and returns itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workbench.core.diagnostics import Fix
from workbench.core.doctor.edits import replace_node
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.findings import Finding, fix, listed
from workbench.core.doctor.module import Module
from workbench.core.doctor.programs import out_idx_node
from workbench.core.doctor.values import Buffer
from workbench.core.documents.model import KernelStyle


def out_idx_misuse(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """An `out_idx` that names no result, and calls that do not go with it."""
    if facts.kernel.style is KernelStyle.EAGER:
        return
    build = facts.build
    if build is None:
        yield from _compiled_wrongly(facts, module)
    outputs = _numbers(build.out_idx) if build is not None else ()
    if build is not None and build.out_idx_node is not None and outputs:
        wrong = _wrong_index(facts, build.out_idx_node, outputs, module)
        if wrong is not None:
            yield wrong
            return
    if outputs is not None:
        yield from _calls(facts, module, outputs)


def _compiled_wrongly(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Calls of `compile` with this kernel that mark a tensor which it does not write."""
    for statements in _bodies(module, facts.kernel.name):
        programs = _programs_of(facts, statements)
        for node in (node for each in statements for node in each.calls):
            if _compiles(facts, module, node, programs):
                given = out_idx_node(node, module)
                outputs = _numbers(_literal(given))
                if given is not None and outputs:
                    wrong = _wrong_index(facts, given, outputs, module)
                    yield from [wrong] if wrong is not None else []


@dataclass(frozen=True)
class _Statement:
    """A statement of one scope with the calls in its own expressions."""

    node: ast.stmt
    calls: tuple[ast.Call, ...]


def _bodies(module: Module, name: str) -> list[tuple[_Statement, ...]]:
    """The scopes of a module in which a name is called, or given to a call."""
    if not any(_is_named(node, name) for call in module.calls for node in _callees(call)):
        return []
    return [body for body, names in _called_in(module) if name in names]


@lru_cache(maxsize=8)
def _called_in(module: Module) -> tuple[tuple[tuple[_Statement, ...], frozenset[str]], ...]:
    """Each scope with the names that are called in it or given to a call."""
    found = []
    for body in (module.tree.body, *(f.body for f in module.functions)):
        statements = tuple(_Statement(s, _calls_in(s)) for s in _flat(body))
        nodes = (n for s in statements for c in s.calls for n in _callees(c))
        names = frozenset(n.id for n in nodes if isinstance(n, ast.Name))
        found.append((statements, names))
    return tuple(found)


def _callees(call: ast.Call) -> tuple[ast.expr, ...]:
    return (call.func, *call.args[:1], *(k.value for k in call.keywords if k.arg == "func"))


def _calls_in(statement: ast.stmt) -> tuple[ast.Call, ...]:
    """The calls in a statement's own expressions, not in the statements below it."""
    found: list[ast.Call] = []
    pending: list[ast.AST] = [
        c for c in ast.iter_child_nodes(statement) if isinstance(c, (ast.expr, ast.withitem))
    ]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Call):
            found.append(node)
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST) and name not in {"ctx", "op"}:
                pending.append(value)
            elif isinstance(value, list):
                pending.extend(item for item in value if isinstance(item, ast.AST))
    return tuple(found[::-1])


def _programs_of(facts: KernelFacts, statements: Sequence[_Statement]) -> frozenset[str]:
    """The names in a scope that stand for the kernel, not compiled yet."""
    name, found = facts.kernel.name, set()
    if facts.kernel.style is KernelStyle.PRIM_FUNC:
        found.add(name)
    if facts.kernel.style is KernelStyle.FACTORY and facts.build is None:
        for statement in (each.node for each in statements):
            made = statement.value if isinstance(statement, ast.Assign) else None
            if isinstance(made, ast.Call) and _is_named(made.func, name):
                targets = statement.targets if isinstance(statement, ast.Assign) else []
                found |= {t.id for t in targets if isinstance(t, ast.Name)}
    return frozenset(found)


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _compiles(facts: KernelFacts, module: Module, node: ast.Call, programs: frozenset[str]) -> bool:
    """Whether a call is that of `compile` with this kernel."""
    if module.names.last(node.func) != "compile":
        return False
    given = [*node.args[:1], *(k.value for k in node.keywords if k.arg == "func")]
    inner = given[0] if given else None
    if isinstance(inner, ast.Call):
        return _is_named(inner.func, facts.kernel.name)
    return isinstance(inner, ast.Name) and (inner.id in programs or inner.id == facts.kernel.name)


def _literal(node: ast.expr | None) -> Any:
    try:
        value = ast.literal_eval(node) if node is not None else None
    except ValueError:
        return ""  # which is no number: not known
    return tuple(value) if isinstance(value, list) else value


def _numbers(value: Any) -> tuple[int, ...] | None:
    """The indices as numbers; None where they are not known."""
    if value is None:
        return ()
    numbers = value if isinstance(value, tuple) else (value,)
    return tuple(numbers) if all(type(n) is int for n in numbers) else None


def _wrong_index(
    facts: KernelFacts, node: ast.expr, outputs: tuple[int, ...], module: Module
) -> Finding | None:
    count = len(facts.parameters)
    written = [i for i, p in enumerate(facts.parameters) if _is_result(facts, p)]
    beyond = [n for n in outputs if not -count <= n < count]
    fixes = _corrected(module, node, written)
    names = listed(_name(facts.parameters[i]) for i in written)
    hint = f" The kernel writes {names}: out_idx={written}." if written else ""
    if beyond:
        message = f"out_idx has {beyond[0]}, and the kernel has {count} parameters.{hint}"
        return Finding(node, message, fixes)
    chosen = [facts.parameters[n] for n in outputs]
    wrong = [p for p in chosen if not _is_result(facts, p)]
    others = [i for i in written if i not in {n % count for n in outputs}]
    only_read = [p for p in wrong if isinstance(p, Buffer) and facts.is_read(p)]
    if not wrong or not (others or only_read):
        return None
    verb = "only reads" if only_read else "does not write"
    message = (
        f"out_idx={list(outputs)} marks {listed(map(_name, wrong))}, which the kernel {verb}, as "
        f"its result: it would be allocated and returned unset.{hint}"
    )
    return Finding(node, message, fixes)


def _is_result(facts: KernelFacts, parameter: Buffer | str) -> bool:
    return isinstance(parameter, Buffer) and facts.is_written(parameter)


def _name(parameter: Buffer | str) -> str:
    return parameter.name if isinstance(parameter, Buffer) else parameter


def _corrected(module: Module, node: ast.expr, written: list[int]) -> tuple[Fix, ...]:
    if not written:
        return ()
    return fix(f"Set out_idx={written}", replace_node(module, node, str(written)))


def _calls(facts: KernelFacts, module: Module, outputs: tuple[int, ...]) -> Iterator[Finding]:
    """Calls in the document of the compiled kernel, with too many tensors or too few."""
    for statement, call, outs in _kernel_calls(facts, module, outputs):
        starred = any(isinstance(a, ast.Starred) for a in call.args) or call.keywords
        count = len(facts.parameters)
        if starred or not count:
            continue
        if outs and len(call.args) == count:
            yield _extra(facts, module, statement, call, outs)
        elif not outs and len(call.args) == count - 1 and isinstance(statement, ast.Assign):
            yield _lacking(facts, call)


def _extra(
    facts: KernelFacts, module: Module, statement: ast.stmt, call: ast.Call, outs: tuple[int, ...]
) -> Finding:
    count = len(facts.parameters)
    given = [call.args[n % count] for n in outs]
    names = listed(_name(facts.parameters[n]) for n in outs)
    message = (
        f"With out_idx={list(outs)} the kernel allocates and returns {names}, and takes "
        f"{count - len(outs)} tensors: {listed(map(ast.unparse, given))} is one argument too many. "
        f"Use what the call returns, or drop out_idx and pass all {count}."
    )
    return Finding(call, message, _assigned(module, statement, call, given))


def _assigned(
    module: Module, statement: ast.stmt, call: ast.Call, given: list[ast.expr]
) -> tuple[Fix, ...]:
    """`C = kernel(A, B)` for `kernel(A, B, C)`."""
    bare = isinstance(statement, ast.Expr) and statement.value is call
    if not bare or not all(isinstance(node, ast.Name) for node in given):
        return ()
    kept = ", ".join(ast.unparse(a) for a in call.args if a not in given)
    names = ", ".join(ast.unparse(node) for node in given)
    text = f"{names} = {ast.unparse(call.func)}({kept})"
    return fix("Use the tensor that is returned", replace_node(module, statement, text))


def _lacking(facts: KernelFacts, call: ast.Call) -> Finding:
    last = _name(facts.parameters[-1])
    message = (
        f"The kernel has {len(facts.parameters)} parameters and no out_idx, so it neither "
        f"allocates nor returns one: this call gives it {len(call.args)} tensors. Pass {last} too, "
        f"or build the kernel with out_idx=[-1]."
    )
    return Finding(call, message)


def _kernel_calls(
    facts: KernelFacts, module: Module, outputs: tuple[int, ...]
) -> Iterator[tuple[ast.stmt, ast.Call, tuple[int, ...]]]:
    for statements in _bodies(module, facts.kernel.name):
        programs = _programs_of(facts, statements)
        instances: dict[str, tuple[int, ...]] = {}
        for each in statements:
            statement, value = each.node, getattr(each.node, "value", None)
            made = _instance(facts, module, value, outputs, programs)
            if isinstance(statement, ast.Assign) and made is not None:
                instances.update({t.id: made for t in statement.targets if isinstance(t, ast.Name)})
                continue
            for node in each.calls:
                direct = _instance(facts, module, node.func, outputs, programs)
                named = instances.get(node.func.id) if isinstance(node.func, ast.Name) else None
                outs = direct if direct is not None else named
                if outs is not None:
                    yield statement, node, outs


def _instance(
    facts: KernelFacts,
    module: Module,
    node: ast.expr | None,
    outputs: tuple[int, ...],
    programs: frozenset[str],
) -> tuple[int, ...] | None:
    """The outputs of the compiled kernel that an expression makes, None where it makes none."""
    if not isinstance(node, ast.Call):
        return None
    lazy = facts.kernel.style in {KernelStyle.LAZY, KernelStyle.FACTORY}
    if _is_named(node.func, facts.kernel.name):
        return outputs if lazy and facts.build is not None else None
    if not _compiles(facts, module, node, programs):
        return None
    return _numbers(_literal(out_idx_node(node, module)))


def _flat(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            continue
        yield statement
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(statement, name, None)
            if isinstance(inner, list):
                yield from _flat(inner)
