"""When a block's warps copy, wait and compute, by the clocks of each step: a simulation of turns.

One block is alone on its SM. A role does its steps in order. A copy takes `latency` clocks and
`line` for each row that goes to the same mbarrier with it; a wait ends when what it is for has
come, and where the accelerator copied, `wait` clocks later, in which a stage is handed over. The
constants are those of the estimate, so that a block takes about as long as there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from workbench.core.analysis.estimate import CONSTANTS, EstimateConstants
from workbench.core.analysis.pipeline import COMPUTING, Pipeline, StepKind
from workbench.core.analysis.pipeline_costs import StepClocks, executions
from workbench.core.analysis.pipeline_running import Running, Unmet
from workbench.core.analysis.pipeline_stretches import Part, Stretch, parts_of

WAITING = frozenset((Part.WAIT, Part.HAND_OVER, Part.BARRIER, Part.MEMORY))
_SAME = 1.0  # clocks that turns may differ by


@dataclass(frozen=True)
class Schedule:
    """The stretches of the first turns of a block, in clocks from its begin.

    `main` is the loop that is pipelined and `role` the one that computes in it, None where there is
    no such loop. `turns` is when each of its turns begins there, `total_turns` how many a block
    does. `block_clocks` is what the whole block takes. `is_cut` says that later turns are not among
    the stretches, `is_unmet` that some wait is for what never comes, `is_untold` that nobody knows
    what some wait is for: then the times mean nothing.
    """

    stretches: tuple[Stretch, ...]
    main: int | None
    role: int
    turns: tuple[float, ...]
    total_turns: int
    block_clocks: float
    is_cut: bool = False
    is_unmet: bool = False
    is_untold: bool = False

    @property
    def end(self) -> float:
        """When the last stretch ends."""
        return max((each.end for each in self.stretches), default=0.0)

    @property
    def has_copies(self) -> bool:
        """Whether anything is copied in the background."""
        return any(each.part is Part.COPY for each in self.stretches)

    @property
    def cycle(self) -> int:
        """After how many turns their lengths come again, as stages make turns differ; 1 if never.

        The first half of the turns fills the stages and is left out.
        """
        return self._repeats or 1

    @property
    def _repeats(self) -> int | None:
        late = self._lengths[len(self._lengths) // 2 :]
        for turns in range(1, len(late) // 2 + 1):
            pairs = zip(late, late[turns:], strict=False)
            if all(abs(one - other) <= _SAME for one, other in pairs):
                return turns
        return None

    @property
    def _lengths(self) -> tuple[float, ...]:
        pairs = zip(self.turns, self.turns[1:], strict=False)
        return tuple(after - before for before, after in pairs)

    @property
    def steady(self) -> tuple[float, float] | None:
        """Begin and end of one cycle of turns in the steady state; None without one.

        Where turns do not repeat, as between the tiles of a persistent kernel, it is the turn of
        the median length.
        """
        lengths, turns = self._lengths, self.cycle
        first = len(lengths) // 2
        if self._repeats is None:
            late = sorted(range(first, len(lengths)), key=lengths.__getitem__)
            first = late[len(late) // 2] if late else first
        if len(self.turns) <= first + turns:
            return None
        return self.turns[first], self.turns[first + turns]

    @property
    def period(self) -> float | None:
        """The clocks of a turn in the steady state, the mean of a cycle."""
        window = self.steady
        return None if window is None else (window[1] - window[0]) / self.cycle

    def scaled(self, factor: float) -> Schedule:
        """The same with all times multiplied."""
        stretches = tuple(
            replace(each, begin=each.begin * factor, end=each.end * factor)
            for each in self.stretches
        )
        turns = tuple(turn * factor for turn in self.turns)
        block = self.block_clocks * factor
        return replace(self, stretches=stretches, turns=turns, block_clocks=block)


def main_loop(
    pipeline: Pipeline, clocks: tuple[StepClocks, ...] | None, blocks: Mapping[str, int]
) -> tuple[int | None, int]:
    """The loop with copies or waits for them that takes most clocks, and the role that computes.

    Without clocks what computes most is what has most steps, products counting more.
    """

    def weight(place: int) -> float:
        step = pipeline.steps[place]
        if clocks is not None and any(each.total for each in clocks):
            return clocks[place].total * executions(pipeline, step, blocks)
        return 100.0 if step.kind is StepKind.TENSOR else float(step.kind in COMPUTING)

    own = [pipeline.of_role(role) for role in pipeline.roles]
    role = max(range(len(own)), key=lambda n: sum(weight(place) for place in own[n]), default=0)
    pipelined = {
        step.loops[-1]
        for place in own[role]
        if (step := pipeline.steps[place]).kind in (StepKind.WAIT, StepKind.COPY) and step.loops
    }
    inside = {
        loop: sum(weight(p) for p in own[role] if loop in pipeline.steps[p].loops)
        for loop in sorted(pipelined)
    }
    if not any(inside.values()) or not has_copies(pipeline):
        return None, role
    return max(inside, key=inside.__getitem__), role


def has_copies(pipeline: Pipeline) -> bool:
    """Whether anything is copied in the background."""
    return any(step.kind is StepKind.COPY for step in pipeline.steps)


def schedule(
    pipeline: Pipeline,
    clocks: tuple[StepClocks, ...],
    blocks: Mapping[str, int],
    constants: EstimateConstants = CONSTANTS,
    most_turns: int = 24,
) -> Schedule:
    """The schedule of a block; of each loop `most_turns` turns are followed at most."""
    main, role = main_loop(pipeline, clocks, blocks)
    if not has_copies(pipeline):
        return _sequence(pipeline, clocks, blocks, role)
    running = Running(pipeline, clocks, blocks, constants, most_turns)
    try:
        running.finish()
        unmet = False
    except Unmet:
        unmet = True
    found = tuple(running.stretches)
    turns = tuple(running.turns.get((role, main), ())) if main is not None else ()
    total = _turns(pipeline, main, role, blocks) if main is not None else 0
    made = Schedule(found, main, role, turns, total, 0.0, running.is_cut, unmet, running.is_untold)
    left = max(0, total - len(turns)) * (made.period or 0.0)
    return replace(made, block_clocks=made.end + left)


def _turns(pipeline: Pipeline, main: int, role: int, blocks: Mapping[str, int]) -> int:
    inside = [
        pipeline.steps[place]
        for place in pipeline.of_role(pipeline.roles[role])
        if pipeline.steps[place].loops[-1:] == (main,)
    ]
    return max((executions(pipeline, step, blocks) for step in inside), default=0)


def _sequence(
    pipeline: Pipeline, clocks: tuple[StepClocks, ...], blocks: Mapping[str, int], role: int
) -> Schedule:
    """Each step once, for all that it is done: what a kernel without a pipeline is shown as."""
    found: list[Stretch] = []
    for number, warps in enumerate(pipeline.roles):
        now = 0.0
        for place in pipeline.of_role(warps):
            times = executions(pipeline, pipeline.steps[place], blocks)
            for part, length in parts_of(clocks[place]):
                end = now + length * times
                if end > now:
                    found.append(Stretch(part, place, number, now, end))
                now = end
    end = max((each.end for each in found), default=0.0)
    return Schedule(tuple(found), None, role, (), 0, end)
