"""What the source says of a launch with some arguments: grid, threads, shared bytes, regions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workbench.core.analysis.tile_regions import TileRegions
from workbench.core.doctor.facts import KernelFacts, Launch, LoopKind
from workbench.core.doctor.module import read_module
from workbench.core.doctor.programs import facts_of
from workbench.core.doctor.values import Buffer, Scope, buffer_of, size_bytes
from workbench.core.documents.model import Kernel
from workbench.core.documents.reading import parse_document
from workbench.session.kernel_reading import buffers_of
from workbench.session.lenses.quick.forms import UntoldError
from workbench.session.lenses.quick.regions import regions_of

_COPIES = frozenset({"copy", "async_copy", "tma_copy"})


@dataclass(frozen=True)
class SourceTile:
    """A shared buffer's bytes once, and the stages of the pipelined loop that loads it, else 1."""

    once_bytes: int
    stages: int


@dataclass(frozen=True)
class SourceLaunch:
    """A kernel's one launch by its source, with its shared buffers by name.

    `tiles` is None where the source leaves a region open.
    """

    grid: tuple[int, int, int]
    threads: int
    shared: Mapping[str, SourceTile]
    tiles: TileRegions | None


def source_launch(text: str, kernel: str | None, arguments: Mapping[str, Any]) -> SourceLaunch:
    """The launch of a document's kernel. Raises UntoldError where the source does not tell it."""
    module = read_module(text)
    chosen = next((each for each in kernels_of(text) if each.name == kernel), None)
    found = facts_of(module, chosen, arguments, ()) if module is not None and chosen else []
    if len(found) != 1 or len(found[0].launches) != 1:
        raise UntoldError("the source does not tell of one launch")
    (facts,) = found
    (launch,) = facts.launches
    if type(launch.threads) is not int:
        raise UntoldError("the threads of a block are not known before lowering")
    grid = _grid(launch)
    return SourceLaunch(grid, launch.threads, dict(_shared(facts)), _tiles(facts, launch, grid))


@lru_cache(maxsize=4)
def kernels_of(text: str) -> tuple[Kernel, ...]:
    """The kernels of a document; the text stays while a slider moves."""
    return parse_document(text).kernels


def _grid(launch: Launch) -> tuple[int, int, int]:
    extents = [n for n in launch.grid if type(n) is int and n > 0]
    if len(extents) != len(launch.grid) or not 1 <= len(extents) <= 3:
        raise UntoldError("the grid is known at the launch only")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


def _shared(facts: KernelFacts) -> Iterator[tuple[str, SourceTile]]:
    for buffer in buffers_of(facts):
        if buffer.scope is not Scope.SHARED:
            continue
        once = size_bytes(buffer)
        if once is None:
            raise UntoldError(f"the size of {buffer.name} is not known before lowering")
        yield buffer.name, SourceTile(once, _stages(facts, buffer))


def _stages(facts: KernelFacts, buffer: Buffer) -> int:
    stages = [1]
    for operation in facts.operations_on(buffer):
        source, target = operation.operand(0, "src"), operation.operand(1, "dst")
        if operation.name not in _COPIES or buffer_of(target) is not buffer:
            continue
        loaded = buffer_of(source)
        if loaded is None or loaded.scope is not Scope.GLOBAL:
            continue
        for loop in operation.loops:
            if loop.kind is LoopKind.PIPELINED:
                if type(loop.num_stages) is not int:
                    raise UntoldError("the stages are not known before lowering")
                stages.append(loop.num_stages)
    return max(stages)


def _tiles(facts: KernelFacts, launch: Launch, grid: tuple[int, int, int]) -> TileRegions | None:
    if any(keyword.arg == "cluster_dims" for keyword in launch.node.keywords):
        return None
    try:
        return regions_of(facts, grid, _names(facts, launch), launch.node.lineno)
    except UntoldError:
        return None


def _names(facts: KernelFacts, launch: Launch) -> tuple[str, ...]:
    """What the document calls the block's indices, x first."""
    for node in ast.walk(facts.function):
        for item in node.items if isinstance(node, ast.With) else ():
            if item.context_expr is launch.node:
                given = item.optional_vars
                parts = given.elts if isinstance(given, ast.Tuple) else [given]
                return tuple(part.id for part in parts if isinstance(part, ast.Name))
    return ()
