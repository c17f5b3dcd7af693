"""The three-way reading of a device's run: the simulator runs the same, and pairs are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from workbench.core.jobs import ThreeWay, VerifyRequest
from workbench.core.verification.three_way import Pair, three_way, together
from workbench.engine import blame, simulator
from workbench.engine.verify import comparing, sampling
from workbench.engine.verify.outputs import Executed
from workbench.engine.verify.runners import as_numpy

SIMULATE_SECONDS = 30.0  # a run that would take longer is left out
_MOST_BYTES = 64 * 1024**2  # of tensors, where no block alone can tell how long the others take

Rerun = Callable[[Sequence[Any], int, tuple[int, ...]], Any]


class ThreeWayReader:
    """Reads a request's runs on the device; the first that is not in agreement decides.

    `skipped` says why there is no reading.
    """

    def __init__(
        self, request: VerifyRequest, func: Any, program: simulator.Program | None
    ) -> None:
        self.found: ThreeWay | None = None
        self.skipped: str | None = None
        self._request = request
        self._func = func
        self._program = program
        if program is None:
            self.skipped = "the simulator cannot execute this kernel"

    def read(
        self, seed: int, run: Executed, expected: Sequence[torch.Tensor], rerun: Rerun
    ) -> None:
        """Take in one run on the device; `rerun` launches once more, on values of its own."""
        if self._program is None or self.skipped or self._is_decided:
            return
        simulated = self._simulated(self._program, seed, run)
        if simulated is None:
            return
        device = [run.bound.values[i] for i in run.bound.outputs]
        simulator_right, device_right, same = (
            together([self._pair(run, got, wanted) for got, wanted in zip(a, b, strict=True)])
            for a, b in ((simulated, expected), (device, expected), (device, simulated))
        )
        repeats = None if device_right.agrees else self._repeats(seed, run, device, rerun)
        self.found = three_way(simulator_right, device_right, same, repeats)

    @property
    def _is_decided(self) -> bool:
        return self.found is not None and self.found.verdict != "agree"

    def _simulated(
        self, program: simulator.Program, seed: int, run: Executed
    ) -> list[torch.Tensor] | None:
        """The simulator's outputs; None where it would take too long, or failed."""
        seconds = self._estimated(program, seed, run)
        if seconds is None or seconds > SIMULATE_SECONDS:
            longer = "" if seconds is None else f" (about {seconds:,.0f} s)"
            self.skipped = f"the simulator would take too long{longer}: give a smaller case"
            return None
        values = [_copied(value) for value in run.before]
        try:
            program.run([as_numpy(value) for value in values], _options(run))
        except Exception as error:  # whatever stops it, the device's result stands
            self.skipped = f"the simulator stopped: {type(error).__name__}: {error}"
            return None
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
        values = [as_numpy(_copied(value)) for value in run.before]
        try:
            report = program.run(values, options)
        except Exception:  # the whole run says what
            return 0.0
        return report.seconds * report.blocks_total / max(1, report.blocks_run)

    def _repeats(
        self, seed: int, run: Executed, device: Sequence[torch.Tensor], rerun: Rerun
    ) -> bool | None:
        """Whether a second launch gives the same; None where it failed."""
        values = [_copied(value) for value in run.before]
        fresh = tuple(at for at in run.bound.outputs if at not in run.bound.inputs)
        try:
            rerun(values, seed, fresh)
        except blame.StepError:
            return None
        again = [values[i] for i in run.bound.outputs]
        pairs = [self._pair(run, a, b) for a, b in zip(again, device, strict=True)]
        return together(pairs).agrees

    def _pair(self, run: Executed, got: torch.Tensor, expected: torch.Tensor) -> Pair:
        request = self._request
        if expected.shape != got.shape:
            expected = expected.reshape(got.shape)
        inputs = list(run.inputs.values())
        tolerance = comparing.tolerance_for(got, expected, inputs, request.rtol, request.atol)
        compared = comparing.compare(0, "", got, expected, tolerance)
        lone = torch.isfinite(_float(got)) != torch.isfinite(_float(expected))
        return Pair(compared.mismatched, compared.total, compared.max_share, int(lone.sum()))


def _options(run: Executed) -> simulator.SimulationOptions:
    fresh = tuple(at for at in run.bound.outputs if at not in run.bound.inputs)
    return simulator.SimulationOptions(fresh=fresh)


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value


def _float(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().to(torch.float64)
