"""How each metric of a run reads in a comparison: its group, its title, and which way is better."""

from __future__ import annotations

import enum
import fnmatch
from dataclasses import dataclass

from workbench.core.counters.quantities import BY_KEY


class Better(enum.Enum):
    """Which way of moving a metric is an improvement."""

    LOWER = "lower"
    HIGHER = "higher"
    NEITHER = "neither"


class MetricGroup(enum.Enum):
    """The groups in the order in which a comparison shows them."""

    SPEED = "Speed"
    RESOURCES = "Resources"
    BANKS = "Shared-memory banks"
    TRAFFIC = "Traffic"
    STALLS = "Stalls"
    CORRECTNESS = "Correctness"
    OTHER = "Other"


@dataclass(frozen=True)
class MetricKind:
    """One row's meaning. `pattern` is a metric's name, or a shell pattern of names."""

    pattern: str
    group: MetricGroup
    title: str
    better: Better


def _kinds(group: MetricGroup, *rows: tuple[str, str, Better]) -> tuple[MetricKind, ...]:
    return tuple(MetricKind(pattern, group, title, better) for pattern, title, better in rows)


#: The first that fits counts; a metric that none fits is told under its own name.
KINDS: tuple[MetricKind, ...] = (
    *_kinds(
        MetricGroup.SPEED,
        ("time_us", "Time, median", Better.LOWER),
        ("time_us.p10", "Time, 10th percentile", Better.LOWER),
        ("time_us.p90", "Time, 90th percentile", Better.LOWER),
        ("profiled_time_us", "Time under the profiler", Better.LOWER),
        ("tflops", "Arithmetic rate", Better.HIGHER),
        ("gb_s", "Bandwidth", Better.HIGHER),
        ("share.matmul", "Share of the device's matmul rate", Better.HIGHER),
        ("share.copy", "Share of the device's copy bandwidth", Better.HIGHER),
        ("baseline.ratio", "Baseline over kernel", Better.HIGHER),
        ("baseline.time_us", "Baseline, median", Better.NEITHER),
        ("launch_overhead_us", "Launch overhead", Better.NEITHER),
        ("sm_clock.low_mhz", "SM clock, lowest", Better.NEITHER),
        ("sm_clock.high_mhz", "SM clock, highest", Better.NEITHER),
    ),
    *_kinds(
        MetricGroup.RESOURCES,
        ("registers", "Registers a thread", Better.LOWER),
        ("spill_bytes", "Spilled a thread", Better.LOWER),
        ("stack_bytes", "Stack a thread", Better.LOWER),
        ("shared_static_bytes", "Shared memory, static", Better.LOWER),
        ("shared_dynamic_bytes", "Shared memory, dynamic", Better.LOWER),
        ("occupancy*", "", Better.HIGHER),
    ),
    *_kinds(
        MetricGroup.BANKS,
        ("shared.*.conflicts", "", Better.LOWER),
        ("shared.*.wavefronts", "", Better.LOWER),
    ),
    *_kinds(
        MetricGroup.TRAFFIC,
        ("dram*_bytes", "", Better.LOWER),
        ("dram*", "", Better.NEITHER),  # a rate is high where much is moved, or fast
        ("l2*hit*", "", Better.HIGHER),
        ("*sectors*", "", Better.LOWER),
        ("*_bytes", "", Better.LOWER),
    ),
    *_kinds(MetricGroup.STALLS, ("stall*", "", Better.LOWER)),
    *_kinds(
        MetricGroup.CORRECTNESS,
        ("*.rel_fro", "", Better.LOWER),
        ("*.max_abs", "", Better.LOWER),
        ("*.mismatched", "", Better.LOWER),
    ),
)


def kind_of(name: str) -> MetricKind:
    """How a metric of this name reads; one that the table lacks improves neither way."""
    for kind in KINDS:
        if fnmatch.fnmatchcase(name, kind.pattern):
            return MetricKind(name, kind.group, kind.title or title_of(name), kind.better)
    return MetricKind(name, MetricGroup.OTHER, title_of(name), Better.NEITHER)


def is_known(name: str) -> bool:
    """Whether the table has a metric of this name."""
    return any(fnmatch.fnmatchcase(name, kind.pattern) for kind in KINDS)


def title_of(name: str) -> str:
    """The title of a counter, with its group where it is told within one; else the name in words.

    "dram.read_bytes" is "DRAM, bytes read"; "odd.thing" is "Odd thing".
    """
    known = BY_KEY.get(name)
    words = name.replace(".", " ").replace("_", " ").strip() if known is None else known.title
    group = known.group.value if known is not None and words[:1].islower() else ""
    title = f"{group}, {words}" if group and not words.startswith(group) else words
    return title[:1].upper() + title[1:]
