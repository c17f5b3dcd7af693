"""What a launch leaves idle: too few blocks, a last wave nearly empty, too few resident warps.

Sources: NVIDIA, CUDA C++ Best Practices Guide 13.0, Occupancy and Thread and Block Heuristics. That
an SM issues from four schedulers, each from its own warps: CUDA C++ Programming Guide 13.0,
Hardware Multithreading.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.core.analysis.block_limits import BlockResources, Resource
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.occupancy import Occupancy
from workbench.core.analysis.occupancy_steps import Step, better_steps
from workbench.core.analysis.waves import Waves
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.figures import size
from workbench.core.jobs import Resources
from workbench.core.targets.model import Target, Vendor

STAGE = "analysis"
_SCHEDULERS = 4  # of an NVIDIA multiprocessor
_FEW_WARPS = 2 * _SCHEDULERS
_HALF_EMPTY = 0.5  # of a last wave, at most
_LOST = 1 / 6  # of the time of all waves, at least
_LEAST_TILE = 16  # rows and columns of the smallest tile that is proposed
_CORES = {Vendor.NVIDIA: "multiprocessor", Vendor.AMD: "compute unit"}


@dataclass(frozen=True)
class ModelWaves(Waves):
    """The waves on one model of `cores` cores."""

    model: str
    cores: int

    @property
    def is_lopsided(self) -> bool:
        """Whether the last wave costs much and does little."""
        full = self.count > 1 and self.last <= _HALF_EMPTY * self.capacity
        return full and self.lost >= _LOST


def launch_findings(
    analysis: KernelAnalysis, resources: Resources | None, target: Target, line: int | None
) -> Iterator[Diagnostic]:
    """Hints about one kernel's launch; `line` is that of the kernel.

    Nothing is said where the grid, the resources of a block or the cores of the target are unknown.
    """
    yield from _low_occupancy(analysis, resources, target, line)
    blocks = blocks_of(analysis)
    if blocks is None or target.arch.vendor not in _CORES or not target.sm_counts:
        return
    yield from _small_grid(blocks, target, line)
    yield from _tail(blocks, analysis.occupancy, target, line)


def blocks_of(analysis: KernelAnalysis) -> int | None:
    """The blocks of a launch, None where an extent is known at the launch only."""
    known = [extent for extent in analysis.grid if extent is not None]
    return math.prod(known) if len(known) == len(analysis.grid) else None


def smaller_tile(tile: tuple[int, int], blocks: int, wanted: int) -> tuple[int, int, int] | None:
    """The nearest tile that gives `wanted` blocks, and how many it gives.

    The longer side is halved, of equal ones the second; None where that ends below 16 x 16.
    """
    rows, columns = tile
    while blocks < wanted:
        rows, columns = (rows // 2, columns) if rows > columns else (rows, columns // 2)
        blocks *= 2
        if min(rows, columns) < _LEAST_TILE:
            return None
    return rows, columns, blocks


def _low_occupancy(
    analysis: KernelAnalysis, resources: Resources | None, target: Target, line: int | None
) -> Iterator[Diagnostic]:
    """One block of few warps on a multiprocessor, where a resource keeps out the next one.

    Warp groups that hand registers to each other are made to run one block at a time: with more
    than a warp a scheduler they are no fault.
    """
    found = analysis.occupancy
    if found is None or found.blocks != 1 or found.warps is None or resources is None:
        return
    few = _SCHEDULERS if analysis.register_budget is not None else _FEW_WARPS
    if target.arch.vendor is not Vendor.NVIDIA or found.warps > few:
        return
    step = _next_step(analysis, resources, target)
    if step is None:
        return
    what = " and ".join(_wanted(each, resources, analysis) for each in found.limiting)
    message = (
        f"One block of {found.warps} warps runs on a multiprocessor that holds "
        f"{target.arch.limits.max_warps_per_sm}: {what} leave no room for a second. With a warp or "
        "two for each of its 4 schedulers there is little to do while one waits."
    )
    evidence = {"warps": found.warps, "limiting": [each.value for each in found.limiting]}
    yield _hint("low-occupancy", message, target, line, evidence, _step_text(step))


def _next_step(analysis: KernelAnalysis, resources: Resources, target: Target) -> Step | None:
    """The nearest way to a second block by using less of what limits."""
    block = BlockResources(
        threads=math.prod(extent or 1 for extent in analysis.block),
        registers=resources.registers,
        static_shared_bytes=resources.shared_static_bytes or 0,
        dynamic_shared_bytes=analysis.shared_dynamic_bytes or 0,
        barriers=max(1, resources.barriers or 1),
    )
    steps = better_steps(block, target.arch, count=1)
    less = {Resource.SHARED, Resource.REGISTERS}
    return next((s for s in steps if all(c.resource in less for c in s.changes)), None)


def _wanted(resource: Resource, resources: Resources, analysis: KernelAnalysis) -> str:
    if resource is Resource.SHARED:
        used = (analysis.shared_dynamic_bytes or 0) + (resources.shared_static_bytes or 0)
        return f"{size(used)} of shared memory"
    if resource is Resource.REGISTERS:
        return f"{resources.registers} registers a thread"
    return f"its {resource.value.replace('_', ' ')}"


def _step_text(step: Step) -> str:
    names = {
        Resource.SHARED: lambda value: f"{size(value)} of shared memory or less",
        Resource.REGISTERS: lambda value: f"{value} registers a thread or fewer",
    }
    changes = " and ".join(names[change.resource](change.value) for change in step.changes)
    return f"With {changes}, {step.blocks} blocks of {step.warps} warps together fit."


def _small_grid(blocks: int, target: Target, line: int | None) -> Iterator[Diagnostic]:
    """Fewer blocks than every model of the target has cores."""
    model, cores = min(target.sm_counts.items(), key=lambda item: item[1])
    if blocks >= cores:
        return
    word = _CORES[target.arch.vendor]
    one = "block" if blocks == 1 else "blocks"
    idle = "the others have" if cores - blocks > 1 else "one has"
    message = (
        f"{blocks} {one} on the {cores} {word}s of {model}: {idle} nothing to do ({cores - blocks} "
        f"of {cores})."
    )
    remedy = (
        f"Tiles of 1/{_power(cores / blocks)} of the elements give a block to each {word}; so does "
        "dividing a long loop over K among blocks, or a larger problem."
    )
    evidence = {"blocks": blocks, "cores": cores}
    yield _hint("grid-too-small", message, target, line, evidence, remedy)


def _tail(
    blocks: int, occupancy: Occupancy | None, target: Target, line: int | None
) -> Iterator[Diagnostic]:
    """A last wave that costs as much as a full one and does little, on every model."""
    if occupancy is None or not occupancy.blocks:
        return
    waves = [
        ModelWaves(blocks, cores * occupancy.blocks, model, cores)
        for model, cores in target.sm_counts.items()
    ]
    if not all(each.is_lopsided for each in waves):
        return
    worst = max(waves, key=lambda each: each.lost)
    word = _CORES[target.arch.vendor]
    message = (
        f"{blocks:,} blocks, of which {worst.capacity:,} run at once ({occupancy.blocks} on each "
        f"of the {worst.cores} {word}s of {worst.model}): the last of {worst.count} waves has "
        f"{worst.last:,}, and {worst.lost:.0%} of the time places are empty."
    )
    fewer, more = (worst.count - 1) * worst.capacity, worst.count * worst.capacity
    remedy = (
        f"Tiles of another size that give at most {fewer:,} blocks, or about {more:,}; or "
        f"{worst.capacity:,} persistent blocks that share the work in smaller pieces."
    )
    evidence = {"blocks": blocks, "capacity": worst.capacity, "waves": worst.count}
    yield _hint("tail-wave", message, target, line, evidence, remedy)


def _power(factor: float) -> int:
    return 1 << math.ceil(math.log2(factor))


def _hint(
    code: str,
    message: str,
    target: Target,
    line: int | None,
    evidence: Mapping[str, object],
    remedy: str,
) -> Diagnostic:
    where = TextRange(line) if line is not None else None
    return Diagnostic(
        code,
        Severity.INFO,
        message,
        where,
        targets=(target.name,),
        stage=STAGE,
        evidence=dict(evidence),
        help=remedy,
    )
