"""Profiles of a product of 4096³ with numbers as an H200 gave them, made by hand around them."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from workbench.core.jobs import Failure, OutputComparison, WorstElement
from workbench.core.mismatches import mismatch
from workbench.core.profiles import (
    Baseline,
    Ceilings,
    Clocks,
    CounterReport,
    DeviceInfo,
    KernelCounters,
    Latency,
    LineCounters,
    ProfileResult,
)
from workbench.session.profile.subject import ProfileSubject, ShapePoint

FLOPS = 2.0 * 4096**3
BYTES = 3 * 4096 * 4096 * 2
WHEN = datetime(2026, 11, 29, 14, 3, tzinfo=timezone.utc)
H200 = DeviceInfo(
    "NVIDIA H200",
    "sm_90",
    "GPU-6f1e",
    0,
    132,
    150754820096,
    62914560,
    "580.65.06",
    "13.0",
    1980,
    3201,
)
CEILINGS = Ceilings(
    "NVIDIA H200",
    "GPU-6f1e",
    "2026-11-29T13:58:00+00:00",
    4021.0,
    {"float16": 741.0, "bfloat16": 748.0, "float8_e4m3fn": 1320.0, "tf32": 352.0},
    "torch.matmul of 8192³, copy of 2 GiB",
)


def samples(median_us: float, count: int = 120, spread: float = 0.006, drift: float = 0.0) -> Any:
    """Times around a median: the same ones at each call, with a rare late one."""
    found = []
    for n in range(count):
        wave = math.sin(n * 2.399) + 0.6 * math.sin(n * 0.91 + 1)
        late = 0.035 if n % 41 == 40 else 0.0
        found.append(median_us * (1 + spread * wave + late + drift * (n / count - 0.5)))
    return tuple(found)


def latency(median_us: float, trust: tuple[str, ...] = (), **more: Any) -> Latency:
    """A latency whose percentiles are those of its samples."""
    taken = samples(median_us, **more)
    ranked = sorted(taken)
    at = [ranked[round(part * (len(ranked) - 1))] for part in (0.1, 0.5, 0.9)]
    return Latency(
        at[1], at[0], at[2], taken, "graph replay", "cold", 1, 2.1, Clocks(1755, 1980, 1980), trust
    )


def profile(median_us: float = 358.66, **changes: Any) -> ProfileResult:
    """A profile of the product, its baseline torch's own product."""
    torch = latency(189.5, spread=0.004)
    usual = ProfileResult(
        None,
        H200,
        latency(
            median_us,
            ("The middle 80 % of 120 samples lie within 1.4% of the median, at 1,980 MHz.",),
        ),
        Baseline("torch_matmul", torch, 189.5 / median_us, (0.528, 0.529)),
        CEILINGS,
        True,
        FLOPS,
        BYTES,
        missing={"counters": "Counters were not asked for: choose “with counters” beside Profile."},
        versions={"tilelang": "0.1.15", "torch": "2.13.0"},
        seconds={"compile": 2.8, "measure": 1.1},
    )
    return replace(usual, **changes)


def wrong_profile() -> ProfileResult:
    """One whose output is wrong in a few elements, with its error map as the first blob."""
    worst = (WorstElement((12, 7), 3.5, 1.25), WorstElement((4, 1), 0.5, 0.0))
    wrong = OutputComparison(
        2, "Out", (4096, 4096), "float16", 2.25, 1.8, 0.01, 51, 4096 * 4096, 0, 0.01, 0.1, "case",
        worst, (1, 1), 0, 20.0,
    )  # fmt: skip
    found = mismatch(wrong, f"seed 0, on {H200.name}", 12)
    return profile(verified=False, outputs=(wrong,), diagnostics=(found,))


def failed(message: str, kind: str = "environment") -> ProfileResult:
    """A profile that came to nothing."""
    return ProfileResult(Failure(kind, message), missing={})


def subject(result: ProfileResult | None = None, **changes: Any) -> ProfileSubject:
    """A profile of the document in front, measured on a host."""
    usual = ProfileSubject(
        "matmul · 4096³ fp16",
        result,
        "GPU of gpu1",
        created=WHEN,
        label="H200",
        place="GPU of gpu1",
    )
    return replace(usual, **changes)


def shapes() -> tuple[ShapePoint, ...]:
    """A series over M = N = K."""
    times = {512: 9.8, 1024: 15.1, 2048: 61.4, 4096: 358.66, 8192: 2811.0}
    return tuple(
        ShapePoint(
            {"M": n, "N": n, "K": n, "block_M": 128},
            profile(
                time,
                flops=2.0 * n**3,
                latency=latency(time, spread=0.02 if n < 1024 else 0.006),
                baseline=Baseline("torch_matmul", latency(time * 0.62), 0.62),
            ),
            f"{n}³",
        )
        for n, time in times.items()
    )


def counters(**lines: Any) -> CounterReport:
    """The counters of a flash attention as an H200 gave them (c12), a few of them."""
    kernel = KernelCounters(
        "main_kernel", COUNTED, {}, (16, 8, 1), (128, 1, 1), "NVIDIA H200", "9.0"
    )
    rows = tuple(LineCounters(line, values) for line, values in LINES.items())
    return CounterReport("Nsight Compute 2025.3.1", (replace(kernel, lines=rows, **lines),))


#: What every place says of `wrong_profile`.
WRONG = (
    "Out is wrong in 51 of 16,777,216 elements (seed 0, on NVIDIA H200). The largest error is 20 "
    "times its tolerance, at [12, 7]: got 3.5, expected 1.25, off by 2.25 where 0.113 is allowed"
)
COUNTED: dict[str, float | None] = {}
LINES: dict[int, dict[str, float]] = {}
