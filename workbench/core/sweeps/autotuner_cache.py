"""Reads what TileLang's own autotuner kept: the best configuration of each tuning, as a sweep.

TileLang 0.1.15 keeps a folder for each tuning in the `autotuner` folder of its cache: the
configuration in `best_config.json`, milliseconds in `latency.json`, and the source of the kernel.
Of the other configurations nothing is kept, and neither is the device.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from workbench.core.sweeps.model import Measured, Outcome, PointRecord, Stage, Sweep, SweepPlan

CONFIG, LATENCY, SOURCE = "best_config.json", "latency.json", "device_kernel.cu"
UNKNOWN_DEVICE = "a device that the cache does not name"
MOST_RESULTS = 10_000
_KERNEL = re.compile(
    r"__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+?)(?:_kernel(?:_\d+)?)?\s*\("
)


class CacheError(Exception):
    """A folder holds nothing that the autotuner kept; the message says what was looked for."""


@dataclass(frozen=True)
class Tuned:
    """One tuning: its best configuration, the time of it and of the reference in microseconds.

    `kernel` is the name in the source, None where that is not there; `when` is the file's time.
    """

    folder: Path
    config: Mapping[str, Any]
    time_us: float
    reference_us: float | None
    kernel: str | None
    when: datetime


def read_results(folder: Path) -> tuple[Tuned, ...]:
    """The tunings in a folder and those below it, the latest first; raises CacheError.

    A tuning that was cut short, or is damaged, is left out.
    """
    found = []
    for number, path in enumerate(sorted(folder.rglob(CONFIG))):
        if number >= MOST_RESULTS:
            break
        tuned = _read(path.parent)
        if tuned is not None:
            found.append(tuned)
    if not found:
        raise CacheError(
            f"{folder} holds no {CONFIG} beside a {LATENCY}: TileLang keeps them below "
            "~/.tilelang/cache, or where TILELANG_CACHE_DIR says, in the folder autotuner"
        )
    return tuple(sorted(found, key=lambda each: each.when, reverse=True))


def _read(folder: Path) -> Tuned | None:
    try:
        config = json.loads((folder / CONFIG).read_bytes())
        times = json.loads((folder / LATENCY).read_bytes())
        when = (folder / CONFIG).stat().st_mtime
    except (OSError, ValueError):
        return None
    time = _microseconds(times.get("latency")) if isinstance(times, dict) else None
    if not isinstance(config, dict) or time is None:
        return None
    reference = _microseconds(times.get("ref_latency"))
    moment = datetime.fromtimestamp(when, timezone.utc)
    return Tuned(folder, config, time, reference, _kernel(folder / SOURCE), moment)


def _microseconds(milliseconds: Any) -> float | None:
    is_number = isinstance(milliseconds, (int, float)) and not isinstance(milliseconds, bool)
    return milliseconds * 1000.0 if is_number and milliseconds > 0 else None


def _kernel(source: Path) -> str | None:
    try:
        found = _KERNEL.search(source.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return None
    return found.group(1) if found is not None else None


def as_sweep(folder: Path, tunings: Sequence[Tuned]) -> Sweep:
    """The tunings of a folder as the points of an ended sweep; there must be one at least."""
    names = dict.fromkeys(tuned.kernel for tuned in tunings if tuned.kernel)
    plan = SweepPlan(
        id=f"autotuner-{folder.name}",
        created=max(tuned.when for tuned in tunings).isoformat(timespec="seconds"),
        workspace=str(folder),
        document=str(folder),
        text="",
        kernel=", ".join(names) or "kernel",
        axes=(),
        cases=("default",),
        targets=("autotuner",),
        configurations=tuple(tuned.config for tuned in tunings),
    )
    records = tuple(_record(number, tuned) for number, tuned in enumerate(tunings))
    return Sweep(plan, records, "done")


def _record(number: int, tuned: Tuned) -> PointRecord:
    time = tuned.time_us
    found = Measured(time, time, time, 0, UNKNOWN_DEVICE, str(tuned.folder))
    return PointRecord(number, Stage.MEASURE, Outcome.MEASURED, measured=found)
