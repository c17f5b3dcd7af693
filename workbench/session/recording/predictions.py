"""The figures of an analysis, and of what a compiler reported, as metrics of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.core.jobs import Resources
from workbench.core.runs import Metric, MetricSource

if TYPE_CHECKING:
    from workbench.core.analysis.kernel_analysis import KernelAnalysis
    from workbench.core.analysis.result import AnalyzeResult
    from workbench.core.analysis.shared_sites import SharedReport
    from workbench.core.targets.model import Architecture

_PROFILED = "profiled_time_us"  # a profiler's clock is not the kernel's own
_RESOURCE_UNITS = {
    "registers": "",
    "spill_bytes": "B",
    "stack_bytes": "B",
    "shared_static_bytes": "B",
    "shared_dynamic_bytes": "B",
}


def resource_metrics(resources: Resources) -> dict[str, Metric]:
    """What the compiler of the machine code, or the lowering, reported."""
    method = resources.source or "lowering"
    metrics: dict[str, Metric] = {}
    for name, unit in _RESOURCE_UNITS.items():
        value = getattr(resources, name)
        if value is not None:
            metrics[name] = Metric(value, unit, MetricSource.PREDICTED, method)
    return metrics


def analysis_metrics(result: AnalyzeResult) -> dict[str, Metric]:
    """The figures of the first kernel, what counts most first; what is unknown is left out."""
    metrics: dict[str, Metric] = {}
    first = result.kernels[0] if result.kernels else None
    if first is not None and first.estimate is not None:
        found = first.estimate
        metrics["time_us"] = Metric(found.time_us, "us", MetricSource.PREDICTED, found.method)
    if first is not None and first.occupancy is not None and first.occupancy.fraction is not None:
        carveout = "given" if first.occupancy.carveout.given else "assumed"
        method = f"published rules, carve-out {carveout}"
        metrics["occupancy"] = _predicted(first.occupancy.fraction, method)
    if result.resources is not None:
        metrics |= resource_metrics(result.resources)
    if first is not None and first.shared is not None:
        metrics |= _shared_metrics(first.shared)
    return metrics


def quantity_metrics(kernel: KernelAnalysis, arch: Architecture) -> dict[str, Metric]:
    """Every figure that a counter holds as it is predicted, under the counter's name."""
    from workbench.core.counters.predicted import PREDICTIONS, Subject  # loads the analyses
    from workbench.core.counters.quantities import BY_KEY

    subject, metrics = Subject(kernel, arch), {}
    for key, predict in PREDICTIONS.items():
        quantity = BY_KEY.get(key) if key != _PROFILED else None
        found = predict(subject) if quantity is not None else None
        if found is not None and quantity is not None and found.value is not None:
            method = found.note or "computed of the code"
            metrics[key] = Metric(found.value, quantity.unit, MetricSource.PREDICTED, method)
    return metrics


def _shared_metrics(report: SharedReport) -> dict[str, Metric]:
    metrics = {}
    method = f"bank rules, by the {report.level.value}"
    for total in report.totals:
        for name in ("wavefronts", "conflicts"):
            value = getattr(total, name)
            if value is not None:
                metrics[f"shared.{total.kind.value}.{name}"] = _predicted(value, method)
    return metrics


def _predicted(value: int | float, method: str) -> Metric:
    return Metric(value, "", MetricSource.PREDICTED, method)
