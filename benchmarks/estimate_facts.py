"""Gathers what estimates start from: kernels that were measured are lowered, and their facts kept.

Nothing is compiled to machine code: registers are measured ones for single kernels and for runs,
and estimated for sweeps. `benchmarks/estimates.py` is the command line.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.plain import to_plain
from workbench.core.run_archive.reading import RunArchive
from workbench.core.runs import Run, RunKind, RunStatus
from workbench.core.targets.table import load_targets

ROOT = Path(__file__).resolve().parents[1]
COUNTERS = ROOT / "tests" / "data" / "counters"
SWEEPS = {
    "gemm": {"M": 4096, "N": 4096, "K": 4096},
    "attention": {"batch": 4, "heads": 16, "seq_len": 4096, "dim": 128, "causal": False},
}
LAUNCH = {
    "registers_per_thread": "launch__registers_per_thread",
    "shared_static_bytes": "launch__shared_mem_per_block_static",
    "shared_carveout_bytes": "launch__shared_mem_config_size",
}


@dataclass(frozen=True)
class Job:
    """A kernel to lower: `counters` where its registers were measured.

    `method` is how its time was: "graph" (as `profile` does), "events" (between CUDA events), "ncu"
    (Nsight Compute's duration).
    """

    group: str
    name: str
    fitted: bool
    path: Path
    args: Mapping[str, Any]
    measured_us: float
    counters: Mapping[str, Any] | None
    target: str | None = None
    method: str = "events"
    case: str | None = None
    clock_mhz: float | None = None


def jobs(folder: Path) -> Iterator[Job]:
    """All that was measured: kernels of the folder, those of the tests, and the sweeps."""
    for group, path in (
        ("kernels", folder / "h200-kernel-counters.json"),
        ("unseen", COUNTERS / "h200-counters.json"),
    ):
        for name, each in json.loads(path.read_text())["kernels"].items():
            source = path.parent / "kernels" / f"{name}.py"
            time_us, target = each["time_ns"] / 1e3, each.get("target")
            yield Job(group, name, group == "kernels", source, {}, time_us, each, target, "ncu")
    for group, extra in SWEEPS.items():
        (path,) = folder.glob(f"h200-sweep-{group}-*.json")
        points = [p for p in json.loads(path.read_text())["points"] if "time_us" in p]
        for place, point in enumerate(points):
            name = " ".join(str(value) for value in point["args"].values())
            source, args = folder / "kernels" / f"sweep_{group}.py", {**extra, **point["args"]}
            yield Job(group, name, place % 2 == 0, source, args, point["time_us"], None)


def run_jobs(archive: Path, folder: Path) -> Iterator[Job]:
    """The profiles of an archive that `runs export` wrote, the last of each; texts go to `folder`.

    Constants see the kernels of `oracle/`, which they were fitted on before, and no others.
    """
    with RunArchive(archive) as found:
        profiles: dict[object, Run] = {}
        for run in found.runs():
            if isinstance(run, Run) and _is_profile(run):
                profiles.setdefault((run.document, run.case), run)
        for run in profiles.values():
            artifacts = {each.name: _bytes(found, each.blob) for each in run.artifacts}
            profile, report = (json.loads(artifacts[name]) for name in ("profile", "counters"))
            path = folder / str(run.document)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_bytes(found, str(run.text_blob)))
            latency, counted = profile["latency"], report["kernels"][0]["values"]
            given = {key: counted[metric] for key, metric in LAUNCH.items()}
            args, fitted = dict(run.args), path.parent.name == "oracle"
            how = "graph" if latency["method"] == "graph replay" else "events"
            rest = (latency["median_us"], given, run.target, how)
            yield Job("runs", path.stem, fitted, path, args, *rest)


def library_jobs(archive: Path, folder: Path) -> Iterator[Job]:
    """Profiles of the library's kernels, the first of each kernel and shape; none is fitted on."""
    with RunArchive(archive) as found:
        profiles: dict[tuple[str, str], Run] = {}
        for run in found.runs():
            if isinstance(run, Run) and _is_profile(run):
                profiles[Path(str(run.document)).stem, json.dumps(dict(run.args))] = run
        for (name, _), run in sorted(profiles.items()):
            artifacts = {each.name: _bytes(found, each.blob) for each in run.artifacts}
            latency = json.loads(artifacts["profile"])["latency"]
            path = folder / run.id / f"{name}.py"
            path.parent.mkdir(parents=True)
            path.write_bytes(_bytes(found, str(run.text_blob)))
            how = "graph" if latency["method"] == "graph replay" else "events"
            clock = (latency["clocks"]["low_mhz"] + latency["clocks"]["high_mhz"]) / 2
            rest = (dict(run.args), latency["median_us"], None, run.target, how)
            yield Job("library", _title(name, run.args), False, path, *rest, run.case, clock)


def _title(name: str, args: Mapping[str, Any]) -> str:
    sizes = [str(args[key]) for key in ("M", "N", "K") if key in args and "M" in args]
    return " ".join([name, " × ".join(sizes)]).strip()


def _is_profile(run: object) -> bool:
    wanted = (RunKind.PROFILE, RunStatus.DONE)
    return isinstance(run, Run) and (run.kind, run.status) == wanted


def _bytes(archive: Any, blob: str) -> bytes:
    content = archive.blob(blob)
    if not isinstance(content, bytes):
        raise ValueError(f"{blob} is not in the archive: {content}")
    return content


def collect(found: Iterable[Job]) -> dict[str, Any]:
    """Facts of all jobs, as the data file has them."""
    rows = []
    for job in found:
        rows += facts_rows(job)
        print(f"{job.group} {job.name}", file=sys.stderr)
    columns = list(rows[0])
    about = "What estimates start from, and times on an NVIDIA H200; benchmarks/estimates.py"
    return {"about": about, "columns": columns, "rows": [list(row.values()) for row in rows]}


def collect_runs(
    archive: Path, jobs_of: Callable[[Path, Path], Iterator[Job]] = run_jobs
) -> dict[str, Any]:
    """Facts of an archive's profiles, with the device, the date and the versions measured with."""
    with tempfile.TemporaryDirectory() as folder:
        data = collect(jobs_of(archive, Path(folder)))
    with RunArchive(archive) as found:
        first = next(run for run in found.runs() if _is_profile(run))
    assert isinstance(first, Run)
    about = (
        "Profiles (cold L2, counters) of a device, and what estimates start from; newest of each"
    )
    head = {"about": about, "device": first.device, "date": str(first.created)[:10]}
    return {**head, "versions": dict(first.versions), **data, "about": about}


def written(data: dict[str, Any]) -> str:
    """A data file as text, a line for each row."""
    rows = ",\n".join(json.dumps(row) for row in data["rows"])
    head = json.dumps({key: value for key, value in data.items() if key != "rows"})[:-1]
    return f'{head}, "rows": [\n{rows}\n]}}\n'


def facts_rows(job: Job) -> list[dict[str, Any]]:
    """Rows of the data file, one for each launch of a job's kernel, which is lowered.

    A kernel of several launches was measured as a whole: the estimates of its rows add up.
    """
    kernels, target = _lowered(job)
    return [_facts_row(job, kernel, target) for kernel in kernels]


def _facts_row(job: Job, kernel: Any, target: Any) -> dict[str, Any]:
    from workbench.core.analysis.block_limits import BlockResources
    from workbench.engine.analysis import shared_memory, work_facts
    from workbench.engine.analysis.global_traffic import global_report
    from workbench.engine.analysis.work_ir import work_of

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
        "method": job.method,
        **({} if job.clock_mhz is None else {"clock_mhz": job.clock_mhz}),
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
    chosen = select(document, None, job.case, overrides)[0]
    target = load_targets().resolve(job.target or chosen.case.targets[0])
    kernel = chosen.kernel
    choice = KernelChoice(kernel.name, kernel.style.value, chosen.args, kernel.line)
    source = Source(str(job.path), document.text, str(job.path.parent), trusted=True)
    built = compiling.build(CompileRequest(source, choice, target.to_json()), target)
    with user_lines(str(job.path)):
        artifact = lowering.lower_modules(built, lowering.tvm_target(target))
    return lowered_kernels(artifact, built.func, str(job.path), target), target
