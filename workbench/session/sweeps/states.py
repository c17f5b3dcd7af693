"""How a sweep stands: by what its journal says, and by whether a process works on it."""

from __future__ import annotations

import enum
from pathlib import Path

from workbench.core.sweeps import journal


class SweepState(enum.Enum):
    """How a sweep stands."""

    RUNNING = "running"
    CANCELLING = "cancelling"
    DONE = "done"
    BUDGET = "budget"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


_ENDED = {
    "done": SweepState.DONE,
    "budget": SweepState.BUDGET,
    "cancelled": SweepState.CANCELLED,
}


def state_of(folder: Path, ended: str | None, is_own: bool) -> SweepState:
    """How a sweep stands, of which the journal says that it `ended`."""
    if is_own or journal.runner_of(folder) is not None:
        return SweepState.RUNNING
    return _ENDED.get(ended or "", SweepState.INTERRUPTED)
