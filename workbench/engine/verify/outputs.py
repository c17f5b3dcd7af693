"""Compares the outputs of one run with the reference: figures, pictures, what kind of wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from workbench.core.jobs import Failure, OutputBlocks, OutputComparison, VerifyRequest
from workbench.engine import blame
from workbench.engine.simulator import Parameter, SimulationReport
from workbench.engine.verify import comparing, details, sampling, signatures
from workbench.engine.verify.tensors import Binding


@dataclass(frozen=True)
class Executed:
    """One run: the parameters, their values before and after, and what the simulator reported."""

    parameters: Sequence[Parameter]
    bound: Binding
    before: Sequence[Any]
    report: SimulationReport | None

    @property
    def inputs(self) -> dict[str, torch.Tensor]:
        """The tensors that went in, by name."""
        found = {self.parameters[i].name: self.before[i] for i in self.bound.inputs}
        return {name: value for name, value in found.items() if isinstance(value, torch.Tensor)}


class OutputComparer:
    """Compares the outputs of a request's runs; what does not fit a figure goes into `blobs`.

    With `of_two` what is expected is itself the result of a run, not of a reference.
    """

    def __init__(self, request: VerifyRequest, blobs: list[bytes]) -> None:
        self._request = request
        self._blobs = blobs
        self._pictures: set[tuple[int, bool]] = set()
        self.of_two = False

    def compare_all(
        self, run: Executed, expected: Sequence[torch.Tensor]
    ) -> tuple[OutputComparison, ...]:
        """Each output against what is expected of it."""
        pairs = zip(run.bound.outputs, expected, strict=True)
        return tuple(self._compare(run, index, wanted) for index, wanted in pairs)

    def _compare(self, run: Executed, index: int, expected: torch.Tensor) -> OutputComparison:
        got, name = run.bound.values[index], run.parameters[index].name
        expected = _in_shape(name, got, expected)
        request, inputs = self._request, run.inputs
        tolerance = comparing.tolerance_for(
            got, expected, list(inputs.values()), request.rtol, request.atol
        )
        tolerance = tolerance.of_two() if self.of_two else tolerance
        compared, blocks = self._compared(run, index, name, tuple(got.shape))
        judged = expected
        if compared is None:
            comparison = comparing.compare(index, name, got, expected, tolerance)
        else:
            comparison = comparing.compare_some(index, name, got, expected, tolerance, compared)
            # In pictures, what no block of the sample wrote stands beside itself.
            judged = torch.where(compared, expected, got)
        comparison = replace(comparison, blocks=blocks)
        pair = details.Compared(got, judged, tolerance)
        if request.details:
            comparison = self._detailed(comparison, pair, run.report)
        if comparison.mismatched == 0:
            return comparison
        around = signatures.Surroundings(
            inputs, request.kernel.args, _before(run, index, got), compared
        )
        found = signatures.find_signatures(comparison, got, expected, tolerance, around)
        cells = self._request.error_map_cells
        return with_error_map(replace(comparison, signatures=found), pair, cells, self._blobs)

    def _compared(
        self, run: Executed, index: int, name: str, shape: tuple[int, ...]
    ) -> tuple[torch.Tensor | None, OutputBlocks | None]:
        """Which elements count (None: all), and the tiles of the blocks where they are known."""
        if run.report is None:
            return None, None
        if sampling.is_sampled(run.report):
            return sampling.compared_elements(run.report, index, name, shape)
        return None, details.blocks_of(run.report, index, shape)

    def _detailed(
        self, comparison: OutputComparison, pair: details.Compared, report: SimulationReport | None
    ) -> OutputComparison:
        comparison = details.with_owners(comparison, report, self._blobs)
        if comparison.mismatched:
            comparison = details.with_wrong(comparison, pair, self._blobs)
        # One picture of a pass and one of a failure: every seed's values would fill the memory.
        picture = (comparison.index, comparison.mismatched > 0)
        if picture in self._pictures:
            return comparison
        self._pictures.add(picture)
        return details.with_values(comparison, pair, self._blobs)


def with_error_map(
    comparison: OutputComparison, pair: details.Compared, cells: int, blobs: list[bytes]
) -> OutputComparison:
    """The comparison with its error map, at most `cells` a side, in `blobs`."""
    grid = comparing.error_map(pair.got, pair.expected, pair.tolerance, cells)
    blobs.append(grid.cpu().numpy().tobytes())
    shape = (grid.shape[0], grid.shape[1])
    return replace(comparison, error_map_shape=shape, error_map_blob=len(blobs) - 1)


def _before(run: Executed, index: int, got: torch.Tensor) -> torch.Tensor | None:
    before = run.before[index]
    return before if isinstance(before, torch.Tensor) and before.dtype == got.dtype else None


def _in_shape(name: str, got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """What is expected, in the output's shape; the two may differ in axes of length 1."""
    if _without_ones(got) == _without_ones(expected):
        expected = expected.reshape(got.shape)
    if got.shape != expected.shape:
        message = (
            f"the reference gives {name} the shape {tuple(expected.shape)}, "
            f"the kernel {tuple(got.shape)}"
        )
        raise blame.StepError(Failure("kernel", message))
    return expected


def _without_ones(tensor: torch.Tensor) -> tuple[int, ...]:
    """The shape less the axes of length 1, in which a reference may differ."""
    return tuple(size for size in tensor.shape if size != 1)
