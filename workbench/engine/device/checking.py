"""Compares one launch on the GPU with the reference, before it is timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import ERROR_MAP_CELLS, OutputComparison, Signature
from workbench.core.mismatches import mismatch
from workbench.core.profiles import ProfileRequest
from workbench.engine import blame
from workbench.engine.device.gpu_faults import gpu_faults, is_out_of_memory
from workbench.engine.device.measuring import release
from workbench.engine.device.placing import Placed
from workbench.engine.verify import comparing, details, reference, signatures
from workbench.engine.verify.outputs import with_error_map

#: Elements of an output that are brought to the CPU to tell what kind of wrong it is: it takes some
#: seconds and 1.5 GiB, and a job that is to measure must not end by its limit of memory there.
MOST_LOOKED_AT = 2**25
ADVICE = (
    "Its time was measured all the same; `verify --on local --three-way` says whether the kernel "
    "or what was made of it is at fault."
)


@dataclass(frozen=True)
class Checked:
    """Whether the result is right: None where nothing was compared, and then `why`.

    `outputs` are the comparisons, and `blobs` the error maps of wrong ones.
    """

    verified: bool | None
    why: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    outputs: tuple[OutputComparison, ...] = ()
    blobs: tuple[bytes, ...] = ()


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
    blobs: list[bytes] = []
    pairs = zip(bound.outputs, expected, strict=True)
    compared = [_compared(kernel, request, index, wanted, blobs) for index, wanted in pairs]
    if None in compared:
        return Checked(None, "the reference returns another shape than the kernel writes")
    outputs = tuple(each for each in compared if each is not None)
    run, line = f"seed {request.seed}, on {kernel.device.name}", request.kernel.line
    found = tuple(mismatch(each, run, line, ADVICE) for each in outputs if each.mismatched)
    return Checked(not found, None, found, outputs, tuple(blobs))


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
    kernel: Placed,
    request: ProfileRequest,
    index: int,
    expected: torch.Tensor,
    blobs: list[bytes],
) -> OutputComparison | None:
    """An output against what is expected of it; None where that has another shape."""
    got, name = kernel.values[index], kernel.parameters[index].name
    if got.numel() != expected.numel():
        return None
    inputs = list(_inputs(kernel).values())
    expected = expected.reshape(got.shape).to(got.device)
    tolerance = comparing.tolerance_for(got, expected, inputs, request.rtol, request.atol)
    found = comparing.compare(index, name, got, expected, tolerance)
    if not found.mismatched:
        return found
    pair = details.Compared(got, expected, tolerance)
    found = replace(found, signatures=_signatures(kernel, request, found, pair))
    return with_error_map(found, pair, ERROR_MAP_CELLS, blobs)


def _inputs(kernel: Placed) -> dict[str, torch.Tensor]:
    """The tensors that went in, by name, on the CPU."""
    bound = kernel.bound
    found = {kernel.parameters[i].name: bound.values[i] for i in bound.inputs}
    return {name: value for name, value in found.items() if isinstance(value, torch.Tensor)}


def _signatures(
    kernel: Placed, request: ProfileRequest, wrong: OutputComparison, pair: details.Compared
) -> tuple[Signature, ...]:
    """What kind of wrong an output is, as a verification tells it; of a huge one nothing."""
    if wrong.total > MOST_LOOKED_AT:
        return ()
    before = kernel.bound.values[wrong.index]
    around = signatures.Surroundings(_inputs(kernel), request.kernel.args, before)
    got, expected = pair.got.cpu(), pair.expected.cpu()
    return signatures.find_signatures(wrong, got, expected, pair.tolerance, around)
