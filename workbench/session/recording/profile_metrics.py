"""The figures of a profile as metrics of a run: each measured one with its prediction behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.counters.against import Verdict
from workbench.core.counters.metrics import counter_metrics
from workbench.core.profiles import Baseline, Clocks, CounterReport, Latency, ProfileResult
from workbench.core.runs import Metric, MetricSource
from workbench.core.targets.model import Target
from workbench.session.profile.rates import gb_s_of, shares_of, tflops_of
from workbench.session.profile_comparison import comparisons_of
from workbench.session.recording.predictions import analysis_metrics

#: What stands before the name of a figure in that of its prediction.
PREDICTED = "predicted."
#: Predicted once, by the estimate of the analysis: a profiler's clock is not the kernel's own.
_TIMES = ("time_us", "profiled_time_us")
_SHARES = {"TFLOP/s": "share.matmul", "GB/s": "share.copy"}


def profile_metrics(
    result: ProfileResult, analysis: AnalyzeResult | None, target: Target
) -> dict[str, Metric]:
    """Every figure of a profile by name; a predicted one never has the name of a measured one."""
    kernel = analysis.kernels[0] if analysis and analysis.kernels else None
    measured = dict(_measured(result, kernel))
    predicted = _predicted(result, analysis, target)
    metrics: dict[str, Metric] = {}
    for name, metric in measured.items():
        metrics[name] = metric
        if name in predicted:
            metrics[PREDICTED + name] = predicted[name]
    rest = {PREDICTED + name: metric for name, metric in predicted.items()}
    return {**metrics, **{name: metric for name, metric in rest.items() if name not in metrics}}


def _measured(result: ProfileResult, kernel: KernelAnalysis | None) -> Iterator[tuple[str, Metric]]:
    if result.latency is not None:
        yield from _times(result.latency)
        yield from _rates(result, kernel)
    if result.baseline is not None:
        yield from _beside(result.baseline)
    if result.counters is not None:
        yield from _counted(result.counters).items()


def _times(latency: Latency) -> Iterator[tuple[str, Metric]]:
    method = f"{latency.method}, {latency.cache} L2, {len(latency.samples_us)} samples"
    yield "time_us", _metric(latency.median_us, "us", f"{method}, median")
    yield "time_us.p10", _metric(latency.p10_us, "us", method)
    yield "time_us.p90", _metric(latency.p90_us, "us", method)
    if latency.launch_overhead_us is not None:
        what = f"{latency.method}, an empty kernel"
        yield "launch_overhead_us", _metric(latency.launch_overhead_us, "us", what)
    if latency.clocks is not None:
        yield from _clocks(latency.clocks)


def _clocks(clocks: Clocks) -> Iterator[tuple[str, Metric]]:
    for end, clock in (("low", clocks.low_mhz), ("high", clocks.high_mhz)):
        if clock is not None:
            yield f"sm_clock.{end}_mhz", _metric(clock, "MHz", "the driver, while it was timed")


def _rates(result: ProfileResult, kernel: KernelAnalysis | None) -> Iterator[tuple[str, Metric]]:
    rates = (("tflops", tflops_of(result), "TFLOP/s"), ("gb_s", gb_s_of(result), "GB/s"))
    for name, value, unit in rates:
        if value is not None:
            yield name, _metric(value, unit, "over the median time")
    for each in shares_of(result, kernel):
        if each.share is not None:
            most = f"of the {each.ceiling:.4g} {each.unit} measured on this device ({each.name})"
            yield _SHARES[each.unit], _metric(each.share, "", most)


def _beside(baseline: Baseline) -> Iterator[tuple[str, Metric]]:
    latency = baseline.latency
    yield "baseline.time_us", _metric(latency.median_us, "us", f"{baseline.name}, {latency.method}")
    method = f"{baseline.name} over the kernel, "
    method += "both orders" if baseline.ratios else "one order"
    yield "baseline.ratio", _metric(baseline.ratio, "", method)


def _counted(report: CounterReport) -> dict[str, Metric]:
    """The quantities of the first launch; the artifact holds those of all."""
    return counter_metrics(report.kernels[0], report.tool) if report.kernels else {}


def _predicted(
    result: ProfileResult, analysis: AnalyzeResult | None, target: Target
) -> Mapping[str, Metric]:
    """What is predicted, with what counters told of the launch where they were read."""
    found = analysis_metrics(analysis) if analysis is not None else {}
    if analysis is not None and len(analysis.kernels) > 1:
        found.pop("time_us", None)  # of the first kernel alone, and all were timed together
    for each in comparisons_of(result, analysis, target):
        if each.predicted is not None and each.quantity.key not in _TIMES:
            said = each.note if each.verdict is not Verdict.UNKNOWN else None  # else of the other
            method = said or "computed of the code"
            unit, source = each.quantity.unit, MetricSource.PREDICTED
            found[each.quantity.key] = Metric(each.predicted, unit, source, method)
    return found


def _metric(value: int | float | None, unit: str, method: str) -> Metric:
    return Metric(value, unit, MetricSource.MEASURED, method)
