"""What the kept sweeps of an H200 say: the choice, of how many, beside TileLang's autotuner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SWEEPS: dict[str, Any] = json.loads(
    (ROOT / "benchmarks" / "results" / "h200-sweeps.json").read_text(encoding="utf-8")
)["sweeps"]


def _measured(sweep: dict[str, Any]) -> int:
    return int(sweep["counts"]["measured"] + sweep["counts"]["confirmed"])


def _times(sweep: dict[str, Any]) -> dict[str, float]:
    known = (point for point in sweep["points"] if point["measured_us"] is not None)
    return {json.dumps(point["args"], sort_keys=True): point["measured_us"] for point in known}


@pytest.mark.parametrize("found", SWEEPS.values(), ids=list(SWEEPS))
def test_a_quarter_of_the_points_finds_what_is_within_2_percent_of_the_best(
    found: dict[str, Any],
) -> None:
    times, counts = _times(found["full"]), found["full"]["counts"]
    assert counts["total"] == len(found["full"]["points"]) >= 48
    assert counts["ruled_out"] + counts["failed"] + len(times) == counts["total"]
    assert len(times) == _measured(found["full"])
    assert _measured(found["chosen"]) <= len(times) / 4
    chosen = times[json.dumps(found["chosen"]["config"], sort_keys=True)]
    assert chosen <= min(times.values()) * 1.02
    assert found["chosen"]["verified"] is True


@pytest.mark.parametrize("found", SWEEPS.values(), ids=list(SWEEPS))
def test_the_autotuner_had_the_same_configurations(found: dict[str, Any]) -> None:
    tuner = found["autotuner"]
    assert tuner["configurations"] == _measured(found["full"])
    assert json.dumps(tuner["config"], sort_keys=True) in _times(found["full"])
    assert found["chosen"]["wall_s"] < tuner["wall_s"]


def test_the_matrix_product_has_48_that_run() -> None:
    assert _measured(SWEEPS["gemm"]["full"]) >= 48


def test_readme_tells_what_was_measured() -> None:
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert _told("gemm", "of 72 configurations of `kernels/gemm_fp16.py` at 4096³") in text
    assert _told("attention", "Of 48 configurations of attention") in text


def _told(name: str, start: str) -> str:
    """What README says of one kernel: how many there are, run and were measured, and the times."""
    sweep = SWEEPS[name]
    chosen, full, tuner = (sweep[each] for each in ("chosen", "full", "autotuner"))
    run = _measured(full)
    assert f"of {full['counts']['total']} " in start.lower()
    return (
        f"{start} {run} can run; the sweep measured {_measured(chosen)} of them and found the "
        f"fastest of all {run} in {chosen['wall_s']:.0f} s, measuring all took "
        f"{full['wall_s']:.0f} s, and TileLang's autotuner took {tuner['wall_s']:.0f} s"
    )
