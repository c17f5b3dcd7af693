"""Measures kernel documents on the GPU of this machine: hardware counters, and time.

    python benchmarks/measure_counters.py tests/data/counters/kernels/*.py -o counters.json

Needs an NVIDIA GPU, Nsight Compute (`ncu` on the PATH, allowed to read the counters) and nvcc. Each
case `measured` is built for its target, run once and compared with its reference, timed, and run
once under `ncu --clock-control none`; the file gets its figures only if it matches. The exit status
is 1 where one could not be measured or does not match.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import io
import json
import multiprocessing
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from workbench.engine import environment  # noqa: E402 - the path comes first

environment.prepare()

import counter_metrics  # noqa: E402
import torch  # noqa: E402

from workbench.core.documents.reading import read_document  # noqa: E402
from workbench.core.documents.selection import select  # noqa: E402
from workbench.core.jobs import KernelChoice, Source  # noqa: E402
from workbench.core.profiles import ProfileRequest  # noqa: E402
from workbench.core.targets.table import load_targets  # noqa: E402
from workbench.engine import blame  # noqa: E402
from workbench.engine.device import checking  # noqa: E402
from workbench.engine.device.measuring import Meter, Plan  # noqa: E402
from workbench.engine.device.placing import Placed, placed  # noqa: E402

CASE = "measured"
LAUNCHES = 50
COMPILERS = max(1, min(8, (os.cpu_count() or 1) // 2))


class MismatchError(Exception):
    """The kernel ran and is wrong; the message says where and how much."""


def request_of(path: Path) -> ProfileRequest:
    """The request for the measured case of a document."""
    document = read_document(path)
    (selection,) = select(document, None, CASE)
    kernel, case = selection.kernel, selection.case
    return ProfileRequest(
        Source(str(path.resolve()), document.text, str(ROOT), trusted=True),
        KernelChoice(kernel.name, kernel.style.value, selection.args, kernel.line),
        load_targets().resolve(case.targets[0]).to_json(),
        selection.reference,
        dims=dict(case.dims),
        rtol=case.rtol,
        atol=case.atol,
    )


def compile_only(path: Path) -> str | None:
    """Fill TileLang's cache; what was raised, as text, where it does not compile."""
    try:
        with placed(request_of(path), _quiet):
            return None
    except blame.StepError as error:
        return str(error)


def check(kernel: Placed, request: ProfileRequest) -> bool | None:
    """True after a run that matches, None without a reference; raises MismatchError."""
    checking.run_once(kernel, request.kernel.line)
    found = checking.compare(kernel, request)
    if found.verified is False:
        raise MismatchError("; ".join(each.message for each in found.diagnostics))
    return found.verified


def time_launches(kernel: Placed) -> dict[str, float]:
    """Nanoseconds between CUDA events around single launches, the L2 cache overwritten before.

    The events and the launch add three microseconds to what the kernel itself takes.
    """
    plan = Plan("events", "cold", LAUNCHES, 0.0)
    times = Meter(kernel.device).measure(kernel.launch, plan, LAUNCHES).samples_us
    ranked = sorted(time * 1e3 for time in times)
    return {
        "median": round(ranked[LAUNCHES // 2]),
        "fastest": round(ranked[0]),
        "slowest": round(ranked[-1]),
        "launches": LAUNCHES,
    }


def _quiet(text: str, fraction: float | None = None) -> None:
    """Progress of single kernels is not told."""


def launch_under_profiler(paths: Sequence[Path]) -> None:
    """One profiled launch of each document, in order; what `ncu` runs."""
    for path in paths:
        with placed(request_of(path), _quiet) as kernel:
            kernel.launch()  # loads the module, outside what is profiled
            torch.cuda.synchronize()
            torch.cuda.profiler.start()
            kernel.launch()
            torch.cuda.synchronize()
            torch.cuda.profiler.stop()


def counters(paths: Sequence[Path]) -> list[counter_metrics.Figures]:
    """The counters of one launch of each document; raises RuntimeError with what `ncu` said."""
    unknown = unknown_metrics()
    for metric in unknown:
        print(f"ncu has no {metric} for this GPU", file=sys.stderr)
    wanted = ",".join(m for m in counter_metrics.metrics() if m not in unknown)
    command = ["ncu", "--clock-control", "none", "--profile-from-start", "off"]
    command += ["--csv", "--page", "raw", "--print-units", "base", "--metrics", wanted]
    command += [sys.executable, __file__, "--launch", *map(str, paths)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))[1:]  # the first holds the units
    if done.returncode != 0 or len(rows) != len(paths):
        said = f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        raise RuntimeError(f"ncu gave {len(rows)} launches for {len(paths)} kernels:\n{said}")
    return [counter_metrics.figures(row) for row in rows]


def unknown_metrics() -> tuple[str, ...]:
    """Counters that `ncu` does not have for this GPU: their figures are unknown."""
    listed = _output("ncu", "--query-metrics")
    names = set(re.findall(r"^([a-z0-9]+__\w+)", listed, re.MULTILINE))
    counted = [metric for metric in counter_metrics.metrics() if metric.endswith(".sum")]
    return tuple(metric for metric in counted if metric.partition(".")[0] not in names)


def versions() -> dict[str, str]:
    """Versions of what compiled and of what measured."""
    profiler = re.search(r"Version (\S+)", _output("ncu", "--version"))
    found = {**environment.versions(), "python": platform.python_version()}
    return {**found, "ncu": profiler.group(1)} if profiler else found


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def measure(paths: Sequence[Path]) -> tuple[dict[str, Any], dict[str, str]]:
    """What the file holds of each document that matches, and what is wrong with the others."""
    entries: dict[str, Any] = {}
    faults = {p.stem: fault for p, fault in zip(paths, _compile_all(paths), strict=True) if fault}
    for path in paths:
        if path.stem in faults:
            continue
        request = request_of(path)
        try:
            with placed(request, _quiet) as kernel:
                verified, target = check(kernel, request), kernel.target.name
                time_ns = time_launches(kernel)
        except (MismatchError, blame.StepError) as error:
            faults[path.stem] = str(error)
            continue
        entries[path.stem] = {"target": target, "verified": verified, "event_ns": time_ns}
    good = [path for path in paths if path.stem in entries]
    for path, found in zip(good, counters(good), strict=True):
        entries[path.stem] = {**found, **entries[path.stem]}
    return entries, faults


def _compile_all(paths: Iterable[Path]) -> list[str | None]:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(COMPILERS, mp_context=context) as pool:
        return list(pool.map(compile_only, paths))


def about(device: str, today: datetime.date) -> str:
    """The sentence at the head of the file."""
    return (
        f"Hardware counters of one launch of each kernel, read with Nsight Compute on an {device} "
        f"on {today} with --clock-control none and its cache control (caches empty at the start), "
        f"and the time of {LAUNCHES} launches between CUDA events (event_ns)."
    )


def main() -> int:
    """Measure the documents and write the file; 1 where something is wrong with one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("documents", nargs="+", type=Path, help="kernel documents")
    parser.add_argument("-o", "--output", type=Path, default=Path("counters.json"))
    parser.add_argument("--launch", action="store_true", help="only launch (what ncu runs)")
    options = parser.parse_args()
    if options.launch:
        launch_under_profiler(options.documents)
        return 0
    entries, faults = measure(options.documents)
    device, today = torch.cuda.get_device_name(0), datetime.date.today()
    written = {
        "about": about(device, today),
        "device": device,
        "date": str(today),
        "driver": _output(
            "nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"
        ).strip(),
        "versions": versions(),
        "kernels": entries,
    }
    options.output.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")
    for name, fault in faults.items():
        print(f"{name}: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
