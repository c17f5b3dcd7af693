"""A kernel compiled for the GPU of this machine, with the values of its parameters on it."""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tilelang
import torch

from workbench.core.jobs import Failure
from workbench.core.profiles import DeviceInfo, ProfileRequest
from workbench.core.targets.fitting import fit
from workbench.core.targets.model import Target
from workbench.engine import blame, kernels, loading, lowering
from workbench.engine.compiling import Report, Stopwatch
from workbench.engine.device.finding import find_device
from workbench.engine.device.gpu_faults import gpu_faults
from workbench.engine.device.holding import Holding
from workbench.engine.doctor.model import Subject
from workbench.engine.simulator import Parameter
from workbench.engine.user_lines import user_lines
from workbench.engine.verify import tensors
from workbench.engine.verify.parameters import parameters_of

Hold = Callable[[DeviceInfo, Report], contextlib.AbstractContextManager[Holding]]
_DECLARED_OUTPUTS = "tilelang_out_idx"


@dataclass(frozen=True)
class Placed:
    """A compiled kernel ready to be launched.

    `bound` has the values as they were made, on the CPU; `values` those on the GPU, outputs
    poisoned. `module` is the document as long as it is loaded. `notes` are sentences on how the
    code differs from the target's, and on what else uses the GPU.
    """

    device: DeviceInfo
    target: Target
    built: kernels.BuiltKernel
    module: types.ModuleType
    parameters: Sequence[Parameter]
    bound: tensors.Binding
    values: Sequence[Any]
    kernel: Callable[..., Any]
    notes: tuple[str, ...] = ()

    def launch(self) -> None:
        """Put one launch into the current stream."""
        self.kernel(*self.values)


def fitted_target(target: Target, device: DeviceInfo) -> tuple[Target, str | None]:
    """The target as it must be lowered for a device, and what differs; raises blame.StepError."""
    found = fit(target, device.arch or "", device.name)
    if isinstance(found, str):
        raise blame.StepError(Failure("environment", found))
    return replace(target, lowering=dict(found.lowering)), found.note


def compile_for(built: kernels.BuiltKernel, target: Target) -> Callable[..., Any]:
    """TileLang's kernel for a target that fits, called with all parameters, outputs too.

    Raises what TileLang and the compilers raise.
    """
    func = built.func
    if func.attrs and _DECLARED_OUTPUTS in func.attrs:
        func = func.without_attr(_DECLARED_OUTPUTS)  # else it would allocate outputs itself
    kernel: Callable[..., Any] = tilelang.compile(
        func,
        target=lowering.tvm_target(target),
        pass_configs=dict(built.pass_configs),
        compile_flags=list(built.compile_flags) or None,
    )
    return kernel


def on_device(values: Sequence[Any], index: int) -> list[Any]:
    """Tensors moved to a GPU, other values as they are."""
    place = torch.device("cuda", index)
    return [v.to(place) if isinstance(v, torch.Tensor) else v for v in values]


@contextlib.contextmanager
def placed(
    request: ProfileRequest,
    report: Report,
    watch: Stopwatch | None = None,
    hold: Hold | None = None,
) -> Iterator[Placed]:
    """The kernel of a request on its GPU, for the length of the block; raises blame.StepError.

    `hold` holds the GPU for the block alone, from when the kernel is compiled.
    """
    watch = watch or Stopwatch({})
    source, choice = request.source, request.kernel
    device = find_device(request.device)
    target, note = fitted_target(Target.from_json(dict(request.target)), device)
    tvm_target = lowering.tvm_target(target)
    with contextlib.ExitStack() as stack:
        stack.enter_context(tvm_target)
        with blame.blaming(blame.LOADING, source, choice):
            module = stack.enter_context(loading.loaded(source))
        built = _built(request, target, module, watch)
        report(f"compiling for {device.name}")
        subject = Subject(target, built)
        with blame.blaming(blame.LOWERING, source, choice, subject), watch.timing("compile"):
            kernel = compile_for(built, target)
        parameters = parameters_of(built.func)
        others = stack.enter_context(hold(device, report)).others if hold is not None else None
        torch.cuda.set_device(device.index)
        # A document may make its inputs on the GPU: its memory is looked at from here on.
        with (
            blame.blaming(blame.INPUTS, source, choice),
            watch.timing("inputs"),
            gpu_faults(device),
        ):
            bound = _bound(request, parameters, built, module)
            values = on_device(bound.values, device.index)
        notes = (f"The kernel was {note}." if note else None, others)
        told = tuple(each for each in notes if each is not None)
        yield Placed(device, target, built, module, parameters, bound, values, kernel, told)


def _built(
    request: ProfileRequest, target: Target, module: types.ModuleType, watch: Stopwatch
) -> kernels.BuiltKernel:
    source, choice = request.source, request.kernel
    with (
        blame.blaming(blame.BUILDING, source, choice, Subject(target)),
        watch.timing("build"),
        user_lines(source.path),
    ):
        return kernels.build(module, choice, lowering.tvm_target(target))


def _bound(
    request: ProfileRequest,
    parameters: Sequence[Parameter],
    built: kernels.BuiltKernel,
    module: types.ModuleType,
) -> tensors.Binding:
    args: Mapping[str, Any] = request.kernel.args
    return tensors.bind(parameters, built.out_indices, module, args, request.dims, request.seed)
