"""Runs in the simulator what was run on a device, where that does not take too long."""

from __future__ import annotations

from typing import Any

import torch

from workbench.engine import simulator
from workbench.engine.verify import sampling
from workbench.engine.verify.outputs import Executed
from workbench.engine.verify.runners import as_numpy

_MOST_BYTES = 64 * 1024**2  # of tensors, where no block alone can tell how long the others take


class NotSimulatedError(Exception):
    """The simulator has no outputs of a run; the message says why and what next."""


class Simulation:
    """The simulator's program of one kernel, run beside a device; None where there is none."""

    def __init__(self, func: Any, program: simulator.Program | None) -> None:
        self._func = func
        self._program = program

    def outputs(self, seed: int, run: Executed, most_seconds: float) -> list[torch.Tensor]:
        """The outputs for the run's inputs; raises NotSimulatedError."""
        if self._program is None:
            raise NotSimulatedError("the simulator cannot execute this kernel")
        seconds = self._estimated(self._program, seed, run)
        if seconds is None or seconds > most_seconds:
            longer = "" if seconds is None else f" (about {seconds:,.0f} s)"
            raise NotSimulatedError(
                f"the simulator would take too long{longer}: give a smaller case"
            )
        values = [copied(value) for value in run.before]
        try:
            self._program.run([as_numpy(value) for value in values], _options(run))
        except Exception as error:  # whatever stops it, the device's result stands
            raise NotSimulatedError(
                f"the simulator stopped: {type(error).__name__}: {error}"
            ) from error
        return [values[i] for i in run.bound.outputs]

    def _estimated(self, program: simulator.Program, seed: int, run: Executed) -> float | None:
        """Seconds of a whole run, from one block's; None where unknown and large."""
        try:
            sampling.check_sample("simulator", self._func, program.parameters)
        except sampling.NoSampleError:
            tensors = [v for v in run.before if isinstance(v, torch.Tensor)]
            size = sum(v.numel() * v.element_size() for v in tensors)
            return 0.0 if size <= _MOST_BYTES else None
        options = simulator.SimulationOptions(sample=1, shuffle_seed=seed)
        values = [as_numpy(copied(value)) for value in run.before]
        try:
            report = program.run(values, options)
        except Exception:  # the whole run says what
            return 0.0
        return report.seconds * report.blocks_total / max(1, report.blocks_run)


def _options(run: Executed) -> simulator.SimulationOptions:
    fresh = tuple(at for at in run.bound.outputs if at not in run.bound.inputs)
    return simulator.SimulationOptions(fresh=fresh)


def copied(value: Any) -> Any:
    """A value that a run may change."""
    return value.clone() if isinstance(value, torch.Tensor) else value
