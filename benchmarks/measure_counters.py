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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

from workbench.engine import environment  # noqa: E402 - the path comes first

environment.prepare()

import counter_metrics  # noqa: E402
import tilelang  # noqa: E402 - quietly, by `prepare`
import torch  # noqa: E402

from workbench.core.documents.reading import read_document  # noqa: E402
from workbench.core.documents.selection import Selection, select  # noqa: E402
from workbench.core.jobs import KernelChoice, Source  # noqa: E402
from workbench.core.targets.table import load_targets  # noqa: E402
from workbench.engine import kernels, loading, lowering, simulator  # noqa: E402
from workbench.engine.verify import comparing, reference, tensors  # noqa: E402

CASE = "measured"
LAUNCHES = 50
FLUSH_BYTES = 256 << 20  # several times the L2 of any GPU so far
COMPILERS = max(1, min(8, (os.cpu_count() or 1) // 2))


class MismatchError(Exception):
    """The kernel ran and is wrong; the message says where and how much."""


@dataclass(frozen=True)
class Prepared:
    """A compiled kernel with the values of its parameters on the GPU, and what to expect."""

    target: str
    launch: Any  # a TileLang kernel: called with all parameters
    values: tuple[Any, ...]
    outputs: tuple[int, ...]
    inputs: tuple[torch.Tensor, ...]
    expected: tuple[torch.Tensor, ...] | None
    selection: Selection

    def run(self) -> None:
        """Launch once; outputs are written into the values."""
        self.launch(*self.values)


def prepare(path: Path) -> Prepared:
    """Build, compile (or find in TileLang's cache) and bind the case of a document."""
    document = read_document(path)
    (selection,) = select(document, None, CASE)
    kernel = selection.kernel
    target = load_targets().resolve(selection.case.targets[0])
    tvm_target = lowering.tvm_target(target)
    source = Source(str(path.resolve()), document.text, str(ROOT), trusted=True)
    choice = KernelChoice(kernel.name, kernel.style.value, selection.args, kernel.line)
    with tvm_target, loading.loaded(source) as module:
        built = kernels.build(module, choice, tvm_target)
        launch = tilelang.compile(
            built.func,
            target=tvm_target,
            pass_configs=dict(built.pass_configs),
            compile_flags=list(built.compile_flags) or None,
        )
        parameters = simulator.translate(built.func).parameters
        dims = selection.case.dims
        bound = tensors.bind(parameters, built.out_indices, module, selection.args, dims, 0)
        inputs = tuple(bound.values[i] for i in bound.inputs)
        function = getattr(module, selection.reference or "", None)
        expected = reference.run_reference(function, inputs, bound.values)[0] if function else None
    values = tuple(v.cuda() if isinstance(v, torch.Tensor) else v for v in bound.values)
    return Prepared(target.name, launch, values, bound.outputs, inputs, expected, selection)


def compile_only(path: Path) -> str | None:
    """Fill TileLang's cache; what was raised, as text, where it does not compile."""
    try:
        prepare(path)
    except Exception as error:  # whatever a document or a compiler raises is the kernel's fault
        return f"{type(error).__name__}: {error}"
    return None


def check(prepared: Prepared) -> bool | None:
    """True after a run that matches, None without a reference; raises MismatchError."""
    prepared.run()
    torch.cuda.synchronize()
    if prepared.expected is None:
        return None
    for index, expected in zip(prepared.outputs, prepared.expected, strict=True):
        _check_output(prepared, index, expected)
    return True


def _check_output(prepared: Prepared, index: int, expected: torch.Tensor) -> None:
    case, got = prepared.selection.case, prepared.values[index].cpu()
    tolerance = comparing.tolerance_for(got, expected, list(prepared.inputs), case.rtol, case.atol)
    compared = comparing.compare(index, str(index), got, expected.reshape(got.shape), tolerance)
    if compared.mismatched:
        raise MismatchError(
            f"parameter {index} is wrong in {compared.mismatched:,} of {compared.total:,} elements,"
            f" by {compared.max_abs} at most"
        )


def time_launches(prepared: Prepared) -> dict[str, float]:
    """Nanoseconds between CUDA events around single launches, the L2 cache overwritten before.

    The events and the launch add two to three microseconds to what the kernel itself takes.
    """
    other = torch.empty(FLUSH_BYTES, dtype=torch.uint8, device="cuda")
    pairs = [(_event(), _event()) for _ in range(LAUNCHES)]
    for _ in range(3):
        prepared.run()
    for before, after in pairs:
        other.zero_()  # takes long enough that the launch is queued before it ends
        before.record()
        prepared.run()
        after.record()
    torch.cuda.synchronize()
    times = sorted(before.elapsed_time(after) * 1e6 for before, after in pairs)
    return {
        "median": round(times[LAUNCHES // 2]),
        "fastest": round(times[0]),
        "slowest": round(times[-1]),
        "launches": LAUNCHES,
    }


def _event() -> Any:
    return torch.cuda.Event(enable_timing=True)


def launch_under_profiler(paths: Sequence[Path]) -> None:
    """One profiled launch of each document, in order; what `ncu` runs."""
    for path in paths:
        prepared = prepare(path)
        prepared.run()  # loads the module and allocates, outside what is profiled
        torch.cuda.synchronize()
        torch.cuda.profiler.start()
        prepared.run()
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
        try:
            prepared = prepare(path)
            verified = check(prepared)
        except MismatchError as error:
            faults[path.stem] = str(error)
            continue
        time_ns = time_launches(prepared)
        entries[path.stem] = {"target": prepared.target, "verified": verified, "event_ns": time_ns}
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
