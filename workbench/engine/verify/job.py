"""The verify job: build, bind inputs, run, compute the reference, compare; once for each seed."""

from __future__ import annotations

import contextlib
import time
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import (
    BlockSample,
    Failure,
    OutputComparison,
    SeedResult,
    VerifyRequest,
    VerifyResult,
)
from workbench.core.mismatches import mismatch
from workbench.core.profiles import DeviceInfo
from workbench.core.targets.model import Target
from workbench.engine import blame, environment, kernels, loading, lowering, simulator
from workbench.engine.compiling import Report, Stopwatch
from workbench.engine.device import sanitizing
from workbench.engine.device.finding import find_device
from workbench.engine.device.gpu_faults import gpu_faults
from workbench.engine.device.placing import compile_for, fitted_target
from workbench.engine.device.running import device_runner
from workbench.engine.verify import (
    agreement,
    declared_outputs,
    outputs,
    reference,
    runners,
    sampling,
    simulating,
    tensors,
)
from workbench.engine.verify.grading import graded, occasion
from workbench.engine.verify.parameters import parameters_of

DEVICE = "local"
#: How long the simulator may take where it stands for a reference that a document lacks.
STANDING_IN_SECONDS = 120.0
STANDING_IN = (
    "the document has no reference: the device was compared with the simulator, which executes the "
    "same tile program and says nothing of what it should compute"
)


@dataclass(frozen=True)
class _Kernel:
    """What the runs of a request share; `program` is None where the simulator has none."""

    module: types.ModuleType
    built: kernels.BuiltKernel
    target: Target
    parameters: tuple[simulator.Parameter, ...]
    program: simulator.Program | None

    @property
    def simulation(self) -> simulating.Simulation:
        """The kernel in the simulator."""
        return simulating.Simulation(self.built.func, self.program)


_NO_REFERENCE = (
    "the file has no reference: add a function ref_program(*inputs) that computes the outputs "
    "with torch"
)


class Verification:
    """One verify request while it is worked on."""

    def __init__(self, request: VerifyRequest, report: Report) -> None:
        self._request = request
        self._report = report
        self._watch = Stopwatch({})
        self._diagnostics: list[Diagnostic] = []
        self._caveats: list[str] = []
        self._blobs: list[bytes] = []
        self._method: str | None = None
        self._comparer = outputs.OutputComparer(request, self._blobs)
        self._sample: BlockSample | None = None
        self._device: DeviceInfo | None = None
        self._three_way: agreement.ThreeWayReader | None = None
        self._sanitized: dict[str, str] = {}

    def run(self) -> tuple[VerifyResult, list[bytes]]:
        """The result, with the blobs that its error maps refer to."""
        seeds: list[SeedResult] = []
        failure = None
        try:
            self._run_document(seeds)
        except blame.StepError as fault:
            failure = fault.failure
            self._diagnostics.extend(fault.diagnostics)
        except runners.RunnerUnavailableError as error:
            failure = error.failure
        if self._device is not None and (failure is None or failure.kind == "kernel"):
            self._sanitize()
        return self._result(failure, seeds), self._blobs

    def _run_document(self, seeds: list[SeedResult]) -> None:
        request = self._request
        target = self._target()
        tvm_target = lowering.tvm_target(target)
        with self._blaming(blame.LOADING), tvm_target, loading.loaded(request.source) as module:
            kernel = self._built(module, target)
            if request.sample is not None:
                sampling.check_sample(request.on, kernel.built.func, kernel.parameters)
            with self._blaming(blame.INPUTS):
                declared_outputs.check_outputs(self._signature(kernel), self._reference(module))
            with self._blaming(blame.LOWERING), self._watch.timing("prepare"):
                runner = self._runner(kernel)
            if request.on == DEVICE and request.three_way and request.reference is not None:
                self._three_way = agreement.ThreeWayReader(request, kernel.simulation)
            for position, seed in enumerate(request.seeds):
                self._report(f"seed {seed} on {self._place}", position / len(request.seeds))
                seeds.append(self._run_seed(seed, kernel, runner))

    @property
    def _place(self) -> str:
        """Where the kernel runs, in words."""
        return self._request.on if self._device is None else self._device.name

    def _target(self) -> Target:
        """The request's target, as it must be lowered where the kernel runs."""
        target = Target.from_json(dict(self._request.target))
        if self._request.on != DEVICE:
            return target
        self._device = find_device(self._request.device)
        target, note = fitted_target(target, self._device)
        if note is not None:
            self._caveats.append(f"the kernel was {note}")
        return target

    def _built(self, module: types.ModuleType, target: Target) -> _Kernel:
        with self._blaming(blame.BUILDING), self._watch.timing("build"):
            built = kernels.build(module, self._request.kernel, lowering.tvm_target(target))
        self._diagnostics.extend(built.diagnostics)
        program = self._translate(built)
        parameters = parameters_of(built.func) if program is None else program.parameters
        return _Kernel(module, built, target, parameters, program)

    def _signature(self, kernel: _Kernel) -> declared_outputs.Signature:
        request = self._request
        return declared_outputs.Signature(
            request.source, request.kernel.name, kernel.parameters, kernel.built.out_indices
        )

    def _reference(self, module: types.ModuleType) -> Any:
        name = self._request.reference
        return getattr(module, name, None) if name else None

    def _runner(self, kernel: _Kernel) -> runners.Runner:
        request = self._request
        if request.on == "simulator":
            self._caveats.append(runners.SIMULATOR_CAVEAT)
        if self._device is not None:
            self._report(f"compiling for {self._device.name}")
            compiled = compile_for(kernel.built, kernel.target)
            written = [at for at, each in enumerate(kernel.parameters) if each.writes]
            return device_runner(compiled, self._device, written, request.kernel.line, self._report)
        target = lowering.tvm_target(kernel.target)
        return runners.make_runner(request.on, kernel.program, kernel.built, target, request.sample)

    def _translate(self, built: kernels.BuiltKernel) -> simulator.Program | None:
        """The simulator's program; None on a device where there is none."""
        try:
            with self._watch.timing("translate"):
                checks = self._request.checks and self._request.on == "simulator"
                return simulator.translate(built.func, checks)
        except simulator.Unsupported as error:
            if self._device is not None:
                return None
            message = f"the simulator cannot execute this kernel: {error.message}"
            where = TextRange(error.line or self._request.kernel.line or 1)
            diagnostic = Diagnostic(
                "not-simulated", Severity.WARNING, message, where, stage="simulate"
            )
            failure = Failure("environment", message, str(error), error.line)
            raise blame.StepError(failure, diagnostic) from error

    def _run_seed(self, seed: int, kernel: _Kernel, runner: runners.Runner) -> SeedResult:
        with self._blaming(blame.INPUTS), self._watch.timing("inputs"), self._gpu_faults():
            bound = self._bind(seed, kernel)
        before = [simulating.copied(value) for value in bound.values]
        with self._blaming(blame.RUNNING), self._watch.timing("run"):
            fresh = tuple(at for at in bound.outputs if at not in bound.inputs)
            execution = runner(bound.values, seed, fresh)
        self._note(execution.diagnostics)
        self._sample = sampling.sample_of(execution.report)
        run = outputs.Executed(kernel.parameters, bound, before, execution.report)
        begun = time.perf_counter()
        with self._blaming(blame.REFERENCE), self._watch.timing("reference"):
            expected = self._expected(kernel, seed, run)
        reference_seconds = time.perf_counter() - begun
        with self._watch.timing("compare"):
            compared = self._comparer.compare_all(run, expected)
        if self._three_way is not None:
            with self._watch.timing("three_way"):
                self._report(f"seed {seed} in the simulator too")
                self._three_way.read(seed, run, expected, runner)
        passed = all(o.mismatched == 0 for o in compared)
        if not passed:
            self._note(self._mismatches(seed, compared))
        return SeedResult(seed, passed, compared, execution.seconds, reference_seconds)

    def _gpu_faults(self) -> contextlib.AbstractContextManager[None]:
        """A document may make its inputs on the GPU, and fill its memory."""
        device = self._device
        return contextlib.nullcontext() if device is None else gpu_faults(device)

    def _sanitize(self) -> None:
        """Have the tools that were asked for watch a launch in a process of its own."""
        for tool in self._request.sanitize:
            self._report(f"{tool} of compute-sanitizer on {self._place}")
            with self._watch.timing(tool):
                found = sanitizing.sanitize(self._request, tool)
            self._sanitized[tool] = found.sentence
            self._note(found.diagnostics)

    @property
    def _where(self) -> str:
        """Where the kernel ran, with its article."""
        return f"on the {self._request.on}" if self._device is None else f"on {self._place}"

    def _mismatches(
        self, seed: int, compared: tuple[OutputComparison, ...]
    ) -> tuple[Diagnostic, ...]:
        """A finding for each wrong output."""
        sampled = f", {self._sample.text}" if self._sample is not None else ""
        run, line = f"seed {seed}, {self._where}{sampled}", self._request.kernel.line
        return tuple(mismatch(each, run, line) for each in compared if each.mismatched)

    def _bind(self, seed: int, kernel: _Kernel) -> tensors.Binding:
        request, declared = self._request, kernel.built.out_indices
        args, dims = request.kernel.args, request.dims
        bound = tensors.bind(kernel.parameters, declared, kernel.module, args, dims, seed)
        for name, size in bound.dims.items():
            caveat = f"the dynamic dimension {name} was run with {size}: the case gives no value"
            if caveat not in self._caveats:
                self._caveats.append(caveat)
        return bound

    def _expected(
        self, kernel: _Kernel, seed: int, run: outputs.Executed
    ) -> Sequence[torch.Tensor]:
        name = self._request.reference
        function = self._reference(kernel.module)
        if function is None and name is None and self._device is not None:
            return self._stood_in_for(kernel, seed, run)
        if function is None:
            raise reference.ReferenceOutputError(
                _NO_REFERENCE if name is None else f"the file defines no reference {name!r}"
            )
        before, bound = list(run.before), run.bound
        inputs = [before[i] for i in bound.inputs]
        takes_all = reference.takes(function, len(before))
        given = range(len(before)) if takes_all else bound.inputs
        declared_outputs.check_reference(self._signature(kernel), function, given)
        outputs, method = reference.run_reference(function, inputs, before)
        self._method = method
        if outputs is None or len(outputs) != len(bound.outputs):
            count = "nothing" if outputs is None else f"{len(outputs)} tensors"
            raise reference.ReferenceOutputError(
                f"the reference returned {count}, the kernel has {len(bound.outputs)} outputs"
            )
        return outputs

    def _stood_in_for(
        self, kernel: _Kernel, seed: int, run: outputs.Executed
    ) -> Sequence[torch.Tensor]:
        """The simulator's outputs, for a document that says nothing of what they should be."""
        self._report(f"seed {seed} in the simulator, as there is no reference")
        try:
            expected = kernel.simulation.outputs(seed, run, STANDING_IN_SECONDS)
        except simulating.NotSimulatedError as error:
            raise reference.ReferenceOutputError(f"{_NO_REFERENCE}; {error}") from error
        self._method = "simulator"
        self._comparer.of_two = True
        if STANDING_IN not in self._caveats:
            self._caveats.append(STANDING_IN)
        return expected

    def _note(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        known = {occasion(each) for each in self._diagnostics}
        self._diagnostics.extend(each for each in diagnostics if occasion(each) not in known)

    def _blaming(self, step: blame.Step) -> Any:
        return blame.blaming(step, self._request.source, self._request.kernel)

    def _result(self, failure: Failure | None, seeds: list[SeedResult]) -> VerifyResult:
        reader = self._three_way
        if reader is not None and reader.skipped is not None:
            self._caveats.append(f"the simulator was not compared: {reader.skipped}")
        return VerifyResult(
            failure,
            tuple(seeds),
            self._method,
            tuple(self._caveats),
            graded(self._diagnostics, tuple(each.passed for each in seeds)),
            seconds=self._watch.seconds,
            versions=environment.versions(),
            sample=self._sample,
            three_way=None if reader is None else reader.found,
            device=None if self._device is None else self._device.name,
            sanitized=self._sanitized,
        )


def verify(request: VerifyRequest, report: Report) -> tuple[VerifyResult, list[bytes]]:
    """Run a kernel on every seed and compare its outputs with the reference."""
    return Verification(request, report).run()
