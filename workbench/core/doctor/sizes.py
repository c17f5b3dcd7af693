"""Extents, grids and threads with which nothing can be built, told by the source alone."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.doctor.facts import KernelFacts, Launch
from workbench.core.doctor.values import Buffer, Scope
from workbench.core.targets.model import Target, Vendor

EXTENT, GRID, THREADS = "extent-not-positive", "grid-not-positive", "threads-not-positive"
FEW_THREADS = "warp-partition-illegal"
# A tensor without elements may be meant, and the extent of a barrier counts arrivals.
_ALLOCATED = frozenset(Scope) - {Scope.GLOBAL, Scope.BARRIER}


def impossible_size(facts: Iterable[KernelFacts], target: Target) -> Diagnostic | None:
    """That an extent, a grid or threads are no whole number above 0, or no warp for a product."""
    return next((found for each in facts for found in _faults(each, target)), None)


def _faults(facts: KernelFacts, target: Target) -> Iterator[Diagnostic]:
    for buffer in facts.buffers:
        if buffer.scope in _ALLOCATED:
            yield from _of_buffer(buffer, target)
    for launch in facts.launches:
        yield from _of_launch(launch, target)
        yield from _below_a_warp(facts, launch, target)


def _of_buffer(buffer: Buffer, target: Target) -> Iterator[Diagnostic]:
    for size, text in zip(buffer.shape, buffer.shape_texts, strict=True):
        if _is_impossible(size):
            what = f"an extent of `{buffer.name}`, {_told(text, size)},"
            yield _fault(EXTENT, what, buffer.node, target)


def _of_launch(launch: Launch, target: Target) -> Iterator[Diagnostic]:
    nodes = launch.node.args
    for at, size in enumerate(launch.grid):
        if _is_impossible(size):
            text = ast.unparse(nodes[at]) if len(nodes) == len(launch.grid) else ""
            what = f"an extent of the grid, {_told(text, size)},"
            yield _fault(GRID, what, launch.node, target)
    threads = launch.threads if isinstance(launch.threads, tuple) else (launch.threads,)
    for size in threads:
        if _is_impossible(size):
            text = ast.unparse(launch.threads_node) if launch.threads_node is not None else ""
            what = f"the number of a block's threads, {_told(text, size)},"
            yield _fault(THREADS, what, launch.node, target)


def _below_a_warp(facts: KernelFacts, launch: Launch, target: Target) -> Iterator[Diagnostic]:
    """A matrix product is shared out among whole warps."""
    threads, warp = launch.threads, target.arch.limits.warp_size
    product = next((each for each in facts.products() if not each.conditional), None)
    is_known = target.arch.vendor is Vendor.NVIDIA and len(facts.launches) == 1
    if type(threads) is not int or warp is None or product is None or not is_known:
        return
    if 0 < threads < warp:
        message = (
            f"{threads} threads are less than a warp of {warp}, and whole warps share the "
            f"matrix product: use a multiple of {warp}"
        )
        where = TextRange(launch.node.lineno)
        yield Diagnostic(FEW_THREADS, Severity.ERROR, message, where, targets=(target.name,))


def _is_impossible(size: object) -> bool:
    """Whether a size that the source tells is no whole number above 0; TileLang takes no 32.0."""
    return isinstance(size, float) or (type(size) is int and size < 1)


def _told(text: str, size: object) -> str:
    return f"{text} = {size!r}" if text and text != repr(size) else repr(size)


def _fault(code: str, what: str, node: ast.AST, target: Target) -> Diagnostic:
    message = f"{what} has to be a whole number above 0"
    line = getattr(node, "lineno", None)
    where = TextRange(line) if line is not None else None
    return Diagnostic(code, Severity.ERROR, message, where, targets=(target.name,))
