"""Where the tasks of a sweep are run: what every such place offers to the runner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from workbench.core.targets.model import Target
from workbench.session.sweeps.tasks import Finished, Task


class BackendError(Exception):
    """There is nowhere to run a sweep's tasks; the message says what was tried and what to do."""


class Backend(Protocol):
    """Runs tasks at the same time; driven from one thread."""

    @property
    def title(self) -> str:
        """Where tasks run, in words."""
        ...

    def cpu_free(self) -> int:
        """How many more tasks that need no GPU would start soon."""
        ...

    def gpu_free(self, target: Target) -> int:
        """How many more tasks would start soon on GPUs that run a target's code."""
        ...

    def why_no_gpu(self, target: Target) -> str | None:
        """Why no GPU here runs a target's code; None where one does."""
        ...

    def submit(self, task: Task) -> None:
        """Begin a task, or queue it."""
        ...

    def wait(self, seconds: float) -> Sequence[Finished]:
        """The tasks that ended, at the latest after so long."""
        ...

    def close(self) -> None:
        """End everything that still runs; nothing is left behind."""
        ...
