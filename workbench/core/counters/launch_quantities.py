"""Time, clocks, resources, occupancy, units and stalls of a launch: which metrics hold them.

Titles and metrics are those of Nsight Compute's sections (files `*.section` of its installation).
"""

from __future__ import annotations

from workbench.core.counters.model import Group, Quantity, formula

REGISTER_FLOOR = 16
_ACTIVE = "avg.pct_of_peak_sustained_active"
_ELAPSED = "avg.pct_of_peak_sustained_elapsed"


def _quantity(
    key: str,
    title: str,
    group: Group,
    *candidates: str,
    unit: str = "",
    base: str = "",
    basic: bool = True,
    note: str | None = None,
) -> Quantity:
    found = tuple(formula(text) for text in candidates)
    return Quantity(key, title, group, found, unit, base, basic, note)


def _bytes(key: str, title: str, metric: str) -> Quantity:
    return _quantity(key, title, Group.LAUNCH, metric, unit="B", base="byte")


def _percent(key: str, title: str, group: Group, *candidates: str, basic: bool = True) -> Quantity:
    return _quantity(key, title, group, *candidates, unit="%", base="%", basic=basic)


TIME = (
    _quantity(
        "profiled_time_us",
        "Time of the profiled launch",
        Group.TIME,
        "gpu__time_duration.sum",
        "gpu__time_duration.avg",
        unit="us",
        base="ns",
        note="of one launch, with caches emptied before, unless the profiler was told not to",
    ),
    _quantity(
        "clock.sm",
        "SM clock",
        Group.TIME,
        "smsp__cycles_elapsed.avg.per_second",
        "sm__cycles_elapsed.avg.per_second",
        "gpc__cycles_elapsed.avg.per_second",
        unit="MHz",
        base="Hz",
    ),
    _quantity(
        "clock.memory",
        "Memory clock",
        Group.TIME,
        "dram__cycles_elapsed.avg.per_second",
        "fbpa__cycles_elapsed.avg.per_second",
        unit="MHz",
        base="Hz",
    ),
)

LAUNCH = (
    _quantity("grid_size", "Blocks", Group.LAUNCH, "launch__grid_size"),
    _quantity("block_size", "Threads of a block", Group.LAUNCH, "launch__block_size"),
    _quantity("cluster_size", "Blocks of a cluster", Group.LAUNCH, "launch__cluster_size"),
    _quantity("waves", "Waves", Group.LAUNCH, "launch__waves_per_multiprocessor"),
    _quantity("sm_count", "SMs", Group.LAUNCH, "launch__sm_count"),
    _quantity(
        "registers",
        "Registers of a thread",
        Group.LAUNCH,
        "launch__registers_per_thread",
        note=f"the driver gives a thread no fewer than {REGISTER_FLOOR}",
    ),
    _bytes("shared_static_bytes", "Static shared memory", "launch__shared_mem_per_block_static"),
    _bytes("shared_dynamic_bytes", "Dynamic shared memory", "launch__shared_mem_per_block_dynamic"),
    _bytes(
        "shared_driver_bytes", "The driver's shared memory", "launch__shared_mem_per_block_driver"
    ),
    _bytes("shared_carveout_bytes", "Shared memory of an SM", "launch__shared_mem_config_size"),
)

_LIMITS = {
    "warps": ("warps", "warps"),
    "blocks": ("blocks", "blocks"),
    "registers": ("registers", "registers"),
    "shared_memory": ("shared_mem", "shared memory"),
    "barriers": ("barriers", "barriers"),
}
OCCUPANCY = (
    _quantity(
        "occupancy",
        "Theoretical occupancy",
        Group.OCCUPANCY,
        "sm__maximum_warps_per_active_cycle_pct",
        base="%",
    ),
    _quantity(
        "achieved_occupancy",
        "Achieved occupancy",
        Group.OCCUPANCY,
        f"sm__warps_active.{_ACTIVE}",
        base="%",
        note="measured, and so different from one launch to the next",
    ),
    *(
        _quantity(
            f"occupancy_limit.{key}",
            f"Blocks of an SM by {title}",
            Group.OCCUPANCY,
            f"launch__occupancy_limit_{name}",
        )
        for key, (name, title) in _LIMITS.items()
    ),
)

UNITS = (
    _percent(
        "tensor.utilization",
        "Tensor pipe in use",
        Group.UNITS,
        f"sm__pipe_tc_cycles_active.{_ACTIVE}",  # tcgen05; mma has a pipe of its own there
        f"sm__pipe_tensor_cycles_active.{_ACTIVE}",
        f"sm__pipe_tensor_op_hmma_cycles_active.{_ACTIVE}",
        f"sm__inst_executed_pipe_tensor.{_ACTIVE}",
        f"sm__inst_executed_pipe_tensor_op_hmma.{_ACTIVE}",
    ),
    _percent(
        "tensor.mma_utilization",
        "Tensor pipe of mma in use",
        Group.UNITS,
        f"sm__pipe_tensor_subpipe_hmma_cycles_active.{_ACTIVE}",
        basic=False,
    ),
    _percent(
        "sm.throughput",
        "SM throughput",
        Group.UNITS,
        f"sm__throughput.{_ELAPSED}",
    ),
    _percent(
        "memory.throughput",
        "Memory throughput",
        Group.UNITS,
        f"gpu__compute_memory_throughput.{_ELAPSED}",
    ),
    _quantity(
        "instructions_per_cycle",
        "Instructions a cycle of an SM",
        Group.UNITS,
        "sm__inst_executed.avg.per_cycle_active",
        base="inst/cycle",
    ),
    _percent(
        "fma.utilization",
        "FMA pipe in use",
        Group.UNITS,
        f"sm__pipe_fma_cycles_active.{_ACTIVE}",
        f"sm__inst_executed_pipe_fma.{_ACTIVE}",
        basic=False,
    ),
)

# Why a warp did not issue: our key, title, and the name in the metrics.
_STALLS = (
    ("long_scoreboard", "waiting for global, local or texture memory", "long_scoreboard"),
    ("short_scoreboard", "waiting for shared memory or a special function", "short_scoreboard"),
    ("barrier", "waiting at a barrier", "barrier"),
    ("wait", "waiting a fixed number of cycles", "wait"),
    ("gmma", "waiting for a warp group's matrix product", "gmma"),
    ("math_pipe_throttle", "math pipe is full", "math_pipe_throttle"),
    ("mio_throttle", "queue of shared memory and special functions is full", "mio_throttle"),
    ("lg_throttle", "queue of local and global memory is full", "lg_throttle"),
    ("tex_throttle", "queue of the texture unit is full", "tex_throttle"),
    ("no_instruction", "waiting for instructions", "no_instruction"),
    ("imc_miss", "waiting for constants", "imc_miss"),
    ("branch_resolving", "waiting for a branch", "branch_resolving"),
    ("dispatch_stall", "the dispatcher is held up", "dispatch_stall"),
    ("drain", "waiting for stores at the end", "drain"),
    ("membar", "waiting at a memory fence", "membar"),
    ("sleeping", "sleeping", "sleeping"),
    ("misc", "for other reasons", "misc"),
    ("not_selected", "another warp was chosen", "not_selected"),
    ("selected", "issuing", "selected"),
)


def _stall(key: str, title: str, name: str) -> Quantity:
    return _quantity(
        f"stall.{key}",
        f"Stalled: {title}",
        Group.STALLS,
        f"smsp__average_warps_issue_stalled_{name}_per_issue_active.ratio",
        f"smsp__average_warp_latency_issue_stalled_{name}.ratio",
        unit="cycles",
        base="inst",
        basic=False,
    )


STALLS = (
    _quantity(
        "stall.cycles_per_instruction",
        "Cycles of a warp for an instruction",
        Group.STALLS,
        "smsp__average_warp_latency_per_inst_issued.ratio",
        "smsp__average_warps_active_per_inst_executed.ratio",
        unit="cycles",
        base="cycle",
        basic=False,
    ),
    *(_stall(*row) for row in _STALLS),
)
