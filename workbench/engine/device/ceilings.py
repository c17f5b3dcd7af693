"""Measures what a GPU reaches: the bandwidth of a copy, and matrix products by dtype."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from datetime import datetime, timezone
from typing import Any

import torch

from workbench.core.profiles import Ceilings, DeviceInfo
from workbench.engine.compiling import Report
from workbench.engine.device.launches import Launch, between_us, estimated_us, event
from workbench.engine.device.measuring import release

METHOD = (
    "median of 10 after 3 and a pause, CUDA events, random data: torch's copy_ of 1 GiB, and its "
    "matrix products of 8192 × 8192 × 8192"
)
_COPY_BYTES = 1 << 30
_SIZE = 8192
_SMALL_SIZE = 4096  # for a GPU on which the large product takes longer
_LONG_US = 50_000.0
_RUNS, _BEFORE = 10, 3
_PAUSE_SECONDS = 0.3  # a product that goes on for long is held down by the power cap


def measure(device: DeviceInfo, report: Report) -> Ceilings:
    """The copy bandwidth and the matmul rates that torch reaches on a device."""
    place = torch.device("cuda", device.index)
    report(f"measuring what {device.name} reaches: copies")
    copy_gb_s = _copied_gb_s(place)
    release()
    rates: dict[str, float] = {}
    for name, make in _PRODUCTS.items():
        report(f"measuring what {device.name} reaches: {name} products")
        rate = _rate(make, place)
        if rate is not None:
            rates[name] = rate
        release()
    measured = datetime.now(timezone.utc).isoformat(timespec="seconds")
    return Ceilings(device.name, device.uuid, measured, copy_gb_s, rates, METHOD)


def _copied_gb_s(place: torch.device) -> float | None:
    free = torch.cuda.mem_get_info(place)[0]
    size = min(_COPY_BYTES, free // 4)
    try:
        source = torch.randint(0, 256, (size,), dtype=torch.uint8, device=place)
        copy = torch.empty_like(source)
    except torch.OutOfMemoryError:
        return None
    return float(2 * size / _median_us(lambda: copy.copy_(source)) / 1e3)


def _rate(make: Callable[[int, torch.device], Launch], place: torch.device) -> float | None:
    """TFLOP/s, or None where this torch or GPU has no such product."""
    for size in (_SIZE, _SMALL_SIZE):
        try:
            launch = make(size, place)
            launch()
            torch.cuda.synchronize()
        except (RuntimeError, AttributeError, NotImplementedError, TypeError, ValueError):
            return None  # what a product is refused with differs from dtype to dtype
        if estimated_us(launch) < _LONG_US or size == _SMALL_SIZE:
            return float(2 * size**3 / _median_us(launch) / 1e6)
    return None


def _median_us(launch: Launch) -> float:
    launch()
    torch.cuda.synchronize()
    time.sleep(_PAUSE_SECONDS)
    for _ in range(_BEFORE):
        launch()
    pairs = [(event(), event()) for _ in range(_RUNS)]
    for before, after in pairs:
        before.record()
        launch()
        after.record()
    torch.cuda.synchronize()
    return statistics.median(between_us(before, after) for before, after in pairs)


def _floats(dtype: torch.dtype) -> Callable[[int, torch.device], Launch]:
    def make(size: int, place: torch.device) -> Launch:
        a, b = (torch.randn(size, size, device=place, dtype=dtype) for _ in range(2))
        out = torch.empty(size, size, device=place, dtype=dtype)
        return lambda: torch.mm(a, b, out=out)

    return make


def _single(uses_tf32: bool) -> Callable[[int, torch.device], Launch]:
    def make(size: int, place: torch.device) -> Launch:
        launch = _floats(torch.float32)(size, place)

        def with_setting() -> object:
            was = torch.backends.cuda.matmul.allow_tf32
            torch.backends.cuda.matmul.allow_tf32 = uses_tf32
            try:
                return launch()
            finally:
                torch.backends.cuda.matmul.allow_tf32 = was

        return with_setting

    return make


def _fp8(name: str) -> Callable[[int, torch.device], Launch]:
    def make(size: int, place: torch.device) -> Launch:
        dtype: Any = getattr(torch, name)
        a = torch.randn(size, size, device=place).to(dtype)
        b = torch.randn(size, size, device=place).to(dtype).t()  # the product wants it by columns
        one = torch.ones((), device=place)
        return lambda: torch._scaled_mm(
            a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True
        )

    return make


def _int8(size: int, place: torch.device) -> Launch:
    a, b = (
        torch.randint(-128, 128, (size, size), dtype=torch.int8, device=place) for _ in range(2)
    )
    b = b.t()
    return lambda: torch._int_mm(a, b)


_PRODUCTS: dict[str, Callable[[int, torch.device], Launch]] = {
    "float16": _floats(torch.float16),
    "bfloat16": _floats(torch.bfloat16),
    "float8_e4m3fn": _fp8("float8_e4m3fn"),
    "int8": _int8,
    "tf32": _single(uses_tf32=True),
    "float32": _single(uses_tf32=False),
    "float64": _floats(torch.float64),
}
