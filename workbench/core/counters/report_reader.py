"""Prints a report of Nsight Compute as JSON, with the reader of its installation.

    python report_reader.py FOLDER REPORT

FOLDER holds `ncu_report.py`. It is a process of its own, because the reader is native code; it
imports nothing of the workbench. Source: NVIDIA, Nsight Compute, Python Report Interface.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any


def actions(context: Any) -> Iterator[Any]:
    """The profiled launches of a report, in their order."""
    for index in range(context.num_ranges()):
        found = context.range_by_idx(index)
        for number in range(found.num_actions()):
            yield found.action_by_idx(number)


def described(action: Any) -> dict[str, Any]:
    """The name and the metrics of a launch: value and unit, texts of the device alone."""
    metrics = {}
    for name in action.metric_names():
        metric = action.metric_by_name(name)
        value = metric.value()
        if not isinstance(value, str) or name.startswith("device__"):
            metrics[name] = [value, metric.unit() or ""]
    return {"name": action.name(), "metrics": metrics}


def main(folder: str, report: str) -> int:
    """Print the launches of a report; the exit status."""
    sys.path.insert(0, folder)
    import ncu_report  # type: ignore[import-not-found]

    found = [described(action) for action in actions(ncu_report.load_report(report))]
    print(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
