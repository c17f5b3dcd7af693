"""Opens files of counters: tables that Nsight Compute printed, and its reports."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.core.counters.nsight import find_ncu, find_reader
from workbench.core.counters.raw_csv import TOOL, CounterFileError, read_raw_csv
from workbench.core.counters.units import scale_of
from workbench.core.profiles import CounterReport, KernelCounters

#: The names of reports; all of them begin alike.
REPORT_SUFFIXES = (".ncu-rep", ".ncu-repz", ".nsight-cuprof-report")
_MAGIC = b"NVR"
_GZIP = b"\x1f\x8b"
_LARGEST_BYTES = 512 << 20
_SECONDS = 300
_SCRIPT = Path(__file__).with_name("report_reader.py")
_DIMENSIONS = ("x", "y", "z")
_DEVICE = "device__attribute_display_name"
_CAPABILITY = "device__attribute_compute_capability_"


def is_report(path: Path) -> bool:
    """Whether a file is a report of Nsight Compute, by its name."""
    return path.suffix.lower() in REPORT_SUFFIXES


def is_counter_file(path: Path) -> bool:
    """Whether a file's name is one of a report or of a table."""
    return is_report(path) or path.name.lower().endswith((".csv", ".csv.gz"))


def read_counter_file(path: Path) -> CounterReport:
    """The counters of a report or a table, which may be packed with gzip.

    Raises CounterFileError, whose message says what is wrong and what to do, and OSError.
    """
    if is_report(path):
        return read_report(path)
    content = _unpacked(path)
    if content.startswith(_MAGIC):
        return read_report(path)
    return read_raw_csv(content.decode("utf-8", "replace"))


def read_report(path: Path) -> CounterReport:
    """The counters of a report, by `ncu` or by its Python reader; raises CounterFileError."""
    if not path.is_file():
        raise CounterFileError(f"there is no file {path}")
    ncu = find_ncu()
    if ncu is not None:
        return read_raw_csv(report_page(ncu, path, "raw", "--print-units", "base"))
    folder = find_reader()
    if folder is not None:
        return _by_reader(folder, path)
    raise CounterFileError(
        "reports of Nsight Compute are opened with its own programs, and neither ncu nor its "
        f"Python reader is on this machine: where ncu is, run ncu --import {path.name} --csv "
        f"--page raw > {path.stem}.csv, and open that file"
    )


def report_page(ncu: Path, path: Path, page: str, *options: str) -> str:
    """A page of a report as CSV; raises CounterFileError with what `ncu` said."""
    command = [str(ncu), "--import", str(path), "--csv", "--page", page, *options]
    return _output(command, f"ncu cannot open {path.name}")


def _output(command: Sequence[str], failed: str) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise CounterFileError(f"{failed}: no answer within {_SECONDS} s") from None
    except OSError as error:
        raise CounterFileError(f"{failed}: {error}") from error
    if done.returncode != 0:
        raise CounterFileError(f"{failed}: {_last_words(done.stderr or done.stdout)}")
    return done.stdout


def _last_words(said: str) -> str:
    """The line of what a program said that names the error, else the last."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines or ["it said nothing"])[-1].removeprefix("==ERROR== ")


def _unpacked(path: Path) -> bytes:
    if path.stat().st_size > _LARGEST_BYTES:
        raise CounterFileError(f"{path.name} has over {_LARGEST_BYTES >> 20} MiB")
    content = path.read_bytes()
    if not content.startswith(_GZIP):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        raise CounterFileError(f"{path.name} cannot be unpacked: {error}") from error


def _by_reader(folder: Path, path: Path) -> CounterReport:
    command = [sys.executable, str(_SCRIPT), str(folder), str(path)]
    found = _output(command, f"Nsight Compute's Python reader cannot open {path.name}")
    kernels = tuple(_kernel(each["name"], each["metrics"]) for each in json.loads(found))
    if not kernels:
        raise CounterFileError(f"{path.name} has no launch: nothing was profiled")
    return CounterReport(TOOL, kernels)


def _kernel(name: str, metrics: Mapping[str, Sequence[Any]]) -> KernelCounters:
    """A launch as the reader tells it: in base units already, which are named as ours."""
    numbers = {key: value for key, (value, _) in metrics.items() if not isinstance(value, str)}
    scales = {key: scale_of(unit) for key, (_, unit) in metrics.items() if key in numbers}
    values = {
        key: None if value is None else float(value) * float(scales[key].factor)
        for key, value in numbers.items()
    }
    device = metrics.get(_DEVICE, (None, ""))[0]
    return KernelCounters(
        name,
        values,
        {key: scale.unit for key, scale in scales.items()},
        grid=_extents(values, "launch__grid_dim_"),
        block=_extents(values, "launch__block_dim_"),
        device=device if isinstance(device, str) else None,
        arch=_arch(values),
    )


def _extents(values: Mapping[str, float | None], prefix: str) -> tuple[int, ...] | None:
    found = [values.get(f"{prefix}{axis}") for axis in _DIMENSIONS]
    known = [int(each) for each in found if each is not None]
    return tuple(known) if len(known) == len(found) else None


def _arch(values: Mapping[str, float | None]) -> str | None:
    major, minor = values.get(f"{_CAPABILITY}major"), values.get(f"{_CAPABILITY}minor")
    return None if major is None or minor is None else f"sm_{int(major)}{int(minor)}"
