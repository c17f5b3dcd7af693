"""The compile job: document to PrimFunc to lowered code to machine code, each step cached."""

from __future__ import annotations

import base64
import contextlib
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from workbench.core.jobs import (
    CompileRequest,
    CompileResult,
    Failure,
    KernelChoice,
    Resources,
    Source,
)
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.model import Target
from workbench.engine import blame, cache, environment, kernels, loading, lowering, machine_code
from workbench.engine.analysis.lined_code import lined_code
from workbench.engine.doctor.model import Subject
from workbench.engine.doctor.refusals import Unit, explain
from workbench.engine.user_lines import user_lines

Report = Callable[..., None]
MACHINE_EMITS = ("ptx", "sass", "cubin")
IR_EMITS = {"tir": "tile_ir", "lowered": "device_ir", "host": "host_ir", "source": "source"}
_built = cache.BuiltCache()


class KernelRequest(Protocol):
    """What every request about a kernel names."""

    @property
    def source(self) -> Source:
        """The document."""

    @property
    def kernel(self) -> KernelChoice:
        """The kernel and its arguments."""

    @property
    def target(self) -> Mapping[str, Any]:
        """The target's plain form."""


@dataclass
class Stopwatch:
    """Seconds by the name of a step."""

    seconds: dict[str, float]

    @contextlib.contextmanager
    def timing(self, step: str) -> Iterator[None]:
        """Add the block's time to `step`."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[step] = self.seconds.get(step, 0.0) + time.perf_counter() - begun


def compile_kernel(request: CompileRequest, report: Report) -> CompileResult:
    """Lower a kernel for one target and emit what was asked for."""
    watch = Stopwatch({})
    target = Target.from_json(dict(request.target))
    result = CompileResult(None, seconds=watch.seconds, versions=environment.versions())
    try:
        report(f"lowering for {target.name}")
        with watch.timing("build"):
            built = build(request, target)
        with watch.timing("lower"):
            lowered, cached = lower(request, built, target)
        result = _with_lowered(result, request, built, lowered, cached)
        if _wants_machine_code(request):
            report(f"machine code for {target.name}", 0.5)
            with watch.timing("machine_code"):
                result = _with_machine_code(result, request, built, lowered.source, target)
    except blame.StepError as fault:
        diagnostics = (*result.diagnostics, *fault.diagnostics)
        return replace(result, failure=fault.failure, diagnostics=diagnostics)
    return result


def build(request: KernelRequest, target: Target) -> kernels.BuiltKernel:
    """The built kernel of a request, from the first-level cache where nothing has changed.

    Raises blame.StepError.
    """
    known: kernels.BuiltKernel | None = _built.get(request.source, request.kernel, request.target)
    if known is not None:
        return known
    tvm_target = lowering.tvm_target(target)
    with blame.blaming(blame.LOADING, request.source, request.kernel), tvm_target:  # noqa: SIM117
        with loading.loaded(request.source) as module:
            with (
                blame.blaming(blame.BUILDING, request.source, request.kernel, Subject(target)),
                user_lines(request.source.path),
            ):
                built = kernels.build(module, request.kernel, tvm_target)
            files = loading.imported_files(request.source)
    _built.put(request.source, request.kernel, request.target, built, files)
    return built


def lower(
    request: KernelRequest, built: kernels.BuiltKernel, target: Target
) -> tuple[lowering.Lowered, bool]:
    """What TileLang makes of a built kernel, and whether it came from the disk cache.

    Raises blame.StepError.
    """
    key = _lowered_key(built, target)

    def make() -> dict[str, Any]:
        subject = Subject(target, built)
        with blame.blaming(blame.LOWERING, request.source, request.kernel, subject):
            plain: dict[str, Any] = to_plain(lowering.lower(built, lowering.tvm_target(target)))
        return plain

    plain, cached = cache.remembered(cache.disk_cache(), key, make)
    return from_plain(lowering.Lowered, plain), cached


def _lowered_key(built: kernels.BuiltKernel, target: Target) -> str:
    config, flags = dict(built.pass_configs), built.compile_flags
    versions = environment.versions()
    # What the text only refers to, imported source and layouts, is in its metadata.
    text = built.func.script(show_meta=True)
    return cache.digest(text, target.lowering, config, flags, versions)


def _with_lowered(
    result: CompileResult,
    request: CompileRequest,
    built: kernels.BuiltKernel,
    lowered: lowering.Lowered,
    cached: bool,
) -> CompileResult:
    wanted = [name for name in request.emit if name in IR_EMITS]
    first = lowered.kernels[0] if lowered.kernels else None
    shared = [kernel.shared_dynamic_bytes for kernel in lowered.kernels]
    known = [size for size in shared if size is not None]
    return replace(
        result,
        emitted={name: getattr(lowered, IR_EMITS[name]) for name in wanted},
        grid=first.grid if first else None,
        block=first.block if first else None,
        resources=Resources(shared_dynamic_bytes=max(known, default=None)),
        diagnostics=built.diagnostics,
        cached=cached,
    )


def _wants_machine_code(request: CompileRequest) -> bool:
    return request.machine_code or any(name in MACHINE_EMITS for name in request.emit)


def _with_machine_code(
    result: CompileResult,
    request: CompileRequest,
    built: kernels.BuiltKernel,
    source: str,
    target: Target,
) -> CompileResult:
    wanted = [name for name in request.emit if name in MACHINE_EMITS]
    try:
        plain, _ = machine_code_of(built, source, target)
    except machine_code.MissingToolError as error:
        return replace(result, missing={name: str(error) for name in wanted or ["machine code"]})
    except machine_code.MachineCodeError as error:
        raise refused(error, request, target, built, source) from error
    resources = from_plain(Resources, plain["resources"])
    if result.resources is not None:
        dynamic = result.resources.shared_dynamic_bytes
        resources = replace(resources, shared_dynamic_bytes=dynamic)
    emitted = {**result.emitted, **{name: plain[name] for name in wanted}}
    return replace(result, emitted=emitted, resources=resources)


def refused(
    error: machine_code.MachineCodeError,
    request: KernelRequest,
    target: Target,
    built: kernels.BuiltKernel,
    source: str,
    artifact: Any = None,
) -> blame.StepError:
    """The fault of a kernel whose generated source does not compile.

    `artifact` is what lowering made of it, None to lower it once more for the lines.
    """
    document = request.source
    error = _with_lines(error, built, source, target)
    unit = Unit(document.path, document.text, target, built, source, artifact, error.ptx)
    finding = explain(str(error), unit)
    failure = Failure("kernel", finding.message, str(error))
    return blame.told(finding, failure, blame.ASSEMBLING, document, request.kernel, target.name)


def _with_lines(
    error: machine_code.MachineCodeError, built: kernels.BuiltKernel, source: str, target: Target
) -> machine_code.MachineCodeError:
    """What an assembler says of the PTX with the lines of its source, if it has none yet."""
    if error.ptx is None or ".loc" in error.ptx:
        return error
    try:
        lined_code(built, source, target)
    except machine_code.MachineCodeError as again:
        return again
    return error


def machine_code_of(
    built: kernels.BuiltKernel, source: str, target: Target
) -> tuple[dict[str, Any], bool]:
    """The "ptx", "sass", "cubin" (base64) and "resources" of generated source, and whether they
    came from the disk cache. Raises MissingToolError and MachineCodeError.
    """
    if not isinstance(target.lowering, Mapping) or target.lowering.get("kind") != "cuda":
        raise machine_code.MissingToolError(
            f"no compiler here makes machine code for {target.name}: its source is what can be had"
        )
    config, flags = lowering.pass_config(built), built.compile_flags
    spec = target.lowering
    key = cache.digest("machine", source, spec, config, flags, environment.versions())

    def make() -> dict[str, Any]:
        toolkit = environment.cuda_toolkit()
        made = machine_code.compile_cuda(source, spec, config, flags, toolkit)
        return {
            "ptx": made.ptx,
            "sass": machine_code.disassemble(made.cubin, toolkit),
            "cubin": base64.b64encode(made.cubin).decode(),
            "resources": to_plain(made.resources),
        }

    return cache.remembered(cache.disk_cache(), key, make)
