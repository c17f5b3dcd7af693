"""Gathers from a lowered kernel what an estimate of its run time starts from."""

from __future__ import annotations

from typing import Any

from tvm import tirx

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.global_sites import GlobalKind
from workbench.core.analysis.kernel_facts import KernelFacts
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.analysis.shared_sites import Count, SharedKind, SharedSite, sum_or_none
from workbench.core.analysis.traffic import GlobalReport
from workbench.core.analysis.work import Work, WorkUnit
from workbench.core.targets.model import Target
from workbench.engine.analysis.accesses import DeviceAccesses
from workbench.engine.analysis.global_footprint import block_values
from workbench.engine.analysis.load_rounds import atomic_chain, load_rounds
from workbench.engine.analysis.shared_memory import LoweredKernel
from workbench.engine.analysis.tensor_maps import tensor_maps
from workbench.engine.analysis.translation import class_of, operator

_OVERHEAD = 24  # registers of addresses and temporaries beside local arrays, fitted
_REGISTER_UNIT = 8
_MIN_BLOCKS = "tl.min_blocks_per_sm"  # of T.annotate_min_blocks_per_sm
_LINE = 128


def launch_registers(kernel: LoweredKernel, found: DeviceAccesses, work: Work) -> int:
    """The registers of a thread at the launch, without a compiler that tells.

    Where warps hand registers to each other (setmaxnreg), the block is given what an SM has, so
    that one is there at a time. Source: NVIDIA, PTX ISA 9.0, setmaxnreg, and the counters of
    warp-specialised kernels. A kernel that asks for several blocks at once gets no more than they
    have each: NVIDIA, CUDA C++ Programming Guide 13.0, Launch Bounds.
    """
    limits, threads = kernel.target.arch.limits, found.axes.launch.threads
    most = limits.max_registers_per_thread or 255
    share = (limits.registers_per_sm or 65536) // max(1, threads)
    given = calls_of(kernel.func, "set_max_nreg")
    if given:
        largest = max(int(call.args[0]) for call in given)
        return min(most, largest, share // _REGISTER_UNIT * _REGISTER_UNIT)
    wanted = min(most, work.registers * 5 // 4 + _OVERHEAD)
    blocks = min_blocks(kernel.func)
    return min(wanted, share // blocks // _REGISTER_UNIT * _REGISTER_UNIT) if blocks else wanted


def min_blocks(func: Any) -> int | None:
    """The blocks that a multiprocessor is to have room for, where the document says how many."""
    found: list[int] = []

    def visit(node: Any) -> None:
        if class_of(node) == "AttrStmt" and node.attr_key == _MIN_BLOCKS:
            found.append(int(node.value))

    tirx.stmt_functor.post_order_visit(func.body, visit)
    return max(found, default=None)


def consumer_registers(kernel: LoweredKernel, launched: int) -> int:
    """The most registers that a thread can hold at a time."""
    given = [int(call.args[0]) for call in calls_of(kernel.func, "set_max_nreg")]
    return max([launched, *given])


def calls_of(func: Any, name: str) -> list[Any]:
    """The calls of an operator in a function."""
    found: list[Any] = []

    def visit(node: Any) -> None:
        if class_of(node) == "Call" and operator(node) == name:
            found.append(node)

    tirx.stmt_functor.post_order_visit(func.body, visit)
    return found


def pipeline_stages(tile_func: Any) -> int:
    """The deepest software pipeline that the document asks for; 1 without one."""
    stages = [1]

    def visit(node: Any) -> None:
        if class_of(node) == "For" and "num_stages" in node.annotations:
            stages.append(int(node.annotations["num_stages"]))

    tirx.stmt_functor.post_order_visit(tile_func.body, visit)
    return max(stages)


def pipeline_depth(kernel: LoweredKernel) -> int:
    """Copies in the background that can be under way at once.

    Warp-specialised code has two barriers for each, one that it is there and one that it is used;
    else it is what the document asks for.
    """
    barriers = len(calls_of(kernel.func, "ptx_init_barrier_thread_count"))
    specialized = bool(calls_of(kernel.func, "set_max_nreg"))
    return max(1, barriers // 2) if specialized else pipeline_stages(kernel.tile_func)


def longest_block(found: DeviceAccesses) -> float:
    """Turns of the block with the most over the mean, of the loop whose turns differ most."""
    grid, ratios = frozenset(found.axes.grid.values()), [1.0]
    for axis in {loop for access in found.accesses for loop in access.loops}:
        extent = axis.extent
        if extent.axes and extent.axes <= grid:
            turns = block_values(found.axes, extent)
            ratios.append(float(turns.max() / max(1.0, turns.mean())))
    return max(ratios)


def wave_blocks(target: Target, resources: BlockResources, carveout: int | None = None) -> int:
    """Blocks that run at once on the whole device; of an architecture alone, on one SM."""
    occupancy = occupancy_of(resources, target.arch, carveout)
    each = max(1, occupancy.most_blocks) if occupancy is not None else 1
    model = target.model
    return each * (model.sm_count if model is not None and model.sm_count else 1)


def kernel_facts(
    kernel: LoweredKernel,
    found: DeviceAccesses,
    work: Work,
    shared: tuple[SharedSite, ...],
    memory: GlobalReport,
    registers: int | None = None,
    static_shared_bytes: int = 0,
) -> KernelFacts:
    """The facts of a kernel; `registers` is what the compiler gave a thread, where one told."""
    launch = found.axes.launch
    launched = registers or launch_registers(kernel, found, work)
    dynamic = int(dict(kernel.func.attrs).get("dyn_shared_memory_buf", 0))
    traffic = memory.traffic
    return KernelFacts(
        blocks=launch.blocks,
        threads=launch.threads,
        shared_bytes=dynamic + static_shared_bytes,
        registers=launched,
        estimated_registers=registers is None,
        most_registers=consumer_registers(kernel, launched),
        fragment_registers=work.registers,
        live_registers=work.live_registers,
        specialized=bool(calls_of(kernel.func, "set_max_nreg")),
        stages=pipeline_stages(kernel.tile_func),
        depth=pipeline_depth(kernel),
        waits=work.waits(copies=True) / (launch.blocks * launch.threads),
        barriers=work.waits(copies=False) / (launch.blocks * launch.threads),
        tensor_instruction=_tensor_instruction(work),
        tensor_flops=work.tensor_formats(),
        float_operations=work.operations(WorkUnit.FLOAT),
        special_operations=work.operations(WorkUnit.SPECIAL),
        conversions=work.operations(WorkUnit.CONVERSION),
        shuffles=work.operations(WorkUnit.SHUFFLE),
        shared_wavefronts=_wavefronts(shared, tensor=False),
        tensor_wavefronts=_wavefronts(shared, tensor=True),
        memory_instructions=_instructions(shared, memory),
        l2_load_bytes=traffic.l2_load_bytes,
        l2_store_bytes=traffic.l2_store_bytes,
        dram_load_bytes=traffic.dram_load_bytes,
        dram_store_bytes=traffic.dram_store_bytes,
        bulk_bytes=sum_or_none([memory.bulk_load_bytes, memory.bulk_store_bytes]),
        bulk_lines=_bulk_lines(kernel, memory),
        longest_block=longest_block(found),
        load_rounds=load_rounds(kernel.func, kernel.document, launch.warp, launched),
        vector_instructions=work.instructions(),
        atomic_chain=atomic_chain(found),
        roles=work.roles,
        uncounted=work.uncounted,
    )


def _tensor_instruction(work: Work) -> str | None:
    sites = [site for site in work.sites if site.unit is WorkUnit.TENSOR]
    most = max(sites, key=lambda site: site.flops or 0, default=None)
    return None if most is None else most.operation


def _wavefronts(sites: tuple[SharedSite, ...], tensor: bool) -> Count | None:
    own = [site for site in sites if site.kind is not SharedKind.BULK_COPY]
    return sum_or_none([s.wavefronts for s in own if (s.kind is SharedKind.TENSOR) is tensor])


def _bulk_lines(kernel: LoweredKernel, memory: GlobalReport) -> Count:
    """Rows of boxes, those over 128 bytes in pieces of as many."""
    maps = {each.buffer: each for each in tensor_maps(kernel.host_module).values()}
    lines: Count = 0
    for each in memory.footprints:
        site = each.site
        if site.kind is GlobalKind.BULK_COPY and site.requested_bytes is not None:
            found = maps.get(site.buffer or "")
            row = found.box[0] * found.element_bits // 8 if found else _LINE
            lines += site.requested_bytes // max(1, min(row, _LINE))
    return lines


def _instructions(shared: tuple[SharedSite, ...], memory: GlobalReport) -> Count:
    """Memory instructions of warps, an asynchronous copy once."""
    own = [site.instructions for site in shared if site.kind is not SharedKind.ASYNC_COPY]
    other = [each.site.instructions for each in memory.footprints]
    return sum(count for count in (*own, *other) if count is not None)
