"""The estimated run time of a lowered kernel, from the parts of its analysis."""

from __future__ import annotations

from dataclasses import replace

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.estimate import Estimate, estimate
from workbench.core.analysis.shared_sites import SharedSite
from workbench.core.analysis.traffic import GlobalReport
from workbench.core.analysis.work import Work
from workbench.engine.analysis.accesses import DeviceAccesses
from workbench.engine.analysis.shared_memory import LoweredKernel
from workbench.engine.analysis.work_facts import kernel_facts, launch_registers, wave_blocks


def kernel_estimate(
    kernel: LoweredKernel,
    found: DeviceAccesses,
    work: Work,
    shared: tuple[SharedSite, ...],
    memory: GlobalReport,
    block: BlockResources,
    carveout_bytes: int | None = None,
) -> Estimate | None:
    """The estimate on the target's model; None where its target has none.

    Registers are the block's where a compiler told them, else estimated: see `launch_registers`.
    """
    registers = block.registers or launch_registers(kernel, found, work)
    together = wave_blocks(kernel.target, replace(block, registers=registers), carveout_bytes)
    facts = kernel_facts(
        kernel, found, work, shared, memory, block.registers, block.static_shared_bytes
    )
    model = kernel.target.model
    sms = model.sm_count if model is not None else None
    return estimate(facts, kernel.target, together // sms) if sms else None
