"""An estimate of a kernel's run time: what keeps an SM busy, and what it waits for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.analysis.kernel_facts import KernelFacts
from workbench.core.analysis.work import RoleWork
from workbench.core.targets.model import GpuModel, Target, Vendor


@dataclass(frozen=True)
class EstimateConstants:
    """What no record of a target tells.

    Documented throughputs are results a clock and SM of compute capability 9.0: NVIDIA, CUDA C++
    Programming Guide 13.0, Arithmetic Instructions. `l2_bytes` a clock and SM is 5120 over 128:
    NVIDIA, A100 Tensor Core GPU Architecture white paper, L2 cache, taken to hold since. Fitted
    ones make the estimates of half of two sweeps and of 16 kernels on an NVIDIA H200 come closest,
    cold and measured two ways, as `docs/analysis.md` says; on other GPUs they are assumed.
    """

    special: float = 16  # documented
    conversions: float = 64  # documented
    shuffles: float = 32  # documented
    l2_bytes: float = 40
    clock: float = 0.89  # of the boost clock, under load; fitted
    launch_us: float = 1.32  # from the launch to the first block, and after the last; fitted
    latency: float = 390  # clocks of a read of global memory; fitted
    line: float = 4.6  # clocks that each further 128 bytes of a copy take; fitted
    wait: float = 170  # clocks around each step of a pipeline in which nothing is computed; fitted
    vector_chain: float = 1.17  # of their clocks alone, operations of one warpgroup; fitted
    barrier: float = 29  # clocks of a barrier of a block; fitted
    dram: float = 0.88  # of the bandwidth; fitted
    warp_tensor: float = 0.71  # of the peak, for instructions of one warp on Hopper; fitted
    spill_bytes: float = 88  # a clock and SM, to local memory and back; fitted
    atomic: float = 43  # clocks from one addition to the next on a word of shared memory; fitted
    exposed: float = 0.75  # of the shorter of work and memory, not hidden in a first wave; fitted
    kept: float = 0.55  # of memory's time that stores take which the L2 can hold; fitted


CONSTANTS = EstimateConstants()


@dataclass(frozen=True)
class PipeTime:
    """Clocks that a resource of an SM is busy with one block."""

    name: str
    clocks: float


@dataclass(frozen=True)
class Estimate:
    """A predicted run time; `bound` is the resource, "latency" or "launch" that takes most of it.

    The L2 is cold and what the host adds is left out: what `profile` measures if nothing is said.
    `pipes` are what one block needs of each resource of an SM, `block_clocks` what it takes from
    begin to end alone, `waves` how often an SM is filled. `leaves_out` names what is not known and
    not in it: then the time is the least that it can be. `facts` are what it was made from.
    """

    time_us: float
    bound: str
    method: str
    waves: int
    tail: float | None
    blocks_per_sm: int
    block_clocks: float
    pipes: tuple[PipeTime, ...]
    dram_us: float | None
    leaves_out: tuple[str, ...] = ()
    facts: KernelFacts | None = None


def estimate(
    facts: KernelFacts,
    target: Target,
    blocks_per_sm: int,
    constants: EstimateConstants = CONSTANTS,
) -> Estimate | None:
    """The run time on a target's model; None without a model whose clock and SMs are known.

    `blocks_per_sm` is what fits on an SM at once. The rules are those of `docs/analysis.md`.
    """
    model = target.model
    if model is None or not model.sm_count or not model.boost_clock_mhz or blocks_per_sm < 1:
        return None
    if target.arch.vendor is not Vendor.NVIDIA:
        return None
    return _Estimator(facts, target, model, model.sm_count, blocks_per_sm, constants).result()


class _Estimator:
    """One estimate; clocks are of one SM."""

    def __init__(
        self,
        facts: KernelFacts,
        target: Target,
        model: GpuModel,
        sms: int,
        fitting: int,
        constants: EstimateConstants,
    ) -> None:
        self.facts, self.model, self.sms, self.constants = facts, model, sms, constants
        self._arch = target.arch
        self.clock_hz = (model.boost_clock_mhz or 0) * 1e6 * constants.clock
        self.resident = min(fitting, math.ceil(facts.blocks / sms))
        self.unknown: list[str] = []

    def result(self) -> Estimate:
        """The estimate."""
        pipes = self._pipes()
        block = self._block(pipes)
        full, rest = divmod(self.facts.blocks, self.sms * self.resident)
        waves = [self._wave(pipes, block, self.resident)] * full
        waves += [self._wave(pipes, block, math.ceil(rest / self.sms))] if rest else []
        longer = (self.facts.longest_block - 1) * block  # the longest one may come last
        clocks = sum(waves) + longer
        busy_us, dram_us = clocks / self.clock_hz * 1e6, self._dram_us()
        running = max(busy_us, dram_us or 0)
        # The blocks of a first wave begin together: they load, then work, then store.
        running += self.constants.exposed * min(busy_us, dram_us or 0) / len(waves)
        launch = self.constants.launch_us
        return Estimate(
            time_us=running + launch,
            bound=self._bound(pipes, block, busy_us, dram_us),
            method=METHOD,
            waves=full + (rest > 0),
            tail=rest / (self.sms * self.resident) if rest else None,
            blocks_per_sm=self.resident,
            block_clocks=block,
            pipes=tuple(PipeTime(*item) for item in pipes.items()),
            dram_us=dram_us,
            leaves_out=tuple(self.unknown),
            facts=self.facts,
        )

    # -- one block --------------------------------------------------------------------------

    def _pipes(self) -> dict[str, float]:
        """Clocks that each resource is busy with one block."""
        facts, constants = self.facts, self.constants
        l2 = self._of("bytes from the L2", facts.l2_load_bytes)
        l2 += self._of("bytes to the L2", facts.l2_store_bytes)
        if facts.uncounted > (facts.vector_instructions or 0):
            self.unknown.append("comparisons and bits of data")
        return {
            "tensor": self._tensor(),
            "shared": self._of("shared wavefronts", facts.shared_wavefronts),
            **self._vector(facts, facts.memory_instructions or 0),
            "l2": l2 / constants.l2_bytes,
        }

    def _vector(self, work: KernelFacts | RoleWork, memory: float) -> dict[str, float]:
        """Clocks of a block's parts that threads work on; `memory` are instructions of warps."""
        constants = self.constants
        floats = self._arch.limits.fp32_fma_per_clock_per_sm or 128
        issued = self._of("instructions of threads", work.vector_instructions)
        issued += memory * _WARP / self.facts.blocks
        return {
            "issue": issued / _ISSUED,
            "special": self._of("special functions", work.special_operations) / constants.special,
            "float": self._of("operations", work.float_operations) / floats,
            "conversion": self._of("conversions", work.conversions) / constants.conversions,
            "shuffle": self._of("shuffles", work.shuffles) / constants.shuffles,
        }

    def _of(self, name: str, total: float | None) -> float:
        """A block's share of a total; an unknown one is left out, which is told."""
        if total is None:
            self.unknown += [name] if name not in self.unknown else []
            return 0.0
        return total / self.facts.blocks

    def _tensor(self) -> float:
        operands = self._of("operands of tensor cores", self.facts.tensor_wavefronts)
        clocks = 0.0
        for name, flops in self.facts.tensor_flops.items():
            operand, _, accumulator = name.partition("->")
            peak = self.model.tensor_peak_tflops(operand, accumulator or None)
            if peak is None:
                self.unknown.append(f"{name} of tensor cores")
                continue
            clocks += flops / self.facts.blocks / self._a_clock(peak)
        return max(operands, clocks / self._warp_share())

    def _a_clock(self, tflops: float) -> float:
        """Operations a clock and SM of a peak: a power of two, whatever its own clock is."""
        each = tflops * 1e6 / (self.sms * (self.model.boost_clock_mhz or 1))
        return float(2 ** round(math.log2(each)))

    def _warp_share(self) -> float:
        instruction = self.facts.tensor_instruction or ""
        by_warp = instruction.startswith("ptx_mma") and self._arch.order >= _WARPGROUPS
        return self.constants.warp_tensor if by_warp else 1.0

    def _block(self, pipes: dict[str, float]) -> float:
        """Clocks of one block alone, from begin to end: the chain of what waits for each other."""
        facts, constants = self.facts, self.constants
        vector = max(pipes[name] for name in VECTOR)
        vector *= constants.vector_chain / max(1.0, self._computing() / _GROUP)
        computing = pipes["tensor"] + pipes["shared"] + vector
        outside = facts.barriers * constants.barrier + self._waiting()
        if facts.waits <= 0:
            return computing + outside
        steps = facts.waits
        lines = facts.bulk_lines / facts.blocks / steps
        handing = constants.wait if lines else 0.0
        turns = steps * facts.stages / facts.depth
        extra = handing + self._spilled() * min(1.0, turns / steps)
        own = self._beside(pipes, extra) if facts.roles else computing + steps * extra
        held = pipes["tensor"] + steps * extra
        copy = constants.latency + constants.line * lines
        return copy + max(own, (copy * steps + held) / facts.depth) + outside

    def _beside(self, pipes: dict[str, float], extra: float) -> float:
        """Clocks of the role that takes longest, which waits for the others' products.

        A role that comes to the tensor cores finds another there as often as that one is there
        without it: the arrival theorem for closed networks of queues (Reiser and Lavenberg, Mean
        Value Analysis, 1980), for products that take alike and come at times of their own; and it
        waits for no more of them than there are.
        """
        roles = [self._role(role, pipes, extra) for role in self.facts.roles]
        return max(there + rest for there, (_, rest) in zip(_queued(roles), roles, strict=True))

    def _role(self, role: RoleWork, pipes: dict[str, float], extra: float) -> tuple[float, float]:
        """Clocks of one role alone with the tensor cores, and with all else."""
        facts, constants = self.facts, self.constants
        flops = sum(facts.tensor_flops.values())
        tensor = pipes["tensor"] * sum(role.tensor_flops.values()) / flops if flops else 0.0
        share = role.threads / sum(each.threads for each in facts.roles)
        vector = max(self._vector(role, share * (facts.memory_instructions or 0)).values())
        vector *= constants.vector_chain / max(1.0, role.threads / _GROUP)
        return tensor, pipes["shared"] * share + vector + role.waits * extra

    def _waiting(self) -> float:
        """Clocks of what a thread waits for one after the other, beside copies in the background:
        loads into registers, the way of its last store, additions to a shared word."""
        rounds = 1.0 if self.facts.load_rounds is None else self.facts.load_rounds
        additions = (self.facts.atomic_chain or 0.0) * self.constants.atomic
        return (rounds + 1) * self.constants.latency + additions

    def _spilled(self) -> float:
        """Clocks a turn that accumulators take to local memory and back, where they do not fit."""
        facts = self.facts
        held = facts.live_registers / facts.most_registers
        if held <= 1:
            return 0.0
        moved = 2 * 4 * facts.live_registers * self._computing()
        return moved * held**2 / self.constants.spill_bytes

    def _computing(self) -> int:
        """Threads of a block that compute."""
        return self.facts.threads - (_GROUP if self.facts.specialized else 0)

    # -- the launch -------------------------------------------------------------------------

    def _wave(self, pipes: dict[str, float], block: float, resident: int) -> float:
        return max(block, resident * max(pipes.values()))

    def _dram_us(self) -> float | None:
        bandwidth = self.model.bandwidth_gb_s
        moved = (self.facts.dram_load_bytes, self.facts.dram_store_bytes)
        if bandwidth is None or moved[0] is None or moved[1] is None:
            self.unknown.append("bytes from memory")
            return None
        held = min(moved[1], self.model.l2_bytes or 0)
        counted = moved[0] + moved[1] - (1 - self.constants.kept) * held
        return counted / (bandwidth * self.constants.dram) / 1e3

    def _bound(
        self, pipes: dict[str, float], block: float, busy_us: float, dram_us: float | None
    ) -> str:
        if self.constants.launch_us > max(busy_us, dram_us or 0):
            return "launch"
        if dram_us is not None and dram_us >= busy_us:
            return "dram"
        busiest = max(pipes, key=pipes.__getitem__)
        if self.resident * pipes[busiest] >= _BUSY * block:
            return busiest
        return "registers" if self._spilled() > 0 else "latency"


def _queued(roles: Sequence[tuple[float, float]]) -> list[float]:
    """Clocks that each role is at the tensor cores or waits for them.

    Each is given by its clocks there alone and those elsewhere.
    """
    times = []
    for place, (tensor, _) in enumerate(roles):
        others = [*roles[:place], *roles[place + 1 :]]
        waited = [
            min(tensor, own) * there / max(1.0, there + rest)
            for there, (own, rest) in zip(_queued(others), others, strict=True)
        ]
        times.append(tensor + sum(waited))
    return times


VECTOR = ("issue", "special", "float", "conversion", "shuffle")  # parts that threads work on
_WARP = 32
# Threads' instructions a clock: four schedulers, of a warp each. CUDA C++ Programming Guide 13.0,
# Compute Capabilities, 8.x and 9.0.
_ISSUED = 4 * _WARP
_WARPGROUPS = 90  # the order of the architecture whose tensor instructions are a warpgroup's
_GROUP = 128  # threads of a warpgroup: a warp on each quarter of an SM; also those that load
_BUSY = 0.5  # a resource busy for more of the time than this is what bounds it
METHOD = (
    "model: for each wave of blocks the larger of the busiest resource of an SM and a block's chain"
    " of steps with their latencies, or the bytes from memory, and a launch, all with a cold L2 as"
    " `profile` measures; constants fitted on an H200"
)
