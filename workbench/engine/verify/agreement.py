"""The three-way reading of a device's run: the simulator runs the same, and pairs are compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from workbench.core.jobs import ThreeWay, VerifyRequest
from workbench.core.verification.three_way import Pair, three_way, together
from workbench.engine import blame
from workbench.engine.verify import comparing
from workbench.engine.verify.outputs import Executed
from workbench.engine.verify.simulating import NotSimulatedError, Simulation, copied

SIMULATE_SECONDS = 30.0  # a run that would take longer is left out

Rerun = Callable[[Sequence[Any], int, tuple[int, ...]], Any]


class ThreeWayReader:
    """Reads a request's runs on the device; the first that is not in agreement decides.

    `skipped` says why there is no reading.
    """

    def __init__(self, request: VerifyRequest, simulation: Simulation) -> None:
        self.found: ThreeWay | None = None
        self.skipped: str | None = None
        self._request = request
        self._simulation = simulation

    def read(
        self, seed: int, run: Executed, expected: Sequence[torch.Tensor], rerun: Rerun
    ) -> None:
        """Take in one run on the device; `rerun` launches once more, on values of its own."""
        if self.skipped or self._is_decided:
            return
        try:
            simulated = self._simulation.outputs(seed, run, SIMULATE_SECONDS)
        except NotSimulatedError as error:
            self.skipped = str(error)
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

    def _repeats(
        self, seed: int, run: Executed, device: Sequence[torch.Tensor], rerun: Rerun
    ) -> bool | None:
        """Whether a second launch gives the same; None where it failed."""
        values = [copied(value) for value in run.before]
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


def _float(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().to(torch.float64)
