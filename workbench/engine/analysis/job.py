"""The analyze job: everything that is computed of a kernel for one target, part by part."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from workbench.core.analysis.findings import findings
from workbench.core.analysis.kernel_analysis import Extents, KernelAnalysis
from workbench.core.analysis.lifetimes import Lifetimes
from workbench.core.analysis.line_registers import LineRegisters
from workbench.core.analysis.occupancy import Occupancy, occupancy_of
from workbench.core.analysis.operations import Operation
from workbench.core.analysis.shared_sites import SharedReport
from workbench.core.analysis.unit_buffers import unit_buffers
from workbench.core.diagnostics import Severity
from workbench.core.jobs import AnalyzeRequest, AnalyzeResult, Failure, Resources
from workbench.core.targets.model import Target, Vendor
from workbench.engine import blame, compiling, environment, kernels, lowering, machine_code
from workbench.engine.analysis import resources as block_needs
from workbench.engine.analysis.copy_lines import Pair, copy_lines
from workbench.engine.analysis.instructions import DeviceCode, device_code
from workbench.engine.analysis.lifetimes import SharedBuffers, shared_lifetimes
from workbench.engine.analysis.lined_code import LinedCode, lined_code
from workbench.engine.analysis.live_registers import live_registers
from workbench.engine.analysis.operations import operations_of
from workbench.engine.analysis.shared_memory import (
    KernelCode,
    LoweredKernel,
    analyze_shared,
    lowered_kernels,
)
from workbench.engine.analysis.source_lines import source_lines
from workbench.engine.analysis.tensor_maps import tensor_maps
from workbench.engine.analysis.tile_operations import tile_operations
from workbench.engine.user_lines import user_lines

T = TypeVar("T")
_LOG = logging.getLogger(__name__)


@dataclass
class _Job:
    """What the steps of one job share: its request, and why parts of the answer are missing."""

    request: AnalyzeRequest
    target: Target
    watch: compiling.Stopwatch
    missing: dict[str, str] = field(default_factory=dict)

    def part(self, name: str, compute: Callable[[], T | None]) -> T | None:
        """A part of the analysis; where it cannot be told the result says why, the rest stands."""
        try:
            with self.watch.timing(name):
                return compute()
        except (ValueError, machine_code.MissingToolError) as error:
            self.missing[name] = str(error)
        except Exception as error:
            _LOG.exception("the analysis of %s failed", name)
            self.missing[name] = f"internal error: {type(error).__name__}: {error}"
        return None


@dataclass(frozen=True)
class _Lowering:
    """A kernel lowered for the target; `unmerged` are its shared buffers before they are merged."""

    built: kernels.BuiltKernel
    artifact: Any
    config: dict[str, Any]
    unmerged: Mapping[Any, Any]


@dataclass(frozen=True)
class _Code:
    """Machine code with the document's line of each line of the source."""

    lined: LinedCode
    lines: Mapping[int, int | None]

    @property
    def for_memory(self) -> KernelCode:
        """What the analysis of memory needs of it."""
        return KernelCode(self.lined.ptx, self.lined.sass, self.lines)


def analyze_kernel(request: AnalyzeRequest, report: compiling.Report) -> AnalyzeResult:
    """Everything that can be told of a kernel on one target.

    Where the source does not compile, the result has a failure and what the IR tells.
    """
    target = Target.from_json(dict(request.target))
    job = _Job(request, target, compiling.Stopwatch({}))
    result = AnalyzeResult(None, missing=job.missing, versions=environment.versions())
    try:
        report(f"lowering for {target.name}")
        lowered = _lower(job)
        result = replace(result, diagnostics=lowered.built.diagnostics)
        report(f"machine code for {target.name}", 0.4)
        code, failure = _machine_code(job, lowered)
    except blame.StepError as fault:
        diagnostics = (*result.diagnostics, *fault.diagnostics)
        return replace(
            result, failure=fault.failure, diagnostics=diagnostics, seconds=job.watch.seconds
        )
    report(f"analysis for {target.name}", 0.7)
    return _finished(job, replace(result, failure=failure), lowered, code)


def _finished(
    job: _Job, result: AnalyzeResult, lowered: _Lowering, code: _Code | None
) -> AnalyzeResult:
    document = job.request.source.path
    found = lowered_kernels(lowered.artifact, lowered.built.func, document, job.target)
    parts = [_KernelParts(job, lowered, code, kernel) for kernel in found]
    analyses = tuple(each.analysis() for each in parts)
    resources = _largest([each.resources for each in parts])
    line = job.request.kernel.line
    own = [d for each in analyses for d in findings(each, resources, job.target, line)]
    failure = result.failure
    errors = [d for d in own if d.severity is Severity.ERROR]
    if failure is None and errors:
        where = errors[0].range.line if errors[0].range else None
        failure = Failure("kernel", errors[0].message, None, where)
    return replace(
        result,
        failure=failure,
        kernels=analyses,
        resources=resources,
        diagnostics=(*result.diagnostics, *own),
        seconds=job.watch.seconds,
    )


def _lower(job: _Job) -> _Lowering:
    request, shared = job.request, SharedBuffers()
    with job.watch.timing("build"):
        built = compiling.build(request, job.target)
    with (
        job.watch.timing("lower"),
        blame.blaming(blame.LOWERING, request.source, request.kernel),
        user_lines(request.source.path),
    ):
        tvm_target = lowering.tvm_target(job.target)
        artifact = lowering.lower_modules(built, tvm_target, lambda: [shared])
        return _Lowering(built, artifact, lowering.pass_config(built), shared.buffers)


def _machine_code(job: _Job, lowered: _Lowering) -> tuple[_Code | None, Failure | None]:
    """Machine code where the level asks for it; a failure where the source does not compile."""
    if job.request.level < 2:
        job.missing["machine code"] = "level 1 reads the lowered IR alone"
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
        job.missing["machine code"] = str(error)
        return None, None
    except machine_code.MachineCodeError as error:
        failure = compiling.refused(error, job.target)
        job.missing["machine code"] = failure.message
        return None, failure
    return _Code(lined, lines), None


@dataclass
class _KernelParts:
    """The parts of one device function's analysis, each computed once."""

    job: _Job
    lowered: _Lowering
    code: _Code | None
    kernel: LoweredKernel

    @cached_property
    def device(self) -> lowering.DeviceKernel:
        """The launch as the lowering tells it."""
        return lowering.device_kernel(self.kernel.func)

    @cached_property
    def body(self) -> DeviceCode:
        """The instructions of the lowered code."""
        maps = tensor_maps(self.kernel.host_module)
        return device_code(self.kernel.func, self.kernel.document, maps)

    @cached_property
    def copies(self) -> Mapping[Pair, int]:
        """The lines of copies by their buffers."""
        return copy_lines(self.lowered.built.func, self.kernel.document)

    @cached_property
    def threads(self) -> int | None:
        """Threads of a block, None where the launch decides."""
        known = [extent for extent in self.device.block if extent is not None]
        return math.prod(known) if len(known) == len(self.device.block) else None

    @cached_property
    def resources(self) -> Resources:
        """What the compiler reported, else what the IR tells."""
        dynamic = self.device.shared_dynamic_bytes
        if self.code is not None:
            return replace(self.code.lined.resources, shared_dynamic_bytes=dynamic)
        why = self.job.missing.get("machine code", "no machine code")
        self.job.missing.setdefault("registers", self._why_no_registers(why))
        return block_needs.ir_resources(self.body, dynamic, "not compiled")

    def _why_no_registers(self, why: str) -> str:
        nvidia = self.job.target.arch.vendor is Vendor.NVIDIA
        return why if nvidia else block_needs.no_registers(self.job.target)

    def analysis(self) -> KernelAnalysis:
        """Every part that can be told."""
        part, huawei = self.job.part, self.job.target.arch.vendor is Vendor.HUAWEI
        limits = self.job.target.arch.limits
        return KernelAnalysis(
            self.kernel.name,
            _extents(self.device.grid),
            _extents(self.device.block),
            self.device.shared_dynamic_bytes,
            occupancy=part("occupancy", self._occupancy),
            shared=part("shared", self._shared),
            operations=part("operations", self._operations),
            lifetimes=part("lifetimes", self._lifetimes),
            line_registers=part("line registers", self._line_registers),
            fragment_registers=part("fragments", lambda: block_needs.fragment_registers(self.body)),
            register_budget=part("register budget", self._budget),
            unit_buffers=unit_buffers(block_needs.bytes_by_scope(self.body), limits)
            if huawei
            else None,
        )

    def _occupancy(self) -> Occupancy:
        if self.threads is None:
            raise ValueError("the number of threads is known at the launch only")
        if self.device.shared_dynamic_bytes is None:
            raise ValueError("the dynamic shared memory is known at the launch only")
        block = block_needs.block_resources(self.kernel.func, self.threads, self.resources)
        arch = self.job.target.arch
        found = occupancy_of(block, arch, self.job.request.carveout_bytes)
        if found is None:
            raise ValueError(f"the rules of {arch.title} for blocks on a core are not known")
        return found

    def _shared(self) -> SharedReport:
        code = None if self.code is None else self.code.for_memory
        return analyze_shared(self.kernel, code, self.job.missing.get("machine code"))

    def _operations(self) -> tuple[Operation, ...]:
        tiles = tile_operations(self.lowered.built.func, self.kernel.document, self.lowered.config)
        return operations_of(tiles, self.body, self.copies, self.job.target)

    def _lifetimes(self) -> Lifetimes:
        allocated = self.device.shared_dynamic_bytes
        return shared_lifetimes(self.body, self.lowered.unmerged, self.copies, allocated)

    def _line_registers(self) -> tuple[LineRegisters, ...] | None:
        if self.code is None:
            raise ValueError(self.job.missing.get("machine code", "there is no machine code"))
        return live_registers(self.code.lined.cubin, self.kernel.name, self.code.lines)

    def _budget(self) -> Any:
        if self.threads is None:
            return None
        registers = self.resources.registers
        return block_needs.budget_of(self.kernel.func, self.threads, registers, self.job.target)


def _extents(extents: tuple[int | None, ...]) -> Extents:
    x, y, z = (*extents, 1, 1, 1)[:3]
    return x, y, z


def _largest(found: list[Resources]) -> Resources | None:
    """The resources with the largest dynamic shared memory; the compiler's are of all kernels."""
    return max(found, key=lambda each: each.shared_dynamic_bytes or 0, default=None)
