"""The export job: builds and lowers a kernel, reads its launch off, and makes its machine code."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.core.exporting.model import (
    ExportRequest,
    ExportResult,
    LaunchDescription,
    ParameterRecord,
)
from workbench.core.jobs import Failure, Resources, Source
from workbench.core.plain import from_plain
from workbench.core.targets.model import Target
from workbench.engine import (
    blame,
    compiling,
    environment,
    kernels,
    loading,
    lowering,
    machine_code,
    simulator,
)
from workbench.engine.doctor.model import Subject
from workbench.engine.export.expressions import UndescribedError
from workbench.engine.export.launches import describe_launches
from workbench.engine.simulator.dtypes import PACKED
from workbench.engine.simulator.tir import static_int
from workbench.engine.verify.tensors import TensorError, torch_dtype

_MACHINE = ("ptx", "sass")


@dataclass
class _Job:
    """What the steps share, and what they made so far."""

    request: ExportRequest
    target: Target
    watch: compiling.Stopwatch = field(default_factory=lambda: compiling.Stopwatch({}))
    made: dict[str, Any] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    blobs: list[bytes] = field(default_factory=list)


def export_kernel(
    request: ExportRequest, report: compiling.Report
) -> tuple[ExportResult, list[bytes]]:
    """Everything that an export holds of a kernel, with the machine code as a blob."""
    job = _Job(request, Target.from_json(dict(request.target)))
    failure: Failure | None = None
    try:
        report(f"lowering for {job.target.name}")
        built = _built(job)
        artifact = _lowered(job, built)
        report(f"machine code for {job.target.name}", 0.5)
        _add_machine_code(job, built, artifact)
    except blame.StepError as fault:
        failure = fault.failure
        job.made["diagnostics"] = (*job.made.get("diagnostics", ()), *fault.diagnostics)
    result = ExportResult(
        failure,
        missing=job.missing,
        seconds=job.watch.seconds,
        versions=environment.versions(),
        **job.made,
    )
    return result, job.blobs


def _built(job: _Job) -> kernels.BuiltKernel:
    """The kernel, built outside the cache: the files that it imports are known while it is loaded.

    Raises blame.StepError.
    """
    request, target = job.request, lowering.tvm_target(job.target)
    with (
        job.watch.timing("build"),
        blame.blaming(blame.LOADING, request.source, request.kernel),
        target,
        loading.loaded(request.source) as module,
    ):
        with blame.blaming(blame.BUILDING, request.source, request.kernel, Subject(job.target)):
            built = kernels.build(module, request.kernel, target)
        job.made["modules"] = _modules(request.source, loading.imported_files(request.source))
        if request.reference is not None and not hasattr(module, request.reference):
            job.missing["reference"] = f"the file defines no reference {request.reference!r}"
    job.made["diagnostics"] = built.diagnostics
    job.made["outputs"] = built.out_indices
    job.made["parameters"] = parameter_records(built)
    return built


def _lowered(job: _Job, built: kernels.BuiltKernel) -> Any:
    request, subject = job.request, Subject(job.target, built)
    with (
        job.watch.timing("lower"),
        blame.blaming(blame.LOWERING, request.source, request.kernel, subject),
    ):
        artifact = lowering.lower_modules(built, lowering.tvm_target(job.target))
    job.made["texts"] = {"source": artifact.kernel_source}
    job.made["launch"] = _launch(job, artifact)
    return artifact


def _launch(job: _Job, artifact: Any) -> LaunchDescription | None:
    names = tuple(each.name for each in job.made["parameters"])
    try:
        return describe_launches(artifact, names)
    except UndescribedError as error:
        job.missing["launch"] = str(error)
        return None


def _add_machine_code(job: _Job, built: kernels.BuiltKernel, artifact: Any) -> None:
    source = artifact.kernel_source
    try:
        with job.watch.timing("machine_code"):
            plain, _ = compiling.machine_code_of(built, source, job.target)
    except machine_code.MissingToolError as error:
        job.missing.update({name: str(error) for name in (*_MACHINE, "cubin")})
        return
    except machine_code.MachineCodeError as error:
        raise compiling.refused(error, job.request, job.target, built, source, artifact) from error
    job.made["texts"] |= {name: plain[name] for name in _MACHINE}
    job.made["resources"] = from_plain(Resources, plain["resources"])
    job.made["compiler"] = _options(built)
    job.made["cubin_blob"] = 0
    job.blobs.append(base64.b64decode(plain["cubin"]))


def _options(built: kernels.BuiltKernel) -> tuple[str, ...]:
    """The options of nvcc, without the folders of this installation."""
    config = lowering.pass_config(built)
    options = machine_code.nvcc_options(config, built.compile_flags)
    assembler = [f"--ptxas-options={option}" for option in machine_code.ptxas_options(config)]
    return (*(option for option in options if not option.startswith("-I")), *assembler)


def parameter_records(built: kernels.BuiltKernel) -> tuple[ParameterRecord, ...]:
    """The parameters of a kernel, with what it does with them.

    Where the simulator does not understand the kernel, outputs are what the document declares,
    else its last parameter.
    """
    try:
        known = {p.name: p for p in simulator.translate(built.func).parameters}
    except simulator.Unsupported:
        known = {}
    count = len(built.func.params)
    outputs = (count - 1,) if built.out_indices is None else built.out_indices
    return tuple(
        _record(built.func, parameter, known, at in outputs)
        for at, parameter in enumerate(built.func.params)
    )


def _record(
    func: Any, parameter: Any, known: Mapping[str, simulator.Parameter], is_output: bool
) -> ParameterRecord:
    buffer = func.buffer_map.get(parameter)
    described = parameter if buffer is None else buffer
    name, dtype = str(described.name), str(described.dtype)
    told = known.get(name)
    return ParameterRecord(
        name,
        dtype,
        _torch_name(dtype),
        () if buffer is None else tuple(_size(size) for size in buffer.shape),
        buffer is not None,
        not is_output if told is None else told.reads,
        is_output if told is None else told.writes,
    )


def _size(size: Any) -> int | str:
    known = static_int(size)
    return str(size) if known is None else known


def _torch_name(dtype: str) -> str | None:
    """Torch's name of a dtype; of 4-bit types two elements are a byte."""
    if dtype in PACKED:
        return "uint8"
    try:
        return str(torch_dtype(dtype)).removeprefix("torch.")
    except TensorError:
        return None


def _modules(source: Source, files: tuple[str, ...]) -> dict[str, str]:
    """The texts of files in or below the document's folder, which is what it imports from."""
    folder = Path(os.path.abspath(source.path)).parent
    found = {}
    for file in map(Path, files):
        if folder in file.parents:
            found[file.relative_to(folder).as_posix()] = file.read_text("utf-8", "replace")
    return found
