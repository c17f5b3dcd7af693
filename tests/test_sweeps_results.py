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
    times = _times(found["full"])
    assert len(times) == _measured(found["full"]) >= 48
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


def test_readme_tells_what_was_measured() -> None:
    gemm, text = SWEEPS["gemm"], " ".join((ROOT / "README.md").read_text("utf-8").split())
    total, ruled_out = (gemm["chosen"]["counts"][key] for key in ("total", "ruled_out"))
    assert f"of {total} configurations of `kernels/gemm_fp16.py` at 4096³ the rules left" in text
    told = (
        f"the rules left {total - ruled_out}; the sweep measured {_measured(gemm['chosen'])} of "
        f"them and found the fastest of all {total - ruled_out} in "
        f"{gemm['chosen']['wall_s']:.0f} s, measuring all took {gemm['full']['wall_s']:.0f} s"
    )
    assert told in text
    assert f"{gemm['autotuner']['wall_s']:.0f} s (`benchmarks/sweeps.py`" in text
