"""The JSON of a profile, in the form that scripts rely on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from workbench.cli import output, results
from workbench.cli.analysis_json import kernel_json
from workbench.cli.compared_outputs import output_json
from workbench.cli.profile_items import Point
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.counters.against import Comparison
from workbench.core.counters.bounding import bounding_of
from workbench.core.diagnostics import Severity
from workbench.core.plain import to_plain
from workbench.core.profiles import (
    Baseline,
    CounterReport,
    DeviceInfo,
    KernelCounters,
    Latency,
    ProfileResult,
)
from workbench.session.profile.rates import Share, gb_s_of, shares_of, tflops_of
from workbench.session.profile_batch import Measured
from workbench.session.profile_comparison import comparisons_of, with_operations

_NOTHING = ProfileResult(None)
_PREDICTED = ("resources", "occupancy", "flops")


@dataclass(frozen=True)
class Told:
    """One result: as JSON, and what a text is made from."""

    plain: dict[str, Any]
    label: str = ""
    result: ProfileResult = _NOTHING
    shares: tuple[Share, ...] = ()
    comparisons: tuple[Comparison, ...] = ()

    @property
    def is_at_fault(self) -> bool:
        """Whether an error was noticed, be the time good or not."""
        return any(d["severity"] == Severity.ERROR.value for d in self.plain["diagnostics"])


def refused(plain: dict[str, Any]) -> Told:
    """The result of a document of which no kernel or case can be read."""
    empty = _figures(_NOTHING, None, (), ())
    return Told({**plain, "host": None, "device": None, **empty, **plain})


def result(
    point: Point, measured: Measured, run_id: str | None, host: str, device: DeviceInfo
) -> Told:
    """What came of one point, measured on `device` of `host`."""
    ended, analysis = measured.ended, measured.analysis
    found = measured.result or ProfileResult(results.cancelled(ended))
    found = with_operations(found, analysis)
    kernel = analysis.kernels[0] if analysis and analysis.kernels else None
    shares = shares_of(found, kernel)
    comparisons = comparisons_of(found, analysis, point.item.target)
    seen = found.device or device
    plain = {
        **results.item_fields(point.item),
        "series": point.series,
        "run": run_id,
        "host": host,
        "device": seen.name,
        "device_info": to_plain(seen),
        "status": _status(found),
        "error": output.failure_json(found.failure),
        **_figures(found, analysis, shares, comparisons),
        "log": list(ended.log_tail),
        "diagnostics": [output.diagnostic_json(d) for d in found.diagnostics],
    }
    return Told(plain, point.label, found, shares, comparisons)


def _status(found: ProfileResult) -> str:
    if found.failure is None and found.verified is False:
        return "mismatch"
    return results.status_of(found.failure)


def _figures(
    found: ProfileResult,
    analysis: AnalyzeResult | None,
    shares: Sequence[Share],
    comparisons: Sequence[Comparison],
) -> dict[str, Any]:
    return {
        "verified": found.verified,
        "outputs": [output_json(each) for each in found.outputs],
        "latency": _latency(found.latency),
        "flops": found.flops,
        "bytes_moved": found.bytes_moved,
        "tflops": tflops_of(found),
        "gb_s": gb_s_of(found),
        "shares": [{**to_plain(each), "share": each.share} for each in shares],
        "ceilings": to_plain(found.ceilings),
        "baseline": _baseline(found.baseline),
        **_counters(found.counters),
        "predicted": _predicted(analysis),
        "comparison": [_comparison(each) for each in comparisons],
        "missing": _missing(found, analysis),
        "seconds": sum(found.seconds.values()) if found.seconds else None,
        "timings": dict(found.seconds),
        "versions": dict(found.versions),
    }


def _latency(latency: Latency | None) -> dict[str, Any] | None:
    """`samples` counts them; `samples_us` are they."""
    if latency is None:
        return None
    return {**to_plain(latency), "samples": len(latency.samples_us)}


def _baseline(baseline: Baseline | None) -> dict[str, Any] | None:
    if baseline is None:
        return None
    return {
        "name": baseline.name,
        "median_us": baseline.latency.median_us,
        "ratio": baseline.ratio,
        "ratios": baseline.ratios,
        "latency": _latency(baseline.latency),
    }


def _counters(report: CounterReport | None) -> dict[str, Any]:
    """Those of the first launch, with all launches beside, and what bounds the longest."""
    launches = report.kernels if report is not None else ()
    first = launches[0] if launches else None
    bounding = bounding_of(launches)
    return {
        "bound": bounding.text if bounding is not None else None,
        "counters": dict(first.values) if first is not None else None,
        "counter_units": dict(first.units) if first is not None else None,
        "counter_tool": report.tool if report is not None else None,
        "counter_notes": list(report.notes) if report is not None else [],
        "launches": [_launch(each) for each in launches],
    }


def _launch(launch: KernelCounters) -> dict[str, Any]:
    plain: dict[str, Any] = to_plain(launch)
    return {name: plain[name] for name in ("name", "grid", "block", "values", "lines")}


def _predicted(analysis: AnalyzeResult | None) -> dict[str, Any] | None:
    """What is predicted of the first kernel that the document launches."""
    if analysis is None or not analysis.kernels:
        return None
    kernel = analysis.kernels[0]
    plain, estimate = kernel_json(kernel, analysis.resources), kernel.estimate
    return {
        "function": kernel.name,
        "time_us": estimate.time_us if estimate else None,
        "bound": estimate.bound if estimate else None,
        "method": estimate.method if estimate else None,
        **{name: plain[name] for name in _PREDICTED},
        "shared": plain["shared"] and plain["shared"]["totals"],
        "kernels": len(analysis.kernels),
    }


def _comparison(each: Comparison) -> dict[str, Any]:
    """`difference` is measured less predicted, `ratio` measured over predicted."""
    measured, predicted = each.measured, each.predicted
    ratio = measured / predicted if measured is not None and predicted else None
    return {
        "name": each.quantity.key,
        "title": each.quantity.title,
        "unit": each.quantity.unit,
        "measured": measured,
        "predicted": predicted,
        "difference": each.difference,
        "ratio": ratio,
        "verdict": each.verdict.value,
        "estimate": each.estimate,
        "note": each.note,
    }


def _missing(found: ProfileResult, analysis: AnalyzeResult | None) -> dict[str, str]:
    if analysis is None or analysis.failure is None:
        return dict(found.missing)
    return {**found.missing, "predicted": analysis.failure.message}
