"""Sweeps a kernel of the library in full, then by choice, then with TileLang's autotuner; one GPU.

    python benchmarks/sweeps.py gemm                  prints the three beside each other
    python benchmarks/sweeps.py gemm attention --json benchmarks/results/h200-sweeps.json
    python benchmarks/sweeps.py gemm --devices 0,1    the same sweep over two GPUs, too
    python benchmarks/sweeps.py gemm --devices 1      all of it on the second GPU

The chosen sweep and the autotuner start from nothing: each has caches of its own. What the
autotuner chose is told by its own time and by that which the full sweep measured of it.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Subject:
    """A document of this repository, its kernel and case, and what is varied."""

    file: str
    kernel: str
    case: str
    vary: tuple[str, ...]
    when: tuple[str, ...] = ()


SUBJECTS = {
    "gemm": Subject(
        "kernels/gemm_fp16.py",
        "matmul",
        "4096x4096x4096",
        (
            "block_M=64,128,256",
            "block_N=64,128,256",
            "block_K=32,64",
            "num_stages=3,4",
            "threads=128,256",
        ),
        ("block_M * block_N / threads <= 128", "block_M * block_N >= 8192"),
    ),
    "attention": Subject(
        "benchmarks/documents/swept_attention.py",
        "flash_attention",
        "b8-h16-s4096-d128",
        ("block_M=64,128", "block_N=64,96,128,160", "num_stages=1,2,3", "threads=128,256"),
    ),
}


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("subjects", nargs="+", choices=[*SUBJECTS], metavar="SUBJECT")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the figures in a file")
    parser.add_argument("--devices", default="0", help="GPUs; two: one sweep more (0)")
    parser.add_argument("--jobs", default=str(max(1, (os.cpu_count() or 2) - 2)))
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the sweeps' workspaces")
    parser.add_argument("--autotune", metavar="FILE", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.autotune:
        _autotune(SUBJECTS[options.subjects[0]], json.loads(Path(options.autotune).read_text()))
        return
    found = {}
    for name in options.subjects:
        found[name] = _compared(name, options)
        if options.json is not None:
            date = datetime.now(timezone.utc).date().isoformat()
            text = json.dumps({"date": date, "sweeps": found}, indent=1)
            options.json.write_text(text + "\n", "utf-8")


def _compared(name: str, options: argparse.Namespace) -> dict[str, Any]:
    subject = SUBJECTS[name]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        first = options.devices.partition(",")[0]
        chosen = _sweep(subject, place / "chosen", first, options.jobs)
        _say(subject, "chosen sweep", chosen)
        found = {"chosen": chosen}
        if options.devices != first:
            found["spread"] = _sweep(subject, place / "spread", options.devices, options.jobs)
            _say(subject, f"chosen sweep, GPUs {options.devices}", found["spread"])
        full = _sweep(subject, place / "full", options.devices, options.jobs, "--exhaustive")
        _say(subject, "full sweep", full)
        _keep(place, name, options.keep)
        tuner = _tuned(subject, place / "tuner", _runnable(full), first)
    times = _times(full)
    best = min(times.values())
    tuner["measured_us"] = times.get(_key(tuner.get("config", {})))
    for chooser, each in (("chosen", chosen), ("autotuner", tuner)):
        time_us = times.get(_key(each.get("config", {})))
        each["over_best"] = time_us / best - 1 if time_us is not None else None
        _tell_over(chooser, each)
    return {**found, "full": full, "autotuner": tuner, "best_us": best}


def _keep(place: Path, name: str, keep: Path | None) -> None:
    """Copy the workspaces of the sweeps so far to `keep`, without their caches."""
    if keep is None:
        return
    for each in place.iterdir():
        kept = keep / f"{name}-{each.name}" / ".workbench"
        shutil.copytree(each / ".workbench", kept, dirs_exist_ok=True)


def _tell_over(chooser: str, each: Mapping[str, Any]) -> None:
    over = each["over_best"]
    text = "was not measured" if over is None else f"is {over * 100:.2f} % over the best"
    print(f"  what the {chooser} chose {text} of the full sweep", flush=True)


def _sweep(subject: Subject, place: Path, devices: str, jobs: str, *more: str) -> dict[str, Any]:
    place.mkdir()
    words = [sys.executable, "-m", "workbench", "sweep", str(ROOT / subject.file)]
    words += ["--case", subject.case, "--kernel", subject.kernel, "--on", "local", "--json"]
    words += ["--devices", devices, "--jobs", jobs, "--workspace", str(place), *more]
    words += [word for text in subject.vary for word in ("--vary", text)]
    words += [word for text in subject.when for word in ("--when", text)]
    began = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, env=_own(place), check=False)
    if done.returncode != 0:
        raise SystemExit(f"the sweep ended with {done.returncode}: {done.stdout}{done.stderr}")
    told: dict[str, Any] = json.loads(done.stdout)
    best = told["best"]
    return {
        "wall_s": round(time.monotonic() - began, 1),
        "counts": told["counts"],
        "config": best["args"] if best else {},
        "time_us": (best["confirmed"] or best["measured"])["median_us"] if best else None,
        "tflops": (best["confirmed"] or best["measured"])["tflops"] if best else None,
        "verified": best["confirmed"]["verified"] if best and best["confirmed"] else None,
        "device": (best["confirmed"] or best["measured"])["device"] if best else None,
        "accuracy": told["accuracy"],
        "fell_out": told["fell_out"],
        "points": [_short(point) for point in told["points"]],
    }


def _short(point: Mapping[str, Any]) -> dict[str, Any]:
    measured = point["measured"]
    return {
        "args": point["args"],
        "outcome": point["outcome"],
        "stage": point["stage"],
        "reason": point["reason"],
        "predicted_us": point["predicted"]["predicted_us"],
        "measured_us": measured["median_us"] if measured else None,
        "device": measured["device"] if measured else None,
    }


def _say(subject: Subject, title: str, found: Mapping[str, Any]) -> None:
    counts = found["counts"]
    measured = counts["measured"] + counts["confirmed"]
    print(
        f"{subject.kernel}: {title}: {found['time_us']:.2f} us with {found['config']}, "
        f"{measured} of {counts['total']} measured, {found['wall_s']:.0f} s",
        flush=True,
    )


def _runnable(full: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The configurations that the full sweep could measure: the autotuner gets no broken ones."""
    return [point["args"] for point in full["points"] if point["measured_us"] is not None]


def _times(full: Mapping[str, Any]) -> dict[str, float]:
    return {
        _key(point["args"]): point["measured_us"]
        for point in full["points"]
        if point["measured_us"] is not None
    }


def _key(args: Mapping[str, Any]) -> str:
    return json.dumps(dict(sorted(args.items())))


def _tuned(
    subject: Subject, place: Path, configs: Sequence[Mapping[str, Any]], device: str
) -> dict[str, Any]:
    """The autotuner over the same configurations on the GPU `device`, in a process of its own."""
    place.mkdir()
    listed = place / "configs.json"
    listed.write_text(json.dumps(list(configs)), "utf-8")
    name = next(name for name, each in SUBJECTS.items() if each is subject)
    words = [sys.executable, __file__, name, "--autotune", str(listed)]
    began = time.monotonic()
    own = {**_own(place), "CUDA_VISIBLE_DEVICES": device}
    done = subprocess.run(words, capture_output=True, text=True, env=own, check=False)
    wall = round(time.monotonic() - began, 1)
    lines = [line for line in done.stdout.splitlines() if line.startswith("TUNED ")]
    if not lines:
        print(f"{subject.kernel}: the autotuner failed: {done.stderr[-600:]}", flush=True)
        return {"wall_s": wall, "error": done.stderr[-600:]}
    told: dict[str, Any] = json.loads(lines[-1][6:])
    print(
        f"{subject.kernel}: TileLang's autotuner: {told['time_us']:.2f} us (its own timing) with "
        f"{told['config']}, {len(configs)} measured, {wall:.0f} s",
        flush=True,
    )
    return {**told, "wall_s": wall, "configurations": len(configs)}


def _autotune(subject: Subject, configs: Sequence[Mapping[str, Any]]) -> None:
    """Run TileLang's autotuner and print what it chose."""
    import tilelang

    from workbench.core.documents.reading import read_document
    from workbench.core.documents.selection import select

    path = ROOT / subject.file
    (selection,) = select(read_document(path), subject.kernel, subject.case)
    spec = importlib.util.spec_from_file_location("swept", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["swept"] = module
    spec.loader.exec_module(module)
    varied = {name for config in configs for name in config}
    fixed = {name: value for name, value in selection.args.items() if name not in varied}
    tuner = tilelang.autotune(configs=[dict(config) for config in configs], skip_check=True)
    kernel = tuner(getattr(module, subject.kernel))(**fixed)
    found = {"config": dict(kernel.config), "time_us": kernel.latency * 1000}
    print("TUNED " + json.dumps(found))


def _own(place: Path) -> dict[str, str]:
    """An environment with caches of its own, so that nothing is there before."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    folders = {
        f"TILELANG_WORKBENCH_{name}": str(place / name) for name in ("CACHE", "DATA", "CONFIG")
    }
    tilelang = {"TILELANG_CACHE_DIR": str(place / "tilelang"), "TILELANG_PRINT_ON_COMPILATION": "0"}
    return {**os.environ, **folders, **tilelang, "PYTHONPATH": path}


if __name__ == "__main__":
    main()
