"""A report as JSON: every number, mark and sentence of it, for another program.

`format` is "tilelang-workbench-report". Versions: 1. `runs`, `base`, `differing`, `alike`, `groups`
and `times` are those of `runs compare --json`; `charts` have their numbers as rows of `columns`.
"""

from __future__ import annotations

import json
import math
from typing import Any

from workbench.core.plain import to_plain
from workbench.session.charts.model import Chart
from workbench.session.charts.table import HEAD, rows
from workbench.session.comparison_desk import Loaded
from workbench.session.reports.differences import TextDifference, text_differences
from workbench.session.reports.model import About

FORMAT, VERSION = "tilelang-workbench-report", 1


def report_json(loaded: Loaded, about: About) -> str:
    """The report as one JSON object; what is unknown, or no finite number, is null."""
    found, view = loaded.found, loaded.short
    value = {
        "format": FORMAT,
        "version": VERSION,
        "name": about.title,
        "made": about.made.isoformat(),
        "workbench": about.version,
        "conclusion": view.conclusion,
        "note": view.note,
        "facts": list(view.facts),
        "runs": [run.to_json() for run in found.runs],
        "base": loaded.base.id,
        "differing": to_plain(found.differing),
        "alike": list(found.alike),
        "groups": to_plain(found.groups),
        "times": to_plain(found.times),
        "texts": [_difference(each) for each in text_differences(loaded)],
        "charts": [_chart(chart) for chart in loaded.charts],
    }
    return json.dumps(_finite(value), indent=2, allow_nan=False) + "\n"


def _difference(found: TextDifference) -> dict[str, Any]:
    return {
        "columns": found.letters,
        "base": found.base,
        "added": found.added,
        "removed": found.removed,
        "reason": found.reason,
        "lines": [f"{line.sign}{line.text}" for line in found.lines],
    }


def _chart(chart: Chart) -> dict[str, Any]:
    return {
        "key": chart.key,
        "title": chart.title,
        "conclusion": chart.conclusion,
        "missing": list(chart.missing),
        "columns": list(HEAD),
        "rows": [[None if cell == "" else cell for cell in row] for row in rows(chart)],
    }


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
