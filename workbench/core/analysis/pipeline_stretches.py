"""Stretches of time of a pipeline's roles: what each is spent on, from when to when."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from workbench.core.analysis.pipeline_costs import StepClocks


class Part(enum.Enum):
    """What a stretch of time is spent on."""

    COPY = "copy"
    WAIT = "wait"  # for a copy
    HAND_OVER = "hand over"
    ROOM = "wait for room"  # until a stage may be filled again
    BARRIER = "barrier"
    SHARED = "shared"
    TENSOR = "tensor"
    VECTOR = "vector"
    MEMORY = "memory"  # a load or store that is waited for


@dataclass(frozen=True)
class Stretch:
    """Clocks from `begin` to `end` that a role (by position) spends on a step (by position).

    `turn` is that of the innermost loop of the step, None outside of loops; `buffers` are what is
    copied or waited for. A copy belongs to the role that starts it, which goes on meanwhile.
    """

    part: Part
    step: int
    role: int
    begin: float
    end: float
    turn: int | None = None
    buffers: tuple[str, ...] = ()

    @property
    def clocks(self) -> float:
        """How long it takes."""
        return self.end - self.begin


def parts_of(clocks: StepClocks) -> tuple[tuple[Part, float], ...]:
    """The parts of a step in the order in which they are shown."""
    return (
        (Part.MEMORY, clocks.latency),
        (Part.SHARED, clocks.shared),
        (Part.TENSOR, clocks.tensor),
        (Part.VECTOR, clocks.vector),
        (Part.BARRIER, clocks.barrier),
    )
