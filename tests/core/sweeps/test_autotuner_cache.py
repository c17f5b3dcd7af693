"""What TileLang's autotuner keeps opens as a sweep; what is damaged is left out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.core.sweeps.autotuner_cache import CacheError, as_sweep, read_results
from workbench.core.sweeps.findings import fastest

SOURCE = 'extern "C" __global__ void __launch_bounds__(128, 1) matmul_kernel(half_t* A) {}'


def keep(folder: Path, config: dict[str, int], latency: float | None) -> Path:
    folder.mkdir(parents=True)
    (folder / "best_config.json").write_text(json.dumps(config), "utf-8")
    (folder / "latency.json").write_text(
        json.dumps({"latency": latency, "ref_latency": None}), "utf-8"
    )
    (folder / "device_kernel.cu").write_text(SOURCE, "utf-8")
    return folder


def test_tunings_are_points_of_a_sweep(tmp_path: Path) -> None:
    keep(tmp_path / "autotuner" / "a1", {"block_M": 128, "num_stages": 3}, 0.2057)
    keep(tmp_path / "autotuner" / "b2", {"block_M": 64, "num_stages": 4}, 0.31)
    found = read_results(tmp_path)
    assert {tuned.kernel for tuned in found} == {"matmul"}
    sweep = as_sweep(tmp_path, found)
    points = tuple(sweep.plan.space.points())
    best = fastest(sweep.records)
    assert best is not None
    assert points[best.number].args == {"block_M": 128, "num_stages": 3}
    assert best.time_us == pytest.approx(205.7)
    assert (sweep.ended, len(points)) == ("done", 2)


def test_what_is_damaged_is_left_out(tmp_path: Path) -> None:
    keep(tmp_path / "whole", {"a": 1}, 1.0)
    (keep(tmp_path / "torn", {"a": 1}, 1.0) / "latency.json").write_text("{", "utf-8")
    (keep(tmp_path / "cut", {"a": 1}, 1.0) / "latency.json").unlink()
    keep(tmp_path / "failed", {"a": 1}, None)
    (keep(tmp_path / "list", {"a": 1}, 1.0) / "best_config.json").write_text("[1]", "utf-8")
    assert [tuned.folder.name for tuned in read_results(tmp_path)] == ["whole"]


def test_a_folder_without_tunings_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(CacheError, match=r"no best_config\.json beside a latency\.json"):
        read_results(tmp_path)
