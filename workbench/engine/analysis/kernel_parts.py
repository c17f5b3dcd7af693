"""The parts of one kernel's analysis, each computed once and apart from the others."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.kernel_analysis import Extents, KernelAnalysis
from workbench.core.analysis.lifetimes import Lifetimes
from workbench.core.analysis.line_registers import LineRegisters
from workbench.core.analysis.occupancy import Occupancy, occupancy_of
from workbench.core.analysis.operations import Operation
from workbench.core.analysis.register_budget import RegisterBudget
from workbench.core.analysis.shared_tiles import SharedTiles
from workbench.core.analysis.tile_regions import TileRegions
from workbench.core.analysis.traffic import GlobalReport
from workbench.core.analysis.unit_buffers import UnitBuffer, unit_buffers
from workbench.core.jobs import AnalyzeRequest, Resources
from workbench.core.targets.model import Target, Vendor
from workbench.engine import compiling, kernels, lowering, machine_code
from workbench.engine.analysis import resources as block_needs
from workbench.engine.analysis.copy_lines import Pair, copy_lines
from workbench.engine.analysis.instructions import DeviceCode, device_code
from workbench.engine.analysis.lifetimes import shared_lifetimes
from workbench.engine.analysis.lined_code import LinedCode
from workbench.engine.analysis.live_registers import live_registers
from workbench.engine.analysis.memory import MemoryParts
from workbench.engine.analysis.operations import operations_of
from workbench.engine.analysis.pipeline_facts import pipeline
from workbench.engine.analysis.shared_memory import KernelCode, LoweredKernel
from workbench.engine.analysis.shared_tiles import shared_tiles
from workbench.engine.analysis.tensor_maps import tensor_maps
from workbench.engine.analysis.tile_layouts import layouts_of
from workbench.engine.analysis.tile_operations import tile_operations
from workbench.engine.analysis.tile_regions import tile_regions

T = TypeVar("T")
_LOG = logging.getLogger(__name__)
NO_CODE = "machine code"  # the name under which `missing` says why there is none


@dataclass
class AnalyzeJob:
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
        except (
            ValueError,
            machine_code.MissingToolError,
            machine_code.MachineCodeError,  # nvdisasm 13.0 cannot read lives of 255 registers
        ) as error:
            self.missing[name] = str(error)
        except Exception as error:
            _LOG.exception("the analysis of %s failed", name)
            self.missing[name] = f"internal error: {type(error).__name__}: {error}"
        return None


@dataclass(frozen=True)
class Lowering:
    """A kernel lowered for the target.

    `unmerged` are its shared buffers before they are merged, `allocated` those of the tile program
    by name, `layouts` what was inferred.
    """

    built: kernels.BuiltKernel
    artifact: Any
    config: dict[str, Any]
    unmerged: Mapping[Any, Any]
    layouts: Mapping[str, tuple[Any, Any]]
    allocated: Mapping[str, Any]


@dataclass(frozen=True)
class Code:
    """Machine code with the document's line of each line of the source."""

    lined: LinedCode
    lines: Mapping[int, int | None]


@dataclass
class KernelParts:
    """The parts of one device function's analysis."""

    job: AnalyzeJob
    lowered: Lowering
    code: Code | None
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
    def memory(self) -> MemoryParts:
        """What needs addresses."""
        code = self.code
        of = None if code is None else KernelCode(code.lined.ptx, code.lined.sass, code.lines)
        carveout = self.job.request.carveout_bytes
        return MemoryParts(self.kernel, of, self.job.missing.get(NO_CODE), self.block, carveout)

    @cached_property
    def resources(self) -> Resources:
        """What the compiler reported, else what the IR tells."""
        dynamic = self.device.shared_dynamic_bytes
        if self.code is not None:
            return replace(self.code.lined.resources, shared_dynamic_bytes=dynamic)
        nvidia = self.job.target.arch.vendor is Vendor.NVIDIA
        why = self.job.missing[NO_CODE] if nvidia else block_needs.no_registers(self.job.target)
        self.job.missing.setdefault("registers", why)
        return block_needs.ir_resources(self.body, dynamic, "not compiled")

    @cached_property
    def block(self) -> BlockResources:
        """What a block needs; raises ValueError where the launch decides it."""
        if self.device.shared_dynamic_bytes is None:
            raise ValueError("the dynamic shared memory is known at the launch only")
        return block_needs.block_resources(self.kernel.func, self.threads, self.resources)

    @property
    def threads(self) -> int:
        """Threads of a block; raises ValueError where the launch decides them."""
        known = [extent for extent in self.device.block if extent is not None]
        if len(known) < len(self.device.block):
            raise ValueError("the number of threads is known at the launch only")
        return math.prod(known)

    def analysis(self) -> KernelAnalysis:
        """Every part that can be told."""
        part, device = self.job.part, self.device
        return KernelAnalysis(
            self.kernel.name,
            _extents(device.grid),
            _extents(device.block),
            device.shared_dynamic_bytes,
            occupancy=part("occupancy", self._occupancy),
            shared=part("shared", lambda: self.memory.shared),
            global_memory=part("global", self._global_memory),
            work=part("work", lambda: self.memory.work),
            estimate=part("estimate", lambda: self.memory.estimate()),
            operations=part("operations", self._operations),
            lifetimes=part("lifetimes", self._lifetimes),
            line_registers=part("line registers", self._line_registers),
            fragment_registers=part("fragments", lambda: block_needs.fragment_registers(self.body)),
            register_budget=part("register budget", self._budget),
            unit_buffers=part("buffers", self._unit_buffers),
            layouts=part("layouts", self._layouts),
            tiles=part("tiles", self._tiles),
            pipeline=part("pipeline", lambda: pipeline(self.kernel, self.copies)),
            shared_tiles=part("shared tiles", self._shared_tiles),
            block_resources=part("block", lambda: self.block),
        )

    def _occupancy(self) -> Occupancy:
        arch = self.job.target.arch
        found = occupancy_of(self.block, arch, self.job.request.carveout_bytes)
        if found is None:
            raise ValueError(f"the rules of {arch.title} for blocks on a core are not known")
        return found

    def _global_memory(self) -> GlobalReport:
        if self.job.target.arch.vendor is Vendor.HUAWEI:
            raise ValueError("what an Ascend core's copies move is not counted")
        return self.memory.global_memory

    def _operations(self) -> tuple[Operation, ...]:
        tiles = tile_operations(self.lowered.built.func, self.kernel.document, self.lowered.config)
        alone = len(self.lowered.artifact.device_mod.functions) == 1
        return operations_of(tiles, self.body, self.copies, self.job.target, alone)

    def _tiles(self) -> TileRegions:
        launched = [
            str(each.attrs["global_symbol"])
            for each in self.lowered.artifact.device_mod.functions.values()
        ]
        place = launched.index(self.kernel.name)
        return tile_regions(self.lowered.built.func, self.kernel.document, place)

    def _layouts(self) -> tuple[BufferLayout, ...]:
        return layouts_of(self.lowered.layouts, self.lowered.allocated)

    def _lifetimes(self) -> Lifetimes:
        allocated = self.device.shared_dynamic_bytes
        return shared_lifetimes(self.body, self.lowered.unmerged, self.copies, allocated)

    def _shared_tiles(self) -> SharedTiles:
        return shared_tiles(
            self.memory.found,
            self.memory.shared.ir_sites,
            self._lifetimes().buffers,
            layouts_of(self.lowered.layouts, self.lowered.allocated),
            self.copies,
        )

    def _line_registers(self) -> tuple[LineRegisters, ...]:
        if self.code is None:
            raise ValueError(self.job.missing[NO_CODE])
        if not self.job.request.line_details:
            raise ValueError("they were not asked for")
        return live_registers(self.code.lined.cubin, self.kernel.name, self.code.lines)

    def _budget(self) -> RegisterBudget | None:
        registers = self.resources.registers
        return block_needs.budget_of(self.kernel.func, self.threads, registers, self.job.target)

    def _unit_buffers(self) -> tuple[UnitBuffer, ...] | None:
        if self.job.target.arch.vendor is not Vendor.HUAWEI:
            return None
        return unit_buffers(block_needs.bytes_by_scope(self.body), self.job.target.arch.limits)


def _extents(extents: tuple[int | None, ...]) -> Extents:
    x, y, z = (*extents, 1, 1, 1)[:3]
    return x, y, z
