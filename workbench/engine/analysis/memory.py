"""Memory and work of one kernel: its accesses and the traces of its code, each found once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from workbench.core.analysis.bank_tables import rules_for
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.estimate import Estimate, estimate
from workbench.core.analysis.shared_sites import SharedReport
from workbench.core.analysis.traffic import GlobalReport
from workbench.core.analysis.work import Work
from workbench.core.targets.model import Vendor
from workbench.engine.analysis.accesses import DeviceAccesses
from workbench.engine.analysis.code_traces import CodeTraces
from workbench.engine.analysis.global_traffic import global_report
from workbench.engine.analysis.ptx import PtxError
from workbench.engine.analysis.ptx_machine import PtxLimitError
from workbench.engine.analysis.shared_memory import (
    KernelCode,
    LoweredKernel,
    accesses_of,
    code_sites_of,
    ir_sites_of,
    traces_of,
)
from workbench.engine.analysis.shared_report import shared_report
from workbench.engine.analysis.work_facts import kernel_facts, launch_registers, wave_blocks
from workbench.engine.analysis.work_ir import work_of


@dataclass
class MemoryParts:
    """The parts of an analysis that need addresses; `no_code` says why there is no code.

    `block` is what a block needs, by the compiler where there is one. All raise ValueError where
    the launch is not constant.
    """

    kernel: LoweredKernel
    code: KernelCode | None
    no_code: str | None
    block: BlockResources
    carveout_bytes: int | None

    @cached_property
    def found(self) -> DeviceAccesses:
        """Every access to shared and global memory."""
        return accesses_of(self.kernel)

    @cached_property
    def _traced(self) -> tuple[CodeTraces | None, str | None]:
        """What the code does, else why that cannot be told."""
        if self.code is None or rules_for(self.kernel.target.arch) is None:
            return None, self.no_code
        try:
            return traces_of(self.kernel, self.code, self.found), None
        except (PtxError, PtxLimitError) as error:
            return None, str(error)

    @cached_property
    def shared(self) -> SharedReport:
        """Shared memory, by the code where that can be told."""
        sites = ir_sites_of(self.kernel, self.found)
        traces, lacks = self._traced
        if traces is None or self.code is None:
            return shared_report(self.kernel.name, sites, None, lacks)
        code = code_sites_of(self.kernel, self.code, traces)
        return shared_report(self.kernel.name, sites, code, None)

    @cached_property
    def global_memory(self) -> GlobalReport:
        """Global memory, for as many blocks at once as the device holds."""
        together = wave_blocks(self.kernel.target, self._resident, self.carveout_bytes)
        traces, lacks = self._traced
        lines = self.code.lines if self.code is not None else None
        return global_report(self.kernel, self.found, together, traces, lines, lacks)

    @cached_property
    def work(self) -> Work:
        """Operations of the tensor cores and of threads."""
        warp = self.kernel.target.arch.limits.warp_size or 32
        return work_of(self.kernel.func, self.kernel.document, warp)

    def estimate(self) -> Estimate:
        """The run time; raises ValueError where there is no estimate for the target."""
        target, block = self.kernel.target, self.block
        facts = kernel_facts(
            self.kernel,
            self.found,
            self.work,
            self.shared.sites,
            self.global_memory,
            block.registers,
            block.static_shared_bytes,
        )
        sms = (target.model.sm_count if target.model is not None else None) or 1
        fitting = wave_blocks(target, self._resident, self.carveout_bytes) // sms
        found = estimate(facts, target, fitting)
        if found is None:
            raise ValueError(f"run times are estimated for NVIDIA's models, not for {target.name}")
        return found

    @cached_property
    def _resident(self) -> BlockResources:
        """What a block needs, with an estimate of the registers where no compiler tells them."""
        if self.block.registers is not None or self.kernel.target.arch.vendor is not Vendor.NVIDIA:
            return self.block
        registers = launch_registers(self.kernel, self.found, self.work)
        return replace(self.block, registers=registers)
