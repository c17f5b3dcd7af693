"""The clocks of each step of a pipeline, shared out from what an estimate counts by line."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.core.analysis.estimate import CONSTANTS, EstimateConstants
from workbench.core.analysis.index_expressions import ExpressionError, evaluate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.pipeline import COMPUTING, MEMORY, Pipeline, PipelineStep, StepKind
from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.analysis.tile_regions import BLOCK_NAMES
from workbench.core.analysis.work import WorkUnit

VECTOR = {
    "special": WorkUnit.SPECIAL,
    "float": WorkUnit.FLOAT,
    "conversion": WorkUnit.CONVERSION,
    "shuffle": WorkUnit.SHUFFLE,
}
_GROUP = 128  # threads of a warpgroup: a warp on each quarter of an SM
_BUSY = COMPUTING | MEMORY | {StepKind.COPY}
_MOST_TURNS = 65536  # of loops under a condition, beyond which all are taken to be done


@dataclass(frozen=True)
class StepClocks:
    """Clocks of one execution of a step: what its warps are busy with, in this order.

    `latency` is what it waits for memory, `barrier` for other threads.
    """

    shared: float = 0.0
    tensor: float = 0.0
    vector: float = 0.0
    latency: float = 0.0
    barrier: float = 0.0

    @property
    def computing(self) -> float:
        """What parts of an SM are busy with it."""
        return self.shared + self.tensor + self.vector

    @property
    def total(self) -> float:
        """All of it."""
        return self.computing + self.latency + self.barrier


Blocks = Mapping[str, int]


def middle_block(kernel: KernelAnalysis) -> dict[str, int]:
    """The indices of a block in the middle of the grid, by name."""
    extents = zip(BLOCK_NAMES, kernel.grid, strict=True)
    return {name: (extent or 1) // 2 for name, extent in extents}


def turns_of(pipeline: Pipeline, place: int, values: Blocks) -> int | None:
    """How many turns a loop has; None where the launch or data decide."""
    extent = pipeline.loops[place].extent
    try:
        return None if extent is None else max(0, int(evaluate(extent, values)))
    except (ExpressionError, KeyError):
        return None


def executions(pipeline: Pipeline, step: PipelineStep, blocks: Blocks) -> int:
    """How often a block comes to a step; a loop of unknown turns is taken to turn once."""
    if step.guards:
        counted = 0
        for number, _ in enumerate(_environments(pipeline, step, dict(blocks))):
            if number >= _MOST_TURNS:
                break
            counted += 1
        return counted
    total, values = 1, dict(blocks)
    for place in step.loops:
        extent = turns_of(pipeline, place, values)
        extent = 1 if extent is None else extent
        total *= extent
        values[pipeline.loops[place].name] = extent // 2
    return total


def holds(step: PipelineStep, values: Blocks) -> bool:
    """Whether the guards of a step let it be done; one that cannot be told is taken to."""
    try:
        return all(evaluate(guard, values) for guard in step.guards)
    except (ExpressionError, KeyError):
        return True


def _environments(
    pipeline: Pipeline, step: PipelineStep, values: dict[str, int], depth: int = 0
) -> Iterator[dict[str, int]]:
    """The values of the loops around a step for each time that it is done."""
    if depth == len(step.loops):
        if holds(step, values):
            yield values
        return
    place = step.loops[depth]
    extent = turns_of(pipeline, place, values)
    for turn in range(1 if extent is None else extent):
        inner = {**values, pipeline.loops[place].name: turn}
        yield from _environments(pipeline, step, inner, depth + 1)


def step_clocks(
    pipeline: Pipeline, kernel: KernelAnalysis, constants: EstimateConstants = CONSTANTS
) -> tuple[StepClocks, ...] | None:
    """The clocks of each step; None without an estimate.

    A part of an SM is shared out over the lines by what they ask of it, and over a line's steps
    alike. Vector operations are the slowest kind of each step, scaled so that a block's are those
    of the estimate. Loads of a block share one latency, and so do its stores, as the estimate has
    them under way together.
    """
    if kernel.estimate is None:
        return None
    costs = _Costs(pipeline, kernel, constants)
    return tuple(costs.of(step) for step in pipeline.steps)


class _Costs:
    """Clocks of steps; `times` is how often a line's steps are done in a block, roles added up."""

    def __init__(
        self, pipeline: Pipeline, kernel: KernelAnalysis, constants: EstimateConstants
    ) -> None:
        assert kernel.estimate is not None
        self._pipeline, self._constants = pipeline, constants
        self._pipes = {pipe.name: pipe.clocks for pipe in kernel.estimate.pipes}
        self._asked = asked_by_line(kernel)
        self._reduced = _reduction_barriers(kernel)
        blocks = middle_block(kernel)
        self._often = {s: executions(pipeline, s, blocks) for s in set(pipeline.steps)}
        self._times: dict[int | None, float] = {}
        self._memory = dict.fromkeys(MEMORY, 0.0)
        for step in pipeline.steps:
            often = self._often[step] * _roles(pipeline, step)
            if step.kind in _BUSY:
                self._times[step.line] = self._times.get(step.line, 0.0) + often
            if step.kind in MEMORY:
                self._memory[step.kind] += self._often[step]
        self._chain = self._vector_factor()

    def of(self, step: PipelineStep) -> StepClocks:
        """The clocks of one execution of a step by one role."""
        constants = self._constants
        if step.kind is StepKind.BARRIER:
            return StepClocks(barrier=constants.barrier)
        if step.kind not in _BUSY:
            return StepClocks()
        times = self._times.get(step.line) or 1.0
        latency = constants.latency if step.kind in MEMORY else 0.0
        return StepClocks(
            self._share("shared", step.line) / times,
            self._share("tensor", step.line) / times,
            self._vector(step.line) * self._chain / times,
            latency / max(1.0, self._memory.get(step.kind, 0.0)),
            constants.barrier * self._reduced.get(step.line, 0.0) / times,
        )

    def _share(self, pipe: str, line: int | None) -> float:
        """A block's clocks of a part that are a line's."""
        asked = self._asked.get(pipe, {})
        total = math.fsum(asked.values())
        return self._pipes.get(pipe, 0.0) * asked.get(line, 0.0) / total if total else 0.0

    def _vector(self, line: int | None) -> float:
        return max(self._share(pipe, line) for pipe in VECTOR)

    def _vector_factor(self) -> float:
        """What makes the lines' slowest kinds add up to the estimate's chain of vector work."""
        lines = {line for pipe in VECTOR for line in self._asked.get(pipe, {})}
        own = math.fsum(self._vector(line) for line in lines)
        whole = max(self._pipes.get(pipe, 0.0) for pipe in (*VECTOR, "issue"))
        groups = max(1.0, computing_threads(self._pipeline) / _GROUP)
        return whole / own * self._constants.vector_chain / groups if own else 0.0


def computing_threads(pipeline: Pipeline) -> int:
    """Threads of a block without those that copy for the others."""
    if len(pipeline.roles) < 2:
        return pipeline.threads
    warps = sum(
        last - first + 1
        for first, last in pipeline.roles
        if any(pipeline.steps[n].kind in COMPUTING for n in pipeline.of_role((first, last)))
    )
    return min(pipeline.threads, warps * pipeline.warp) or pipeline.threads


def _roles(pipeline: Pipeline, step: PipelineStep) -> int:
    """How many roles come to a step."""
    first, last = step.warps
    return max(1, sum(a <= last and first <= b for a, b in pipeline.roles))


def asked_by_line(kernel: KernelAnalysis) -> dict[str, dict[int | None, float]]:
    """What each line asks of each part of an SM over the launch, by the part's name."""
    found: dict[str, dict[int | None, float]] = {}

    def add(pipe: str, line: int | None, amount: float | None) -> None:
        lines = found.setdefault(pipe, {})
        lines[line] = lines.get(line, 0.0) + (amount or 0.0)

    units: dict[WorkUnit, str] = {unit: pipe for pipe, unit in VECTOR.items()}
    for site in kernel.work.sites if kernel.work is not None else ():
        if site.unit is WorkUnit.TENSOR:
            add("tensor", site.line, site.flops)
        elif site.unit in units:
            add(units[site.unit], site.line, site.operations)
    for shared in kernel.shared.sites if kernel.shared is not None else ():
        if shared.kind not in (SharedKind.TENSOR, SharedKind.BULK_COPY):
            add("shared", shared.line, shared.wavefronts)
    return found


def _reduction_barriers(kernel: KernelAnalysis) -> dict[int | None, float]:
    """Barriers in a block's reductions over warps, by line."""
    threads = math.prod(extent or 1 for extent in (*kernel.grid, *kernel.block))
    found: dict[int | None, float] = {}
    for site in kernel.work.sites if kernel.work is not None else ():
        if site.unit is WorkUnit.WAIT and site.operation == "AllReduce":
            found[site.line] = found.get(site.line, 0.0) + (site.operations or 0) / threads
    return found
