"""The verify job: build, bind inputs, run, compute the reference, compare; once for each seed."""

from __future__ import annotations

import time
import types
from dataclasses import replace
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
from workbench.core.targets.model import Target
from workbench.engine import blame, environment, kernels, loading, lowering, simulator
from workbench.engine.compiling import Report, Stopwatch
from workbench.engine.verify import (
    declared_outputs,
    outputs,
    reference,
    runners,
    sampling,
    tensors,
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
        return self._result(failure, seeds), self._blobs

    def _run_document(self, seeds: list[SeedResult]) -> None:
        request = self._request
        target = Target.from_json(dict(request.target))
        tvm_target = lowering.tvm_target(target)
        with self._blaming(blame.LOADING), tvm_target, loading.loaded(request.source) as module:
            with self._blaming(blame.BUILDING), self._watch.timing("build"):
                built = kernels.build(module, request.kernel, tvm_target)
            self._diagnostics.extend(built.diagnostics)
            program = self._translate(built)
            if request.sample is not None:
                sampling.check_sample(request.on, built.func, program.parameters)
            signature = self._signature(program, built)
            with self._blaming(blame.INPUTS):
                declared_outputs.check_outputs(signature, self._reference(module))
            with self._blaming(blame.LOWERING), self._watch.timing("prepare"):
                runner = self._runner(program, built, target)
            for position, seed in enumerate(request.seeds):
                self._report(f"seed {seed} on {request.on}", position / len(request.seeds))
                seeds.append(self._run_seed(seed, module, program, built, runner))

    def _signature(
        self, program: simulator.Program, built: kernels.BuiltKernel
    ) -> declared_outputs.Signature:
        request = self._request
        parameters, declared = program.parameters, built.out_indices
        return declared_outputs.Signature(request.source, request.kernel.name, parameters, declared)

    def _reference(self, module: types.ModuleType) -> Any:
        name = self._request.reference
        return getattr(module, name, None) if name else None

    def _runner(
        self, program: simulator.Program, built: kernels.BuiltKernel, target: Target
    ) -> runners.Runner:
        if self._request.on == "simulator":
            self._caveats.append(runners.SIMULATOR_CAVEAT)
        return runners.make_runner(
            self._request.on,
            program,
            built,
            lowering.tvm_target(target),
            self._request.sample,
        )

    def _translate(self, built: kernels.BuiltKernel) -> simulator.Program:
        try:
            with self._watch.timing("translate"):
                checks = self._request.checks and self._request.on == "simulator"
                return simulator.translate(built.func, checks)
        except simulator.Unsupported as error:
            message = f"the simulator cannot execute this kernel: {error.message}"
            where = TextRange(error.line or self._request.kernel.line or 1)
            diagnostic = Diagnostic(
                "not-simulated", Severity.WARNING, message, where, stage="simulate"
            )
            failure = Failure("environment", message, str(error), error.line)
            raise blame.StepError(failure, diagnostic) from error

    def _run_seed(
        self,
        seed: int,
        module: types.ModuleType,
        program: simulator.Program,
        built: kernels.BuiltKernel,
        runner: runners.Runner,
    ) -> SeedResult:
        with self._blaming(blame.INPUTS), self._watch.timing("inputs"):
            bound = self._bind(seed, module, program, built)
        before = [_copied(value) for value in bound.values]
        with self._blaming(blame.RUNNING), self._watch.timing("run"):
            fresh = tuple(at for at in bound.outputs if at not in bound.inputs)
            execution = runner(bound.values, seed, fresh)
        self._note(execution.diagnostics)
        self._sample = sampling.sample_of(execution.report)
        begun = time.perf_counter()
        with self._blaming(blame.REFERENCE), self._watch.timing("reference"):
            expected = self._expected(module, self._signature(program, built), bound, before)
        reference_seconds = time.perf_counter() - begun
        with self._watch.timing("compare"):
            run = outputs.Executed(program.parameters, bound, before, execution.report)
            compared = self._comparer.compare_all(run, expected)
        passed = all(o.mismatched == 0 for o in compared)
        if not passed:
            self._note((self._mismatch(seed, compared),))
        return SeedResult(seed, passed, compared, execution.seconds, reference_seconds)

    def _mismatch(self, seed: int, compared: tuple[OutputComparison, ...]) -> Diagnostic:
        wrong = next(o for o in compared if o.mismatched)
        sampled = f", {self._sample.text}" if self._sample is not None else ""
        message = (
            f"{wrong.name} is wrong in {wrong.mismatched:,} of {wrong.total:,} elements "
            f"(seed {seed}, on the {self._request.on}{sampled})"
        )
        where = TextRange(self._request.kernel.line or 1)
        looks = " ".join(f"{s.sentence} Then {s.hint}." for s in wrong.signatures[:1])
        evidence = {"signatures": [s.code for s in wrong.signatures]}
        return Diagnostic(
            "reference-mismatch",
            Severity.ERROR,
            message,
            where,
            stage="simulate",
            evidence=evidence,
            help=looks or None,
        )

    def _bind(
        self,
        seed: int,
        module: types.ModuleType,
        program: simulator.Program,
        built: kernels.BuiltKernel,
    ) -> tensors.Binding:
        request = self._request
        args, dims = request.kernel.args, request.dims
        bound = tensors.bind(program.parameters, built.out_indices, module, args, dims, seed)
        for name, size in bound.dims.items():
            caveat = f"the dynamic dimension {name} was run with {size}: the case gives no value"
            if caveat not in self._caveats:
                self._caveats.append(caveat)
        return bound

    def _expected(
        self,
        module: types.ModuleType,
        signature: declared_outputs.Signature,
        bound: tensors.Binding,
        before: list[Any],
    ) -> tuple[torch.Tensor, ...]:
        name = self._request.reference
        function = self._reference(module)
        if function is None:
            raise reference.ReferenceOutputError(
                f"the file defines no reference {name!r}"
                if name
                else "the file has no reference: add a function ref_program(*inputs) that computes "
                "the outputs with torch"
            )
        inputs = [before[i] for i in bound.inputs]
        takes_all = reference.takes(function, len(before))
        given = range(len(before)) if takes_all else bound.inputs
        declared_outputs.check_reference(signature, function, given)
        outputs, method = reference.run_reference(function, inputs, before)
        self._method = method
        if outputs is None or len(outputs) != len(bound.outputs):
            count = "nothing" if outputs is None else f"{len(outputs)} tensors"
            raise reference.ReferenceOutputError(
                f"the reference returned {count}, the kernel has {len(bound.outputs)} outputs"
            )
        return outputs

    def _note(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        known = {_occasion(each) for each in self._diagnostics}
        self._diagnostics.extend(each for each in diagnostics if _occasion(each) not in known)

    def _blaming(self, step: blame.Step) -> Any:
        return blame.blaming(step, self._request.source, self._request.kernel)

    def _result(self, failure: Failure | None, seeds: list[SeedResult]) -> VerifyResult:
        return VerifyResult(
            failure,
            tuple(seeds),
            self._method,
            tuple(self._caveats),
            _graded(self._diagnostics, tuple(each.passed for each in seeds)),
            seconds=self._watch.seconds,
            versions=environment.versions(),
            sample=self._sample,
        )


def _occasion(diagnostic: Diagnostic) -> tuple[Any, ...]:
    """What makes two findings one: another seed's has other values in its message."""
    buffer = diagnostic.evidence.get("buffer")
    return diagnostic.code, diagnostic.range, buffer or diagnostic.message


def _graded(diagnostics: list[Diagnostic], passed: tuple[bool, ...]) -> tuple[Diagnostic, ...]:
    """What the reference does too, at the same elements, is no fault; what it does not may be."""
    if not passed:
        return tuple(diagnostics)
    if not all(passed):
        return tuple(diagnostics if _explained(diagnostics) else map(_suspected, diagnostics))
    return tuple(
        replace(each, severity=Severity.INFO) if _may_be_meant(each) else each
        for each in diagnostics
    )


def _explained(diagnostics: list[Diagnostic]) -> bool:
    """Whether a finding says more of a wrong result than that it is wrong."""
    errors = {each.code for each in diagnostics if each.severity is Severity.ERROR}
    return bool(errors - {"mismatch", "reference-mismatch"})


def _suspected(diagnostic: Diagnostic) -> Diagnostic:
    """A guarded read outside of an array gives 0, which is right only where the result is."""
    if diagnostic.code != "global-out-of-bounds-read":
        return diagnostic
    message = f"{diagnostic.message}, and the result is not that of the reference"
    return replace(diagnostic, code="out-of-bounds-read", severity=Severity.ERROR, message=message)


def _may_be_meant(diagnostic: Diagnostic) -> bool:
    """NaN and infinity, saturation, and zeros for what is read outside of global memory."""
    codes = (*simulator.NUMERIC_CODES, simulator.BEYOND_RANGE)
    return diagnostic.code in codes or bool(diagnostic.evidence.get(simulator.PREDICATED))


def verify(request: VerifyRequest, report: Report) -> tuple[VerifyResult, list[bytes]]:
    """Run a kernel on every seed and compare its outputs with the reference."""
    return Verification(request, report).run()


def _copied(value: Any) -> Any:
    return value.clone() if isinstance(value, torch.Tensor) else value
