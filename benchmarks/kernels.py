"""Measures the library's kernels on a GPU by `profile`, and holds them to their goals.

    python benchmarks/kernels.py                          # every row of kernel_rows.toml
    python benchmarks/kernels.py --rows "gemm*" --counters --budget 500
    python benchmarks/kernels.py --render                 # README and documents, without a GPU

Kernel and baseline are timed in both orders with a cold L2 and random data. What was measured goes
to `benchmarks/results/h200.json`; rows that are not measured now are kept where device and versions
are the same. `--counters` reads the counters of those under their goal. The exit status is 1 where
a row is under its floor, wrong or not measured.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import kernel_results as results  # noqa: E402 - the path comes first
import kernel_texts as texts  # noqa: E402
from kernel_profiles import Clock, Profiled, Task, run_tasks  # noqa: E402
from kernel_rows import Row, RowsError, chosen, load_rows, missing_of  # noqa: E402

_DEFAULT = ROOT / "benchmarks" / "results" / "h200.json"


def main() -> int:
    """Do what the options say; the exit status."""
    options = _options()
    try:
        rows = chosen(load_rows(), options.rows)
    except RowsError as error:
        print(error, file=sys.stderr)
        return 2
    if options.list:
        return _list(rows)
    if options.merge is not None:
        return _merge(options.merge, options.json)
    if options.render:
        return _render(options.json)
    return _measure(rows, options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--rows", action="append", default=[], metavar="PATTERN", help="by name, file or case")
    add("--on", default="local", metavar="PLACE", help="the GPU of this machine, or a host (local)")
    add("--json", type=Path, default=_DEFAULT, metavar="OUT", help="where the results are kept")
    add("--jobs", type=int, default=4, help="profiles in work at a time; one has the GPU (4)")
    add("--counters", action="store_true", help="say what bounds the rows under their goal")
    add("--only-counters", action="store_true", help="of results that are kept, without timing")
    add("--budget", type=float, metavar="SECONDS", help="begin nothing that would end later")
    add("--render", action="store_true", help="write README's table and the documents, no GPU")
    add("--merge", type=Path, metavar="FILE", help="take the rows of other results into OUT")
    add("--list", action="store_true", help="print the rows, and what of them is missing")
    return parser.parse_args()


def _list(rows: Sequence[Row]) -> int:
    for row in rows:
        goal = "" if row.goal is None else f"  {row.goal:.2f} / {row.floor:.2f}"
        print(f"{row.file:42} {row.case:24} {row.title}{goal}")
        if (why := missing_of(row, ROOT)) is not None:
            print(f"  {why}")
    return 0


def _merge(source: Path, path: Path) -> int:
    other, old = results.load(source), results.load(path)
    if other is None:
        print(f"there are no results in {source}", file=sys.stderr)
        return 2
    results.save(results.merged(old, other, load_rows()), path)
    return 0


def _render(path: Path) -> int:
    found = results.load(path)
    if found is None:
        print(f"there are no results in {path}", file=sys.stderr)
        return 2
    written, problems = texts.render(found)
    for each in written:
        print(f"wrote {each}")
    for each in problems:
        print(each, file=sys.stderr)
    print("tests/data/patterns: WRITE_GOLDEN=1 pytest tests/core/patterns/test_golden.py")
    return 1 if problems else 0


def _measure(rows: Sequence[Row], options: argparse.Namespace) -> int:
    clock, begun = Clock(options.budget), time.monotonic()
    lacking = [(row.title, why) for row in rows if (why := missing_of(row, ROOT)) is not None]
    there = [row for row in rows if missing_of(row, ROOT) is None]
    old = results.load(options.json)
    problems = [f"{title}: {why}" for title, why in lacking]
    if not options.only_counters:
        run = _Timed(there, options, clock)
        problems += run.problems
        if not run.rows:
            return _told(problems, None)
        new = results.results_of(
            [run.rows[r.title] for r in there if r.title in run.rows], run.plains
        )
        old = results.merged(old, new, load_rows())
        results.save(old, options.json)
    if old is None:
        return _told([*problems, f"there are no results in {options.json}"], None)
    if options.counters or options.only_counters:
        problems += _count(old, there, options, clock)
        results.save(old, options.json)
    print(f"\n{time.monotonic() - begun:.0f} s\n\n{texts.table(old)}\n")
    return _told(problems, old)


class _Timed:
    """All profiles of some rows: first those that have a goal, then further baselines, then rest.

    The very first has the GPU's ceilings measured, which the others then take.
    """

    def __init__(self, rows: Sequence[Row], options: argparse.Namespace, clock: Clock) -> None:
        self.rows: dict[str, results.Plain] = {}
        self.plains: list[results.Plain] = []
        self.problems: list[str] = []
        self._others: dict[str, list[Profiled]] = {}
        first, *rest = [Task(row, ceilings=place == 0) for place, row in enumerate(_ordered(rows))]
        further = [Task(row, further=each) for row in rows for each in row.further]
        goals = [task for task in rest if task.row.goal is not None]
        without = [task for task in rest if task.row.goal is None]
        for tasks in ([first], [*goals, *further, *without]):
            for found in run_tasks(tasks, options.on, options.jobs, clock):
                self._take(found)
        self._add_others(rows)

    def _take(self, found: Profiled) -> None:
        task = found.task
        if task.further is not None:
            self._others.setdefault(task.row.title, []).append(found)
        elif found.problem is None:
            self.rows[task.row.title] = results.row_of(task.row, found)
            self.plains.append(dict(found.plain))
        if found.problem is not None:
            self.problems.append(f"{task.label}: {found.problem}")
        print(f"{_state(found):>12}  {task.label}", flush=True)

    def _add_others(self, rows: Sequence[Row]) -> None:
        for row in rows:
            if row.title in self.rows:
                known = {found.task.further: found for found in self._others.get(row.title, ())}
                others = [known[each] for each in row.further if each in known]
                self.rows[row.title]["others"] += map(results.other_of, others)


def _ordered(rows: Sequence[Row]) -> list[Row]:
    """Those with a goal first."""
    return sorted(rows, key=lambda row: row.goal is None)


def _state(found: Profiled) -> str:
    if found.problem is not None:
        return "failed"
    if found.task.counters:
        return "counted"
    baseline = found.plain["baseline"]
    time_us = f"{found.plain['latency']['median_us']:,.1f} µs"
    return time_us if baseline is None else f"{time_us}  {baseline['ratio']:.3f}"


def _count(
    found: results.Plain, rows: Sequence[Row], options: argparse.Namespace, clock: Clock
) -> list[str]:
    """Write what bounds the rows under their goal into the results; what could not be counted."""
    known = {(row["name"], row["shape"]): row for row in found["rows"]}
    under = [
        row
        for row in rows
        if (plain := known.get((row.name, row.shape))) is not None
        and results.is_under(plain, "goal")
    ]
    problems = []
    for each in run_tasks(
        [Task(row, counters=True) for row in under], options.on, options.jobs, clock
    ):
        row = each.task.row
        bound = results.bound_of(each)
        known[row.name, row.shape]["bound"] = bound
        print(f"{_state(each):>12}  {each.task.label}: {bound}", flush=True)
        if bound is None:
            why = each.problem or each.plain["missing"].get("counters", "nothing was counted")
            problems.append(f"{each.task.label}: {why}")
    return problems


def _told(problems: Sequence[str], found: results.Plain | None) -> int:
    """Print what is not as it should be; the exit status."""
    rows = found["rows"] if found is not None else []
    said = list(problems)
    said += [
        f"{row['name']}, {row['shape']}: WRONG RESULT" for row in rows if results.is_wrong(row)
    ]
    said += [
        f"{row['name']}, {row['shape']}: under its floor"
        for row in rows
        if results.is_under(row, "floor")
    ]
    for each in said:
        print(each, file=sys.stderr)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
