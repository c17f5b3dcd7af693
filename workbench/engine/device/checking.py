"""Compares one launch on the GPU with the reference, before it is timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import OutputComparison
from workbench.core.profiles import ProfileRequest
from workbench.engine import blame
from workbench.engine.device.gpu_faults import gpu_faults, is_out_of_memory
from workbench.engine.device.measuring import release
from workbench.engine.device.placing import Placed
from workbench.engine.verify import comparing, reference


@dataclass(frozen=True)
class Checked:
    """Whether the result is right: None where nothing was compared, and then `why`."""

    verified: bool | None
    why: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


def run_once(kernel: Placed, line: int | None) -> None:
    """One launch to its end; raises blame.StepError where the kernel breaks."""
    with gpu_faults(kernel.device, line):
        kernel.launch()
        torch.cuda.synchronize()


def compare(kernel: Placed, request: ProfileRequest) -> Checked:
    """What was just launched against the reference; raises blame.StepError where that fails."""
    function = getattr(kernel.module, request.reference or "", None)
    if function is None:
        return Checked(None, "the file has no reference")
    with blame.blaming(blame.REFERENCE, request.source, request.kernel):
        expected = _expected(kernel, function)
    bound = kernel.bound
    if expected is None or len(expected) != len(bound.outputs):
        return Checked(None, "the reference does not return what the kernel writes")
    pairs = zip(bound.outputs, expected, strict=True)
    compared = [_compared(kernel, request, index, wanted) for index, wanted in pairs]
    if None in compared:
        return Checked(None, "the reference returns another shape than the kernel writes")
    wrong = [each for each in compared if each is not None and each.mismatched]
    found = tuple(_mismatch(each, kernel, request) for each in wrong)
    return Checked(not wrong, diagnostics=found)


def _expected(kernel: Placed, function: Callable[..., Any]) -> Sequence[torch.Tensor] | None:
    """The reference's outputs, computed on the GPU where it can, else on the CPU."""
    bound = kernel.bound
    inputs = [bound.values[i] for i in bound.inputs]
    place = torch.device("cuda", kernel.device.index)
    try:
        moved = [_moved(value, place) for value in bound.values]
        chosen = [moved[i] for i in bound.inputs]
        return reference.run_reference(function, chosen, moved, place)[0]
    except Exception as error:  # the CPU decides whether the reference is at fault
        if is_out_of_memory(error):
            release()
        return reference.run_reference(function, inputs, bound.values)[0]


def _moved(value: Any, place: torch.device) -> Any:
    return value.to(place) if isinstance(value, torch.Tensor) else value


def _compared(
    kernel: Placed, request: ProfileRequest, index: int, expected: torch.Tensor
) -> OutputComparison | None:
    got, name = kernel.values[index], kernel.parameters[index].name
    if got.numel() != expected.numel():
        return None
    bound = kernel.bound
    inputs = [bound.values[i] for i in bound.inputs if isinstance(bound.values[i], torch.Tensor)]
    expected = expected.reshape(got.shape).to(got.device)
    tolerance = comparing.tolerance_for(got, expected, inputs, request.rtol, request.atol)
    return comparing.compare(index, name, got, expected, tolerance)


def _mismatch(wrong: OutputComparison, kernel: Placed, request: ProfileRequest) -> Diagnostic:
    message = (
        f"{wrong.name} is wrong in {wrong.mismatched:,} of {wrong.total:,} elements "
        f"(seed {request.seed}, on {kernel.device.name})"
    )
    return Diagnostic(
        "reference-mismatch",
        Severity.ERROR,
        message,
        TextRange(request.kernel.line or 1),
        stage="simulate",
        help="its time was measured all the same; `verify --on local --three-way` says whether the "
        "kernel or what was made of it is at fault",
    )
