"""Hazards of a lowered kernel: reads before copies are done, races, and barriers that fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from workbench.core.analysis.hazards import (
    Agent,
    Hazard,
    HazardKind,
    Mode,
    Place,
    diagnostic,
)
from workbench.core.diagnostics import Diagnostic
from workbench.engine.analysis.copy_lines import Pair, copy_lines
from workbench.engine.analysis.expressions import Node, UnknownValueError, evaluate
from workbench.engine.analysis.hazard_block import CannotTellError
from workbench.engine.analysis.hazard_loops import expressions
from workbench.engine.analysis.hazard_program import (
    Branch,
    Leave,
    Loop,
    Program,
    Step,
    may_block,
)
from workbench.engine.analysis.hazard_run import BlockWalk
from workbench.engine.analysis.hazard_touches import Mask
from workbench.engine.analysis.hazard_walk import HazardWalk
from workbench.engine.analysis.launch import LaunchAxes
from workbench.engine.analysis.shared_memory import LoweredKernel
from workbench.engine.analysis.tensor_maps import tensor_maps


@dataclass(frozen=True)
class HazardReport:
    """What was found; `untold` counts accesses that were left out, `given_up` says why a walk
    ended early. Hazards that come after that point are not found."""

    diagnostics: tuple[Diagnostic, ...]
    untold: int = 0
    given_up: str | None = None


def hazards(kernel: LoweredKernel) -> tuple[Diagnostic, ...]:
    """The hazards of a kernel that can be shown. What cannot be told is left out silently."""
    return hazard_report(kernel).diagnostics


def hazard_report(kernel: LoweredKernel) -> HazardReport:
    """The hazards of a kernel, in its first and its last block where blocks differ in order."""
    try:
        walks = list(_walks(kernel))
    except ValueError as error:
        return HazardReport((), 0, str(error))
    lines = copy_lines(kernel.tile_func, kernel.document)
    found = [hazard for walk, _ in walks for hazard in walk.hazards]
    reasons = [reason for _, reason in walks if reason is not None]
    return HazardReport(
        _distinct(found, lines, kernel.target.name),
        max(walk.untold for walk, _ in walks),
        reasons[0] if reasons else None,
    )


def _walks(kernel: LoweredKernel) -> Iterator[tuple[BlockWalk, str | None]]:
    """The walks of the blocks that are looked at, and why each was given up."""
    warp = kernel.target.arch.limits.warp_size or 32
    maps = tensor_maps(kernel.host_module)
    symbolic = HazardWalk(kernel.func, kernel.document, warp, maps, None)
    program = symbolic.program(kernel.func.body)
    grid = symbolic.axes.launch.grid
    if not any(node.axes & set(symbolic.axes.grid.values()) for node in expressions(program)):
        yield _walked(symbolic, program, (0, 0, 0))
        return
    for block in dict.fromkeys(((0, 0, 0), (grid[0] - 1, grid[1] - 1, grid[2] - 1))):
        made = HazardWalk(kernel.func, kernel.document, warp, maps, block)
        yield _walked(made, made.program(kernel.func.body), block)


def _walked(
    made: HazardWalk, program: Program, block: tuple[int, int, int]
) -> tuple[BlockWalk, str | None]:
    walk = BlockWalk(program, made.axes, block)
    try:
        walk.run(parties(program, made.axes))
    except CannotTellError as error:
        return walk, str(error)
    return walk, None


def parties(program: Program, axes: LaunchAxes) -> list[Mask]:
    """The threads in groups of whole warps that wait under the same conditions.

    Where a condition around a wait depends on a loop's turn, each warp is a group of its own.
    """
    launch = axes.launch
    warps = np.arange(launch.threads) // launch.warp
    told = [_by_thread(node, axes) for node in _around_waits(program.steps)]
    if any(each is None for each in told):
        return [warps == warp for warp in range(launch.warps)]
    groups: dict[tuple[bytes, ...], Mask] = {}
    for warp in range(launch.warps):
        own = warps == warp
        key = tuple(each[own].tobytes() for each in told if each is not None)
        groups[key] = groups.get(key, own) | own
    return list(groups.values())


def _around_waits(steps: Sequence[Step]) -> Iterator[Node]:
    """The conditions that differ between threads around what a thread may wait at."""
    for step in steps:
        if isinstance(step, Loop):
            yield from _around_waits(step.body)
        elif isinstance(step, Branch):
            inner = (*step.then, *step.otherwise)
            leaves = any(isinstance(each, Leave) for each in inner)
            if any(axis.thread for axis in step.condition.axes) and (may_block(inner) or leaves):
                yield step.condition
            yield from _around_waits(inner)


def _by_thread(node: Node, axes: LaunchAxes) -> Mask | None:
    try:
        value = evaluate(node, {axes.thread: np.arange(axes.launch.threads)}, {})
    except UnknownValueError:
        return None
    return np.broadcast_to(np.asarray(value) != 0, axes.launch.threads)


def _distinct(
    found: Sequence[Hazard], lines: Mapping[Pair, int], target: str
) -> tuple[Diagnostic, ...]:
    """The diagnostics, of those that say the same of the same lines the first alone."""
    made: dict[tuple[object, ...], Diagnostic] = {}
    for hazard in found:
        if _follows(hazard, found):
            continue
        told = diagnostic(located(hazard, lines), (target,))
        accesses = [
            (told.evidence[each]["line"], told.evidence[each]["buffer"])
            for each in ("first", "second")
            if each in told.evidence
        ]
        line = told.range.line if told.range else None
        made.setdefault((told.code, line, *accesses), told)
    return tuple(made.values())


def _follows(hazard: Hazard, found: Sequence[Hazard]) -> bool:
    """Whether copies that overwrite one another are told by a use that does not await the first."""
    first, second = hazard.first, hazard.second
    if first is None or second is None or second.mode is not Mode.WRITE:
        return False
    if hazard.kind is not HazardKind.NOT_AWAITED or second.agent is Agent.THREAD:
        return False
    copies = ((first.line, first.buffer), (second.line, second.buffer))
    return any(
        other.first is not None
        and other is not hazard
        and other.kind in (HazardKind.NOT_AWAITED, HazardKind.OVERWRITTEN)
        and other.second is not None
        and {other.first.mode, other.second.mode} == {Mode.READ, Mode.WRITE}
        and (other.first.buffer in {name for _, name in copies})
        for other in found
    )


def located(hazard: Hazard, lines: Mapping[Pair, int]) -> Hazard:
    """The hazard with the lines of copies that have lost their own."""

    def place(each: Place | None) -> Place | None:
        if each is None or each.line is not None or each.partner is None:
            return each
        return replace(each, line=lines.get(frozenset((each.buffer, each.partner))))

    return replace(
        hazard,
        first=place(hazard.first),
        second=place(hazard.second),
        near=place(hazard.near),
    )
