"""The table of charts, in the order in which they are offered."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from workbench.session.charts.banks import bank_conflicts
from workbench.session.charts.model import Chart, empty_chart
from workbench.session.charts.resources import occupancy, traffic
from workbench.session.charts.roofline import roofline
from workbench.session.charts.shapes import latency_shapes, throughput_shapes
from workbench.session.charts.speed import latency, reference, speed_up, throughput
from workbench.session.charts.stalls import stalls
from workbench.session.charts.subject import ChartSubject

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ChartRecord:
    """A chart by its key, its name in a list, and what makes it."""

    key: str
    title: str
    make: Callable[[ChartSubject], Chart]


CHARTS = (
    ChartRecord("latency", "Latency", latency),
    ChartRecord("throughput", "Throughput", throughput),
    ChartRecord("speed-up", "Speed-up", speed_up),
    ChartRecord("reference", "Against the reference", reference),
    ChartRecord("roofline", "Roofline", roofline),
    ChartRecord("occupancy", "Occupancy limiters", occupancy),
    ChartRecord("traffic", "Traffic by memory level", traffic),
    ChartRecord("stalls", "Stall breakdown", stalls),
    ChartRecord("banks", "Bank conflicts by line", bank_conflicts),
    ChartRecord("latency-shapes", "Latency over shapes", latency_shapes),
    ChartRecord("throughput-shapes", "Throughput over shapes", throughput_shapes),
)
BY_KEY = {record.key: record for record in CHARTS}


def all_charts(subject: ChartSubject) -> tuple[Chart, ...]:
    """Every chart of these runs; one without a mark, or that cannot be made, says why."""
    return tuple(_made(record, subject) for record in CHARTS)


def _made(record: ChartRecord, subject: ChartSubject) -> Chart:
    """A chart; where making it fails, one that says so: the others are worth showing."""
    try:
        return record.make(subject)
    except Exception as error:
        _log.exception("the chart %s cannot be made", record.key)
        why = f"This chart cannot be made, {type(error).__name__}: {error}"
        return empty_chart(record.key, record.title, why)
