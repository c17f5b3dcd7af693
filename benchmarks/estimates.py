"""Prints how far estimated run times are from measured ones, or gathers what they start from.

    python benchmarks/estimates.py                                   the tables of docs/analysis.md
    python benchmarks/estimates.py --all                             every kernel and configuration
    python benchmarks/estimates.py --collect MEASURED -o FILE        from kernels and their times

MEASURED is a folder with `h200-kernel-counters.json`, `h200-sweep-*.json` and `kernels/`, measured
on an NVIDIA H200; the kernels that `tests/data/counters` holds are added. Nothing is compiled to
machine code: registers are measured ones for single kernels, and estimated for sweeps.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workbench.core.analysis.estimate import Estimate, estimate  # noqa: E402 - the path comes first
from workbench.core.analysis.kernel_facts import KernelFacts  # noqa: E402
from workbench.core.plain import from_plain, to_plain  # noqa: E402
from workbench.core.targets.table import load_targets  # noqa: E402

DATA = ROOT / "tests" / "data" / "analysis" / "h200-estimates.json"
COUNTERS = ROOT / "tests" / "data" / "counters"
SWEEPS = {
    "gemm": {"M": 4096, "N": 4096, "K": 4096},
    "attention": {"batch": 4, "heads": 16, "seq_len": 4096, "dim": 128, "causal": False},
}
TITLES = {
    "kernels": "single kernels, used in fitting",
    "unseen": "single kernels, not used in fitting",
    "gemm": "GEMM 4096³, sweep",
    "attention": "attention d = 128, sweep",
}


@dataclass(frozen=True)
class Measured:
    """One kernel with the time that an H200 took, and the estimate; `fitted`: constants saw it."""

    group: str
    name: str
    fitted: bool
    measured_us: float
    estimate: Estimate

    @property
    def error(self) -> float:
        """What the estimate is over the measured time, as a part of it."""
        return self.estimate.time_us / self.measured_us - 1


def measured(path: Path = DATA) -> list[Measured]:
    """The estimates of all that was measured."""
    data = json.loads(path.read_text())
    return [_measured(dict(zip(data["columns"], row, strict=True))) for row in data["rows"]]


def _measured(row: Mapping[str, Any]) -> Measured:
    own = ("group", "name", "fitted", "measured_us", "target", "blocks_per_sm")
    facts = from_plain(KernelFacts, {key: row[key] for key in row if key not in own})
    target = load_targets().resolve(row["target"])
    found = estimate(facts, target, row["blocks_per_sm"])
    assert found is not None
    return Measured(row["group"], row["name"], row["fitted"], row["measured_us"], found)


def summary(rows: Sequence[Measured]) -> str:
    """The errors of each group as a table in Markdown."""
    lines = [
        "| measured | part | number | median error | 90 % within | rank correlation |",
        "|---|---|---:|---:|---:|---:|",
    ]
    for group, title in TITLES.items():
        own = [row for row in rows if row.group == group]
        halves = {True: "fitted", False: "held back"}
        for fitted in sorted({row.fitted for row in own}, reverse=True):
            part = [row for row in own if row.fitted is fitted]
            lines.append(f"| {title} | {halves[fitted]} | {_figures(part)} |")
    return "\n".join(lines)


def _figures(rows: Sequence[Measured]) -> str:
    errors = np.abs([row.error for row in rows])
    correlation = spearman(
        [row.measured_us for row in rows], [row.estimate.time_us for row in rows]
    )
    median, most = np.median(errors), np.quantile(errors, 0.9)
    return f"{len(rows)} | {median:.1%} | {most:.1%} | {correlation:.3f}"


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """The rank correlation of two lists; equal values share their mean rank."""
    return float(np.corrcoef(_ranks(first), _ranks(second))[0, 1])


def _ranks(values: Sequence[float]) -> Any:
    _, which, counts = np.unique(np.array(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[which]


def single_kernels(rows: Sequence[Measured]) -> str:
    """Each single kernel as a row of a table in Markdown."""
    lines = ["| kernel | measured µs | estimated µs | error | bound |", "|---|---:|---:|---:|---|"]
    for row in rows:
        if row.group in ("kernels", "unseen"):
            found = row.estimate
            bound = found.bound + (" (at least)" if found.leaves_out else "")
            times = f"{row.measured_us:.1f} | {found.time_us:.1f}"
            lines.append(f"| {row.name} | {times} | {row.error:+.0%} | {bound} |")
    return "\n".join(lines)


# -- gathering ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """A kernel to lower: `counters` where its registers were measured."""

    group: str
    name: str
    fitted: bool
    path: Path
    args: Mapping[str, Any]
    measured_us: float
    counters: Mapping[str, Any] | None
    target: str | None = None


def jobs(folder: Path) -> Iterator[Job]:
    """All that was measured: kernels of the folder, those of the tests, and the sweeps."""
    for group, path in (
        ("kernels", folder / "h200-kernel-counters.json"),
        ("unseen", COUNTERS / "h200-counters.json"),
    ):
        for name, each in json.loads(path.read_text())["kernels"].items():
            source = path.parent / "kernels" / f"{name}.py"
            time_us, target = each["time_ns"] / 1e3, each.get("target")
            yield Job(group, name, group == "kernels", source, {}, time_us, each, target)
    for group, extra in SWEEPS.items():
        (path,) = folder.glob(f"h200-sweep-{group}-*.json")
        points = [p for p in json.loads(path.read_text())["points"] if "time_us" in p]
        for place, point in enumerate(points):
            name = " ".join(str(value) for value in point["args"].values())
            source, args = folder / "kernels" / f"sweep_{group}.py", {**extra, **point["args"]}
            yield Job(group, name, place % 2 == 0, source, args, point["time_us"], None)


def collect(found: Iterable[Job]) -> dict[str, Any]:
    """Facts of all jobs, as the data file has them."""
    rows = []
    for job in found:
        rows.append(facts_row(job))
        print(f"{job.group} {job.name}", file=sys.stderr)
    columns = list(rows[0])
    about = "What estimates start from, and times on an NVIDIA H200; benchmarks/estimates.py"
    return {"about": about, "columns": columns, "rows": [list(row.values()) for row in rows]}


def facts_row(job: Job) -> dict[str, Any]:
    """One row of the data file: lowers the kernel of a job."""
    from workbench.core.analysis.block_limits import BlockResources
    from workbench.engine.analysis import shared_memory, work_facts
    from workbench.engine.analysis.global_traffic import global_report
    from workbench.engine.analysis.work_ir import work_of

    kernel, target = _lowered(job)
    given = job.counters or {}
    registers = int(given["registers_per_thread"]) if given else None
    static, carveout = int(given.get("shared_static_bytes", 0)), given.get("shared_carveout_bytes")
    accesses = shared_memory.accesses_of(kernel)
    work = work_of(kernel.func, kernel.document, accesses.warp)
    launched = registers or work_facts.launch_registers(kernel, accesses, work)
    dynamic = int(dict(kernel.func.attrs).get("dyn_shared_memory_buf", 0))
    block = BlockResources(accesses.axes.launch.threads, launched, static, dynamic)
    wave = work_facts.wave_blocks(target, block, int(carveout) if carveout else None)
    memory = global_report(kernel, accesses, wave)
    shared = shared_memory.ir_sites_of(kernel, accesses)
    facts = work_facts.kernel_facts(kernel, accesses, work, shared, memory, registers, static)
    return {
        "group": job.group,
        "name": job.name,
        "fitted": job.fitted,
        "measured_us": job.measured_us,
        "target": target.name,
        "blocks_per_sm": wave // (target.model.sm_count if target.model else 1),
        **to_plain(facts),
    }


def _lowered(job: Job) -> tuple[Any, Any]:
    from workbench.core.documents.reading import read_document
    from workbench.core.documents.selection import select
    from workbench.core.jobs import CompileRequest, KernelChoice, Source
    from workbench.engine import compiling, environment, lowering

    environment.prepare()
    from workbench.engine.analysis.shared_memory import lowered_kernels
    from workbench.engine.user_lines import user_lines

    document = read_document(job.path)
    overrides = {name: str(value) for name, value in job.args.items()}
    chosen = select(document, None, None, overrides)[0]
    target = load_targets().resolve(job.target or chosen.case.targets[0])
    kernel = chosen.kernel
    choice = KernelChoice(kernel.name, kernel.style.value, chosen.args, kernel.line)
    source = Source(str(job.path), document.text, str(job.path.parent), trusted=True)
    built = compiling.build(CompileRequest(source, choice, target.to_json()), target)
    with user_lines(str(job.path)):
        artifact = lowering.lower_modules(built, lowering.tvm_target(target))
    return lowered_kernels(artifact, built.func, str(job.path), target)[0], target


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--all", action="store_true", help="every kernel and configuration")
    parser.add_argument("--collect", type=Path, metavar="MEASURED")
    parser.add_argument("-o", "--output", type=Path, default=DATA)
    options = parser.parse_args()
    if options.collect is not None:
        data = collect(jobs(options.collect))
        rows = ",\n".join(json.dumps(row) for row in data.pop("rows"))
        head = json.dumps(data)[:-1]
        options.output.write_text(f'{head}, "rows": [\n{rows}\n]}}\n')
        return
    found = measured()
    print(summary(found), single_kernels(found), sep="\n\n")
    if options.all:
        for row in found:
            times = f"{row.measured_us:9.1f} {row.estimate.time_us:9.1f} {row.error:+6.1%}"
            print(f"{row.group:10} {row.name:28} {times}  {row.estimate.bound}")


if __name__ == "__main__":
    main()
