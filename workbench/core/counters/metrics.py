"""Counters as the metrics and the artifact of a run."""

from __future__ import annotations

import json

from workbench.core.counters.quantities import quantities
from workbench.core.plain import to_plain
from workbench.core.profiles import CounterReport, KernelCounters
from workbench.core.runs import Artifact, Metric, MetricSource

COUNTERS = "counters"
MEDIA_TYPE = "application/json"


def counter_metrics(counters: KernelCounters, tool: str) -> dict[str, Metric]:
    """The quantities of one launch by their keys; the method names the tool and its metric."""
    return {
        each.quantity.key: Metric(
            each.value, each.quantity.unit, MetricSource.MEASURED, f"{tool}: {each.metric}"
        )
        for each in quantities(counters)
    }


def counters_artifact(report: CounterReport) -> tuple[Artifact, bytes]:
    """A report as a run keeps it, with its content."""
    content = json.dumps(to_plain(report), separators=(",", ":")).encode()
    return Artifact.of(COUNTERS, MEDIA_TYPE, content), content
