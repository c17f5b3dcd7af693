"""What a kernel asks of any target, read off its source: products, types, threads, warps."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.doctor.checks.products import products_of
from workbench.core.doctor.facts import KernelFacts, LoopKind
from workbench.core.doctor.module import Module, read_module
from workbench.core.doctor.programs import facts_of
from workbench.core.doctor.values import Buffer, is_size
from workbench.core.documents.model import Kernel

#: Operations whose lanes a source numbers by itself (TileLang 0.1.15, warp-level language).
_WARP_OPERATIONS = frozenset(
    {
        *("shfl_sync", "shfl_up", "shfl_down", "shfl_xor", "sync_warp"),
        *("ballot", "ballot_sync", "all_sync", "any_sync", "match_all_sync", "match_any_sync"),
        *("get_lane_idx", "get_warp_idx", "get_warp_idx_sync"),
    }
)
_LANES = 32
# How a source writes "the lane" and "the warp" of a thread for warps of 32.
_BY_32: dict[type[ast.operator], int] = {
    ast.Mod: _LANES,
    ast.FloorDiv: _LANES,
    ast.BitAnd: _LANES - 1,
    ast.RShift: 5,
}
_DIALECTS = ("tilelang.ascend.language", "tilelang.cpu.language", "tilelang.language")


@dataclass(frozen=True)
class ProductAsk:
    """A matrix product: the types of its operands and its line, from 1."""

    line: int
    a_dtype: str | None
    b_dtype: str | None
    c_dtype: str | None


@dataclass(frozen=True)
class Place:
    """Something that a source names, and its line, from 1."""

    name: str
    line: int


@dataclass(frozen=True)
class KernelAsks:
    """What the source tells; what it does not is None or missing.

    `dtypes` are the element types of all buffers with the line of the first of each. `warps` are
    the places that count lanes by 32 or exchange values between them, `operations` those that the
    kernel calls with the first line of each. `dialect` is the module that it takes them from.
    """

    products: tuple[ProductAsk, ...] = ()
    dtypes: tuple[Place, ...] = ()
    threads: int | None = None
    threads_line: int | None = None
    warps: tuple[Place, ...] = ()
    operations: tuple[Place, ...] = ()
    pipelined_line: int | None = None
    dialect: str | None = None


def asks_of(text: str, kernel: Kernel, args: Mapping[str, Any]) -> KernelAsks:
    """What a kernel built with `args` asks; nothing for a text that Python cannot read."""
    module = read_module(text)
    if module is None:
        return KernelAsks()
    every = facts_of(module, kernel, args, ())
    launches = [launch for facts in every for launch in facts.launches]
    threads = next((one.threads for one in launches if is_size(one.threads)), None)
    pipelines = (
        loop.node.lineno
        for facts in every
        for loop in facts.loops
        if loop.kind is LoopKind.PIPELINED and loop.num_stages != 0
    )
    return KernelAsks(
        tuple(ask for facts in every for ask in _products(facts)),
        _dtypes(every),
        threads,
        launches[0].node.lineno if launches else None,
        tuple(place for facts in every for place in _warps(facts)),
        _operations(every),
        next(pipelines, None),
        _dialect(module),
    )


def _products(facts: KernelFacts) -> Iterator[ProductAsk]:
    for product in products_of(facts):
        line = product.operation.node.lineno
        yield ProductAsk(line, product.a.dtype, product.b.dtype, product.c.dtype)


def _dtypes(every: Iterable[KernelFacts]) -> tuple[Place, ...]:
    found: dict[str, Place] = {}
    for facts in every:
        for buffer in (*facts.tensors, *facts.results, *facts.buffers):
            if isinstance(buffer, Buffer) and buffer.dtype is not None:
                line = getattr(buffer.node, "lineno", facts.kernel.line)
                found.setdefault(buffer.dtype, Place(buffer.dtype, line))
    return tuple(found.values())


def _operations(every: Iterable[KernelFacts]) -> tuple[Place, ...]:
    found: dict[str, Place] = {}
    for facts in every:
        for operation in facts.operations:
            found.setdefault(operation.name, Place(operation.name, operation.node.lineno))
    return tuple(found.values())


def _warps(facts: KernelFacts) -> Iterator[Place]:
    """Places that hold for warps of 32 alone, each line once."""
    told: set[int] = set()
    threads = _thread_names(facts)
    for node in ast.walk(facts.function):
        name = _warp_name(node, facts, threads)
        line = getattr(node, "lineno", 0)
        if name is not None and line not in told:
            told.add(line)
            yield Place(name, line)


def _warp_name(node: ast.AST, facts: KernelFacts, threads: frozenset[str]) -> str | None:
    if isinstance(node, ast.Call):
        name = facts.names.last(node.func)
        return f"T.{name}" if name in _WARP_OPERATIONS else None
    if not isinstance(node, ast.BinOp) or not isinstance(node.right, ast.Constant):
        return None
    counts = _BY_32.get(type(node.op)) == node.right.value
    of_thread = isinstance(node.left, ast.Name) and node.left.id in threads
    return ast.unparse(node) if counts and of_thread else None


def _thread_names(facts: KernelFacts) -> frozenset[str]:
    """The names that are bound to a thread's number in its block."""
    names = set()
    for node in ast.walk(facts.function):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if facts.names.last(node.value.func) in {"get_thread_binding", "get_thread_bindings"}:
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return frozenset(names)


def _dialect(module: Module) -> str | None:
    """The module of operations that a document imports; None where it names none."""
    imported = set()
    for node in (*module.nodes.get(ast.Import, ()), *module.nodes.get(ast.ImportFrom, ())):
        if isinstance(node, ast.ImportFrom):
            imported |= {node.module or "", *(f"{node.module}.{a.name}" for a in node.names)}
        else:
            imported |= {alias.name for alias in node.names}
    return next((name for name in _DIALECTS if name in imported), None)
