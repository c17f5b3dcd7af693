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
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import kernel_results as results  # noqa: E402 - the path comes first
import kernel_texts as texts  # noqa: E402
from kernel_profiles import Clock  # noqa: E402
from kernel_rows import Row, RowsError, chosen, load_rows, missing_of  # noqa: E402
from kernel_run import Run, Way  # noqa: E402

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
    add("--devices", type=int, default=1, choices=(1, 2), help="2: tell more on the second GPU (1)")
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
    reasons = {row.title: why for row in rows if (why := missing_of(row, ROOT)) is not None}
    there = [row for row in rows if row.title not in reasons]
    old = results.load(options.json)
    clock = Clock(options.budget)
    wants = options.counters or options.only_counters
    way = Way(options.on, options.jobs, clock, options.devices, wants)
    run = Run(there, way, lambda: _keep(run, old, options.json))
    if options.only_counters:
        run.count(old["rows"] if old is not None else ())
    elif there:
        run.measure()
    found = _keep(run, old, options.json) or old
    print(f"\n{clock.spent():.0f} s\n")
    if found is not None:
        print(f"{texts.table(found)}\n")
    problems = [f"{title}: {why}" for title, why in reasons.items()]
    return _told([*problems, *run.problems], found)


def _keep(run: Run, old: results.Plain | None, path: Path) -> results.Plain | None:
    """Write what is known so far among what was kept; None where that is nothing."""
    rows = run.assembled()
    if not rows:
        return None
    if run.last is None:  # rows that were timed before, of which counters were read
        assert old is not None
        new = {**old, "rows": rows}
    else:
        new = results.results_of(rows, run.last)
    whole = results.merged(old, new, load_rows())
    results.save(whole, path)
    return whole


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
