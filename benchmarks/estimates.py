"""Prints how far estimated run times are from measured ones, or gathers what they start from.

    python benchmarks/estimates.py                                   the tables of docs/analysis.md
    python benchmarks/estimates.py --all                             every kernel and configuration
    python benchmarks/estimates.py --collect MEASURED                from kernels and their times
    python benchmarks/estimates.py --collect-runs ARCHIVE            from profiles of a device
    python benchmarks/estimates.py --collect-library ARCHIVE         from those of the library
    python benchmarks/estimates.py --fit                             constants, searched for anew

MEASURED is a folder with `h200-kernel-counters.json`, `h200-sweep-*.json` and `kernels/`, measured
on an NVIDIA H200; the kernels that `tests/data/counters` holds are added. ARCHIVE is what `runs
export` wrote of `profile --counters`.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workbench.core.analysis.estimate import (  # noqa: E402 - the path comes first
    CONSTANTS,
    Estimate,
    EstimateConstants,
    estimate,
)
from workbench.core.analysis.kernel_facts import KernelFacts  # noqa: E402
from workbench.core.plain import from_plain  # noqa: E402
from workbench.core.targets.model import Target  # noqa: E402
from workbench.core.targets.table import load_targets  # noqa: E402

DATA = ROOT / "tests" / "data" / "analysis" / "h200-estimates.json"
RUNS = DATA.with_name("h200-profiles.json")
LIBRARY = DATA.with_name("h200-library.json")
# What a way of measuring adds to graph replay, in microseconds: of Nsight Compute what the short
# ones of 16 kernels measured both ways differ by (the median of all is 0.44); of events what an
# empty kernel takes more (docs/timing.md).
ADDED = {"graph": 0.0, "ncu": 0.5, "events": 2.6}
# Median, 90 % and rank correlation before the rules and constants of 2026-11-30, which gave
# Nsight Compute's times.
EARLIER = {
    ("runs", True): "11.0%, 49.4%, 0.881",
    ("runs", False): "23.6%, 46.0%, 0.600",
    ("kernels", True): "6.3%, 13.9%, 0.803",
    ("unseen", False): "9.5%, 24.3%, 0.917",
    ("gemm", True): "5.8%, 20.5%, 0.977",
    ("gemm", False): "6.2%, 14.0%, 0.986",
    ("attention", True): "3.7%, 6.5%, 0.973",
    ("attention", False): "5.3%, 9.4%, 0.905",
}
TITLES = {
    "runs": "profiles, cold L2",
    "kernels": "single kernels, used in fitting",
    "unseen": "single kernels, not used in fitting",
    "gemm": "GEMM 4096³, sweep",
    "attention": "attention d = 128, sweep",
}
_ABOUT = ("group", "name", "fitted", "measured_us", "method", "target", "blocks_per_sm")


@dataclass(frozen=True)
class Measured:
    """One kernel with the time that an H200 took, and the estimate; `fitted`: constants saw it.

    `predicted_us` is the estimate with what the way of measuring adds.
    """

    group: str
    name: str
    fitted: bool
    measured_us: float
    predicted_us: float
    estimate: Estimate
    clock_mhz: float | None = None

    @property
    def error(self) -> float:
        """What the estimate is over the measured time, as a part of it."""
        return self.predicted_us / self.measured_us - 1


def rows_of(*paths: Path) -> list[dict[str, Any]]:
    """All that was measured, with what estimates start from."""
    found = [json.loads(path.read_text()) for path in paths or (RUNS, DATA)]
    return [dict(zip(data["columns"], row, strict=True)) for data in found for row in data["rows"]]


def measured(constants: EstimateConstants = CONSTANTS) -> list[Measured]:
    """The estimates of all that was measured."""
    return [estimated(row, constants) for row in rows_of()]


def library(constants: EstimateConstants = CONSTANTS) -> list[Measured]:
    """The estimates of the library's kernels, those of several launches added up."""
    found: dict[str, Measured] = {}
    for row in rows_of(LIBRARY):
        own = estimated(row, constants)
        before = found.get(own.name)
        if before is not None:
            longer = max(before, own, key=lambda each: each.estimate.time_us)
            together = before.predicted_us + own.estimate.time_us
            own = replace(longer, predicted_us=together)
        found[own.name] = own
    return list(found.values())


def estimated(row: Mapping[str, Any], constants: EstimateConstants = CONSTANTS) -> Measured:
    """The estimate of one row."""
    own = (*_ABOUT, "clock_mhz")
    facts = from_plain(KernelFacts, {key: row[key] for key in row if key not in own})
    found = estimate(facts, _target(row["target"]), row["blocks_per_sm"], constants)
    assert found is not None
    group, name, fitted, time_us, method = (row[key] for key in own[:5])
    predicted = found.time_us + ADDED[method]
    return Measured(group, name, fitted, time_us, predicted, found, row.get("clock_mhz"))


@functools.cache
def _target(name: str) -> Target:
    return load_targets().resolve(name)


def summary(rows: Sequence[Measured]) -> str:
    """The errors of each group as a table in Markdown."""
    lines = [
        "| measured | part | number | median error | 90 % within | rank correlation | before |",
        "|---|---|---:|---:|---:|---:|---|",
    ]
    for group, title in TITLES.items():
        own = [row for row in rows if row.group == group]
        halves = {True: "fitted", False: "held back"}
        for fitted in sorted({row.fitted for row in own}, reverse=True):
            part = [row for row in own if row.fitted is fitted]
            figures = f"{_figures(part)} | {EARLIER[group, fitted]}"
            lines.append(f"| {title} | {halves[fitted]} | {figures} |")
    return "\n".join(lines)


def _figures(rows: Sequence[Measured]) -> str:
    errors = np.abs([row.error for row in rows])
    correlation = spearman([row.measured_us for row in rows], [row.predicted_us for row in rows])
    median, most = np.median(errors), np.quantile(errors, 0.9)
    return f"{len(rows)} | {median:.1%} | {most:.1%} | {correlation:.3f}"


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """The rank correlation of two lists; equal values share their mean rank."""
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: Sequence[float]) -> Any:
    _, which, counts = np.unique(np.array(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[which]


def single_kernels(rows: Sequence[Measured], *groups: str) -> str:
    """Each single kernel of the groups as a row of a table in Markdown."""
    lines = ["| kernel | measured µs | estimated µs | error | bound |", "|---|---:|---:|---:|---|"]
    for row in rows:
        if row.group in (groups or ("kernels", "unseen")):
            found = row.estimate
            bound = found.bound + (" (at least)" if found.leaves_out else "")
            times = f"{row.measured_us:.1f} | {row.predicted_us:.1f}"
            lines.append(f"| {row.name} | {times} | {row.error:+.0%} | {bound} |")
    return "\n".join(lines)


def library_table(rows: Sequence[Measured]) -> str:
    """The library's kernels as a table in Markdown, with the clock that they ran at."""
    lines = [
        "| kernel | SM clock | measured µs | estimated µs | error | bound |",
        "|---|---:|---:|---:|---:|---|",
    ]
    for row in rows:
        times = f"{row.measured_us:,.1f} | {row.predicted_us:,.1f} | {row.error:+.0%}"
        lines.append(f"| {row.name} | {row.clock_mhz:,.0f} | {times} | {row.estimate.bound} |")
    return "\n".join(lines)


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="every kernel and configuration")
    parser.add_argument("--collect", type=Path, metavar="MEASURED")
    parser.add_argument("--collect-runs", type=Path, metavar="ARCHIVE")
    parser.add_argument("--collect-library", type=Path, metavar="ARCHIVE")
    parser.add_argument("--fit", action="store_true", help="search for constants, some minutes")
    parser.add_argument("-o", "--output", type=Path, help="where data goes (its place in tests/)")
    options = parser.parse_args()
    if options.collect or options.collect_runs or options.collect_library:
        _collect(options)
    elif options.fit:
        from estimate_fit import search

        print(search())
    else:
        _print(measured(), options.all)


def _collect(options: argparse.Namespace) -> None:
    from estimate_facts import collect, collect_runs, jobs, library_jobs, written

    if options.collect is not None:
        (options.output or DATA).write_text(written(collect(jobs(options.collect))))
    if options.collect_runs is not None:
        (options.output or RUNS).write_text(written(collect_runs(options.collect_runs)))
    if options.collect_library is not None:
        found = collect_runs(options.collect_library, library_jobs)
        (options.output or LIBRARY).write_text(written(found))


def _print(found: Sequence[Measured], everything: bool) -> None:
    print(summary(found), single_kernels(found, "runs"), sep="\n\n", end="\n\n")
    print(library_table(library()), single_kernels(found), sep="\n\n")
    for row in found if everything else ():
        times = f"{row.measured_us:9.1f} {row.predicted_us:9.1f} {row.error:+6.1%}"
        print(f"{row.group:10} {row.name:28} {times}  {row.estimate.bound}")


if __name__ == "__main__":
    main()
