"""All that is computed of one kernel for one target."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.lifetimes import Lifetimes
from workbench.core.analysis.line_registers import LineRegisters
from workbench.core.analysis.occupancy import Occupancy
from workbench.core.analysis.operations import Operation
from workbench.core.analysis.pipeline import Pipeline
from workbench.core.analysis.register_budget import RegisterBudget
from workbench.core.analysis.shared_sites import SharedReport
from workbench.core.analysis.shared_tiles import SharedTiles
from workbench.core.analysis.tile_regions import TileRegions
from workbench.core.analysis.traffic import GlobalReport
from workbench.core.analysis.unit_buffers import UnitBuffer
from workbench.core.analysis.work import Work

Extents = tuple[int | None, int | None, int | None]


@dataclass(frozen=True)
class KernelAnalysis:
    """The parts of an analysis, None where one is unknown; the result says why.

    `fragment_registers` is what the local buffers of the lowered code take of a thread's
    registers, 32 bits each: the machine code adds addresses and temporaries, and may keep less.
    `register_budget` is there where warps ask for other numbers of registers than the launch's.
    `block_resources` are those that `occupancy` is computed from.
    """

    name: str
    grid: Extents
    block: Extents
    shared_dynamic_bytes: int | None = None
    occupancy: Occupancy | None = None
    shared: SharedReport | None = None
    global_memory: GlobalReport | None = None
    work: Work | None = None
    estimate: Estimate | None = None
    operations: tuple[Operation, ...] | None = None
    lifetimes: Lifetimes | None = None
    line_registers: tuple[LineRegisters, ...] | None = None
    fragment_registers: int | None = None
    register_budget: RegisterBudget | None = None
    unit_buffers: tuple[UnitBuffer, ...] | None = None
    layouts: tuple[BufferLayout, ...] | None = None
    tiles: TileRegions | None = None
    block_resources: BlockResources | None = None
    shared_tiles: SharedTiles | None = None
    pipeline: Pipeline | None = None
