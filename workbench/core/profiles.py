"""What a worker is asked to measure of a kernel on a GPU, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import Failure, KernelChoice, OutputComparison, Source


@dataclass(frozen=True)
class ProfileRequest:
    """Time one kernel on the GPU of the worker's machine, and read its counters if asked.

    `device` is the number of the GPU among those that the worker sees. `cache` is "cold" (the L2
    is overwritten before every timed launch) or "warm". `method` is "auto", "events", "graph" or
    "cupti". `baseline` names a function of the document that is timed beside the kernel in both
    orders. A kernel is compared with its reference before it is timed, unless `check` is False.
    `counters` has Nsight Compute read `counter_set`: "basic" (what the predictions are compared
    with), or "full"; with `lines` per source line too. `ceilings` are what was measured of this
    device before; None has them measured, which takes some seconds, unless `ceilings_wanted` is
    False. `flops` is the case's formula.
    """

    source: Source
    kernel: KernelChoice
    target: Mapping[str, object]
    reference: str | None = None
    baseline: str | None = None
    dims: Mapping[str, int] = field(default_factory=dict)
    seed: int = 0
    rtol: float | None = None
    atol: float | None = None
    device: int = 0
    method: str = "auto"
    cache: str = "cold"
    min_samples: int = 50
    measure_seconds: float = 1.0
    check: bool = True
    counters: bool = False
    counter_set: str = "basic"
    lines: bool = False
    ceilings: Ceilings | None = None
    ceilings_wanted: bool = True
    flops: str | None = None


@dataclass(frozen=True)
class DeviceInfo:
    """One GPU as its driver describes it; None is unknown. `arch` is such as "sm_90" or "gfx942".

    `uuid` tells one device from another of the same model. Clocks are the most that the driver
    would run at.
    """

    name: str
    arch: str | None = None
    uuid: str | None = None
    index: int = 0
    sm_count: int | None = None
    memory_bytes: int | None = None
    l2_bytes: int | None = None
    driver: str | None = None
    runtime: str | None = None
    sm_clock_mhz: int | None = None
    memory_clock_mhz: int | None = None


@dataclass(frozen=True)
class Clocks:
    """What the SMs' clock was seen to be while timing, and why it was held down where it was."""

    low_mhz: int | None = None
    high_mhz: int | None = None
    most_mhz: int | None = None
    throttled: tuple[str, ...] = ()


@dataclass(frozen=True)
class Latency:
    """The time of one launch. Percentiles are over `samples_us`, which are in the order taken.

    `method` says how: "cuda events", "graph replay", "cupti". `cache` is "cold" or "warm".
    `launches_per_sample` launches share one sample where one alone is too short for the method.
    `launch_overhead_us` is what the method adds to an empty kernel; it is not taken off the
    samples. `trust` are sentences on what to believe: clocks, spread, noise; the worst first.
    """

    median_us: float
    p10_us: float
    p90_us: float
    samples_us: tuple[float, ...]
    method: str
    cache: str
    launches_per_sample: int = 1
    launch_overhead_us: float | None = None
    clocks: Clocks | None = None
    trust: tuple[str, ...] = ()


@dataclass(frozen=True)
class Baseline:
    """What the kernel was timed beside. `ratio` is baseline over kernel: above 1 ours is faster.

    `ratios` are those of the two orders (kernel first, baseline first), each of medians.
    """

    name: str
    latency: Latency
    ratio: float
    ratios: tuple[float, float] | None = None


@dataclass(frozen=True)
class Ceilings:
    """What one device was measured to reach: the copy bandwidth, and matmul rates by dtype.

    `copy_gb_s` counts bytes read and written. `measured` is an ISO 8601 time. The dtypes are
    torch's names: "float16", "bfloat16", "float8_e4m3fn", "int8", "float32", "tf32".
    """

    device: str
    uuid: str | None
    measured: str
    copy_gb_s: float | None = None
    matmul_tflops: Mapping[str, float] = field(default_factory=dict)
    method: str = ""


@dataclass(frozen=True)
class LineCounters:
    """What was counted for the instructions of one line of the document, by official name."""

    line: int
    values: Mapping[str, float]
    text: str = ""


@dataclass(frozen=True)
class KernelCounters:
    """The counters of one launch of one device kernel, by Nsight Compute's official names.

    A metric that the tool lists and could not tell is None. `units` holds the tool's base unit of
    each. `lines` are per line of the document, those of other files left out.
    """

    name: str
    values: Mapping[str, float | None]
    units: Mapping[str, str] = field(default_factory=dict)
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    device: str | None = None
    arch: str | None = None
    lines: tuple[LineCounters, ...] = ()


@dataclass(frozen=True)
class CounterReport:
    """What a profiler counted, kernel by kernel in the order of launch; `tool` with version."""

    tool: str
    kernels: tuple[KernelCounters, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ProfileResult:
    """The outcome of a ProfileRequest; what is None is unknown, and `missing` says why by name.

    `verified` is None where nothing was compared. `flops` and `bytes_moved` are of one launch:
    bytes of every input and output once. `missing["counters"]` is one sentence: why there are no
    counters here, and what to change. `outputs` are the comparisons with the reference; the
    error maps of wrong ones are the job's blobs.
    """

    failure: Failure | None
    device: DeviceInfo | None = None
    latency: Latency | None = None
    baseline: Baseline | None = None
    ceilings: Ceilings | None = None
    verified: bool | None = None
    flops: float | None = None
    bytes_moved: int | None = None
    counters: CounterReport | None = None
    missing: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    outputs: tuple[OutputComparison, ...] = ()
