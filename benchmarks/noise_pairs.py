"""Measures pairs of runs on this machine's GPU: the same kernel twice, and with a tenth more work.

    python benchmarks/noise_pairs.py --json tests/data/comparison/h200-pairs.json

Each run of a pair is taken by a process of its own, as two runs of a history are. `core.comparison`
must call the first kind equal and the second slower: tests hold it to that on what this gathered.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

#: File, case, the argument that is the work, and its two values: the other is a tenth more.
SUBJECTS = (
    ("elementwise_add.py", {"N": 8192}, "M", 8192, 9024),
    ("softmax.py", {"N": 4096}, "M", 8192, 9024),
    ("rms_norm.py", {"N": 8192}, "M", 4096, 4512),
    ("gemm.py", {"M": 4096, "N": 4096}, "K", 4096, 4512),
    ("gemm.py", {"M": 2048, "N": 2048}, "K", 2048, 2272),
)
ROUNDS = 4
_SECONDS = 0.25


def main() -> None:
    """Have two processes measure, and pair what they found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", type=Path, required=True, metavar="FILE")
    parser.add_argument("--process", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.process:
        options.json.write_text(json.dumps(_measured()), "utf-8")
        return
    parts = [options.json.with_suffix(f".{number}") for number in (1, 2)]
    words = [sys.executable, __file__, "--process", "--json"]
    running = [subprocess.Popen([*words, str(part)]) for part in parts]
    if sum(abs(process.wait()) for process in running):
        raise SystemExit("a process failed")
    first, second = (json.loads(part.read_text("utf-8")) for part in parts)
    for part in parts:
        part.unlink()
    date = datetime.now(timezone.utc).date().isoformat()
    found = {
        "about": "Times of launches in microseconds, in the order taken; benchmarks/noise_pairs.py",
        "date": date,
        "device": first["device"],
        "versions": first["versions"],
        "pairs": list(_pairs(first["taken"], second["taken"])),
    }
    options.json.write_text(json.dumps(found, separators=(",", ":")) + "\n", "utf-8")
    print(f"{len(found['pairs'])} pairs in {options.json}")


def _pairs(first: Sequence[Any], second: Sequence[Any]) -> Iterator[dict[str, Any]]:
    for one, other in zip(first, second, strict=True):
        yield {
            "kernel": one["name"],
            "round": one["round"],
            "method": one["method"],
            "first_us": one["base"],
            "same_us": other["base"],
            "tenth_more_us": other["more"],
        }


def _measured() -> dict[str, Any]:
    from workbench.engine import environment

    environment.prepare()
    from workbench.engine.device.finding import find_device
    from workbench.engine.device.holding import held
    from workbench.engine.device.measuring import Meter, Plan
    from workbench.engine.device.placing import placed

    def silent(text: str, fraction: float | None = None) -> None:
        return

    device = find_device(0)
    taken: list[dict[str, Any]] = []
    with contextlib.ExitStack() as stack:
        kernels = [
            [stack.enter_context(placed(_request(subject, size), silent)) for size in subject[3:]]
            for subject in SUBJECTS
        ]
        meter = Meter(device)
        for turn in range(ROUNDS):
            for subject, pair in zip(SUBJECTS, kernels, strict=True):
                with held(device, silent):
                    method, _ = meter.chosen("auto", [kernel.launch for kernel in pair])
                    plan = Plan(method, "cold", 30, _SECONDS)
                    base, more = (meter.measure(kernel.launch, plan, 60) for kernel in pair)
                name = f"{subject[0]} {subject[1]} {subject[2]} {subject[3]} to {subject[4]}"
                found = {"name": name, "round": turn, "method": base.method}
                taken.append({**found, "base": _short(base), "more": _short(more)})
    versions = {**environment.versions(), "driver": device.driver}
    return {"device": device.name, "versions": versions, "taken": taken}


def _short(latency: Any) -> list[float]:
    return [round(sample, 4) for sample in latency.samples_us]


def _request(subject: tuple[Any, ...], size: int) -> Any:
    from workbench.core.documents.reading import read_document
    from workbench.core.documents.selection import select
    from workbench.core.targets.table import load_targets
    from workbench.session.requests import Item, profile_request, source_of

    file, fixed, name, *_ = subject
    document = read_document(ROOT / "kernels" / file)
    sizes = {**fixed, name: size}
    (selection,) = select(document, overrides={key: str(value) for key, value in sizes.items()})
    item = Item(document, selection, load_targets().resolve("h200"))
    return profile_request(item, source_of(document, ROOT, True))


if __name__ == "__main__":
    main()
