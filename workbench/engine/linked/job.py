"""The linked job: every text of a kernel for one target with the document's line of each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import Failure, LinkedRequest
from workbench.core.linked_code import LinkedResult, LinkedText
from workbench.core.targets.model import Target
from workbench.engine import blame, compiling, environment, kernels, lowering, machine_code
from workbench.engine.analysis.lined_code import LinedCode, lined_code
from workbench.engine.analysis.live_registers import by_address
from workbench.engine.doctor.model import Subject
from workbench.engine.linked.generated_lines import generated_lines
from workbench.engine.linked.ir_text import printed, statement_lines
from workbench.engine.linked.machine_text import ptx_text, sass_text, source_text
from workbench.engine.user_lines import user_lines


@dataclass
class _Job:
    """What the steps share, and what they made so far."""

    request: LinkedRequest
    target: Target
    watch: compiling.Stopwatch = field(default_factory=lambda: compiling.Stopwatch({}))
    texts: list[LinkedText] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)

    @property
    def document(self) -> str:
        return self.request.source.path


def linked_code(request: LinkedRequest, report: compiling.Report) -> LinkedResult:
    """The texts of a kernel; machine code where it can be made, else the reason why not."""
    job = _Job(request, Target.from_json(dict(request.target)))
    failure: Failure | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    try:
        report(f"lowering for {job.target.name}")
        built, artifact = _lowered(job)
        diagnostics = built.diagnostics
        lines = _ir_texts(job, built, artifact)
        report(f"machine code for {job.target.name}", 0.3)
        _machine_texts(job, built, artifact, lines)
    except blame.StepError as fault:
        failure, diagnostics = fault.failure, (*diagnostics, *fault.diagnostics)
    return LinkedResult(
        failure,
        tuple(job.texts),
        job.missing,
        diagnostics,
        job.watch.seconds,
        environment.versions(),
    )


def _lowered(job: _Job) -> tuple[kernels.BuiltKernel, Any]:
    request = job.request
    with job.watch.timing("build"):
        built = compiling.build(request, job.target)
    with (
        job.watch.timing("lower"),
        blame.blaming(blame.LOWERING, request.source, request.kernel, Subject(job.target, built)),
        user_lines(job.document),
    ):
        return built, lowering.lower_modules(built, lowering.tvm_target(job.target))


def _ir_texts(job: _Job, built: kernels.BuiltKernel, artifact: Any) -> Mapping[int, int | None]:
    """Add the texts before the machine's; the document's line by line of the source."""
    text, source, module = job.request.source.text, artifact.kernel_source, artifact.device_mod
    with job.watch.timing("lines"):
        tiles = statement_lines(built.func.body, job.document, {}, {})
        job.texts.append(LinkedText("tir", *printed(built.func, tiles, text)))
        target = lowering.tvm_target(job.target)
        found = generated_lines(built, artifact, target, job.document)
        job.texts.append(LinkedText("lowered", *printed(module, found.statements, text)))
        job.texts.append(source_text(source, found.lines))
        return found.lines


def _machine_texts(
    job: _Job, built: kernels.BuiltKernel, artifact: Any, lines: Mapping[int, int | None]
) -> None:
    try:
        with job.watch.timing("machine_code"):
            lined = lined_code(built, artifact.kernel_source, job.target)
    except machine_code.MissingToolError as error:
        job.missing.update(ptx=str(error), sass=str(error))
        return
    except machine_code.MachineCodeError as error:
        raise compiling.refused(
            error, job.request, job.target, built, artifact.kernel_source, artifact
        ) from error
    job.texts.append(ptx_text(lined.ptx, lines))
    with job.watch.timing("registers"):
        _sass(job, lined, [lowering.device_kernel(f).name for f in _functions(artifact)], lines)


def _sass(job: _Job, lined: LinedCode, names: list[str], lines: Mapping[int, int | None]) -> None:
    if lined.sass is None:
        job.missing["sass"] = lined.sass_missing or "nothing disassembled it"
        return
    figures = {name: by_address(lined.cubin, name) for name in names}
    job.texts.append(sass_text(lined.sass, figures, lines))


def _functions(artifact: Any) -> list[Any]:
    return list(artifact.device_mod.functions.values())
