"""The analyze job: everything that is computed of a document's kernel for one target."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from workbench.core.analysis.findings import findings
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.jobs import AnalyzeRequest, Failure, Resources
from workbench.core.targets.model import Target
from workbench.engine import blame, compiling, environment, kernels, lowering, machine_code
from workbench.engine.analysis.hazards import hazards
from workbench.engine.analysis.kernel_parts import NO_CODE, AnalyzeJob, Code, KernelParts, Lowering
from workbench.engine.analysis.lifetimes import SharedBuffers
from workbench.engine.analysis.lined_code import lined_code, no_compiler
from workbench.engine.analysis.shared_memory import lowered_kernels
from workbench.engine.analysis.source_lines import source_lines
from workbench.engine.analysis.tile_layouts import TileLayouts
from workbench.engine.doctor.bulk_hints import CODE as BULK_HINT
from workbench.engine.doctor.limits import over_limits
from workbench.engine.doctor.model import Subject
from workbench.engine.doctor.needs import Needs
from workbench.engine.doctor.placing import placed
from workbench.engine.doctor.tiles import read_tiles
from workbench.engine.user_lines import user_lines


def analyze_kernel(request: AnalyzeRequest, report: compiling.Report) -> AnalyzeResult:
    """Everything that can be told of a kernel on one target.

    Where the source does not compile, the result has a failure and what the IR tells.
    """
    target = Target.from_json(dict(request.target))
    job = AnalyzeJob(request, target, compiling.Stopwatch({}))
    result = AnalyzeResult(
        None, missing=job.missing, seconds=job.watch.seconds, versions=environment.versions()
    )
    try:
        report(f"lowering for {target.name}")
        with job.watch.timing("build"):
            built = compiling.build(request, target)
        result = replace(result, diagnostics=built.diagnostics)
        lowered = _lower(job, built)
    except blame.StepError as fault:
        diagnostics = (*result.diagnostics, *fault.diagnostics)
        return replace(result, failure=fault.failure, diagnostics=diagnostics)
    report(f"machine code for {target.name}", 0.4)
    code, refusal = _machine_code(job, lowered)
    report(f"analysis for {target.name}", 0.7)
    return _finished(job, result, lowered, code, refusal)


def _finished(
    job: AnalyzeJob,
    result: AnalyzeResult,
    lowered: Lowering,
    code: Code | None,
    refusal: blame.StepError | None,
) -> AnalyzeResult:
    """The result with its kernels and with what is at fault in them, a compiler's refusal too."""
    document = job.request.source.path
    found = lowered_kernels(lowered.artifact, lowered.built.func, document, job.target)
    parts = [KernelParts(job, lowered, code, kernel) for kernel in found]
    analyses = tuple(each.analysis() for each in parts)
    resources = _largest([each.resources for each in parts])
    line = job.request.kernel.line
    own = [d for each in analyses for d in findings(each, resources, job.target, line)]
    own = _at_tiles(own, parts)
    with job.watch.timing("hazards"):
        own += [hazard for kernel in found for hazard in hazards(kernel)]
    errors = [d for d in own if d.severity is Severity.ERROR]
    failure = refusal.failure if refusal is not None else None
    if refusal is not None:
        own += _unexplained(refusal, errors)
    elif errors:
        where = errors[0].range.line if errors[0].range else None
        failure = Failure("kernel", errors[0].message, None, where)
    return replace(
        result,
        failure=failure,
        kernels=analyses,
        resources=resources,
        diagnostics=(*result.diagnostics, *own),
    )


def _unexplained(refusal: blame.StepError, errors: list[Diagnostic]) -> list[Diagnostic]:
    """What a compiler says, unless the lowered code has told of that line why."""
    known = {
        each.range.line for each in errors if each.range is not None and each.code == BULK_HINT
    }
    return [d for d in refusal.diagnostics if d.range is None or d.range.line not in known]


def _at_tiles(found: list[Diagnostic], parts: list[KernelParts]) -> list[Diagnostic]:
    """Findings of resources at the tiles that take them, and the limits that tiles exceed."""
    for each in parts:
        needs = each.job.part("limits", partial(_needs, each))
        if needs is not None:
            found = [*placed(found, needs), *over_limits(needs)]
    return found


def _needs(parts: KernelParts) -> Needs:
    """What one kernel was lowered to, in the words of its tiles."""
    program = read_tiles(parts.lowered.built.func, parts.kernel.document)
    lowered, shared = parts.lowered, parts.device.shared_dynamic_bytes
    return Needs(
        program,
        parts.body,
        parts.threads,
        shared,
        parts.job.target,
        lowered.artifact.kernel_source,
        tuple(machine_code.nvcc_options(lowered.config, lowered.built.compile_flags)),
        parts.code is not None,
    )


def _lower(job: AnalyzeJob, built: kernels.BuiltKernel) -> Lowering:
    request, shared, layouts = job.request, SharedBuffers(), TileLayouts()
    with (
        job.watch.timing("lower"),
        blame.blaming(blame.LOWERING, request.source, request.kernel, Subject(job.target, built)),
        user_lines(request.source.path),
    ):
        tvm_target = lowering.tvm_target(job.target)
        artifact = lowering.lower_modules(built, tvm_target, lambda: [shared, layouts])
        config = lowering.pass_config(built)
        return Lowering(built, artifact, config, shared.buffers, layouts.found, layouts.allocated)


def _machine_code(job: AnalyzeJob, lowered: Lowering) -> tuple[Code | None, blame.StepError | None]:
    """Machine code where the level asks for it; a refusal where the source does not compile."""
    if job.request.level < 2:
        later = "it takes machine code, which Analyze makes (F7, or --level 2)"
        job.missing[NO_CODE] = no_compiler(job.target) or later
        return None, None
    source = lowered.artifact.kernel_source
    try:
        with job.watch.timing("machine_code"):
            lined = lined_code(lowered.built, source, job.target)
            lines = source_lines(
                lowered.artifact.device_mod,
                lowering.tvm_target(job.target),
                lowered.config,
                source,
                job.request.source.path,
            )
    except machine_code.MissingToolError as error:
        job.missing[NO_CODE] = str(error)
        return None, None
    except machine_code.MachineCodeError as error:
        refusal = compiling.refused(
            error, job.request, job.target, lowered.built, source, lowered.artifact
        )
        job.missing[NO_CODE] = refusal.failure.message
        return None, refusal
    return Code(lined, lines), None


def _largest(found: list[Resources]) -> Resources | None:
    """The resources with the largest dynamic shared memory; the compiler's are of all kernels."""
    return max(found, key=lambda each: each.shared_dynamic_bytes or 0, default=None)
