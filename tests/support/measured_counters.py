"""The counters of kernels measured on an H200, by Nsight Compute's official names."""

from __future__ import annotations

import gzip
import importlib.util
import json
import pathlib
from typing import Any

from workbench.core.profiles import KernelCounters

ROOT = pathlib.Path(__file__).parents[2]
COUNTERS = ROOT / "tests" / "data" / "counters"
ORACLE = ROOT.parent / "shared" / "oracle"


def figures() -> dict[str, str | dict[str, str]]:
    """The metric behind each figure of a file of measurements."""
    path = ROOT / "benchmarks" / "counter_metrics.py"
    spec = importlib.util.spec_from_file_location("counter_metrics", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, str | dict[str, str]] = module.FIGURES
    return found


def row_of(document: pathlib.Path) -> dict[str, Any]:
    """What was measured of a kernel document, ours or the oracle's."""
    own = COUNTERS in document.parents
    path = COUNTERS / "h200-counters.json" if own else ORACLE / "h200-kernel-counters.json"
    row: dict[str, Any] = json.loads(path.read_text())["kernels"][document.stem]
    return row


def counters_of(row: dict[str, Any], **changes: float) -> KernelCounters:
    """A row of measurements as counters; `changes` name figures of the row with other values."""
    row = {**row, **changes}
    values: dict[str, float | None] = {}
    for name, metric in figures().items():
        known = row.get(name)
        if isinstance(metric, str):
            values |= {metric: known} if name in row else {}
        elif known is not None:
            values |= {metric[part]: known[part] for part in metric if part in known}
    return KernelCounters("main_kernel", values, device="NVIDIA H200", arch="sm_90")


def recorded(name: str) -> str:
    """A file of `tests/data/counters/ncu`, unpacked."""
    return gzip.decompress((COUNTERS / "ncu" / f"{name}.gz").read_bytes()).decode()
