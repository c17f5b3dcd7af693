from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest


def test_verifying_records_a_run_that_can_be_shown(cli: Any, kernels: Path, tmp_path: Path) -> None:
    done = cli("verify", kernels / "softmax.py", "--case", "short", "--json")
    (listed,) = cli("runs", "list", "--json").json["runs"]
    shown = cli("runs", "show", done.result["run"][:12], "--json").json
    assert listed["id"] == shown["run"]["id"] == done.result["run"]
    assert (listed["kind"], listed["status"]) == ("verify", "done")
    assert shown["text"] == (kernels / "softmax.py").read_text()
    assert shown["run"]["metrics"]["Y.rel_fro"]["source"] == "measured"


def test_a_failed_compile_is_a_run_too(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "document.py"
    file.write_text("import tilelang\nraise ValueError('x')\n@tilelang.jit\ndef k(N=4): ...\n")
    assert cli("compile", file).status == 1
    (run,) = cli("runs", "list", "--json").json["runs"]
    assert (run["kind"], run["status"]) == ("compile", "failed")
    assert "ValueError: x" in run["error"]


@pytest.fixture
def compiled(cli: Any, kernels: Path) -> Any:
    """The run of a compile for an H200, with 48 KiB of shared memory."""
    sizes = ("--set", "M=128", "--set", "N=128", "--set", "K=64", "--set", "num_stages=3")
    done = cli("compile", kernels / "gemm.py", *sizes, "--target", "h200", "--json")
    assert done.status == 0, done.stdout
    return done.result


def test_sizes_are_told_in_kib_and_kept_in_bytes(cli: Any, compiled: Any) -> None:
    size = compiled["resources"]["shared_dynamic_bytes"]
    shown = cli("runs", "show", compiled["run"])
    assert size >= 1024
    assert re.search(rf"shared_dynamic_bytes +{size // 1024} KiB  \(predicted", shown.stdout)
    metrics = cli("runs", "show", compiled["run"], "--json").json["run"]["metrics"]
    assert (metrics["shared_dynamic_bytes"]["value"], metrics["shared_dynamic_bytes"]["unit"]) == (
        size,
        "B",
    )


def test_a_target_is_found_by_any_of_its_names(cli: Any, compiled: Any) -> None:
    (run,) = cli("runs", "list", "--target", "H-200", "--json").json["runs"]
    assert run["id"] == compiled["run"]


def test_an_unknown_target_is_refused_with_the_nearest(cli: Any) -> None:
    done = cli("runs", "list", "--target", "h20", "--json")
    assert (done.status, done.json["runs"]) == (2, [])
    assert done.json["error"]["message"].startswith("--target: no target is called 'h20'")
    assert "h200" in done.json["error"]["message"]


@pytest.mark.parametrize("limit", ["-1", "0", "many"])
def test_a_limit_that_is_no_number_of_runs_is_refused(cli: Any, limit: str) -> None:
    done = cli("runs", "list", "--limit", limit)
    assert (done.status, done.stdout) == (2, "")
    assert f"argument --limit: '{limit}' is not a whole number from 1 on" in done.stderr


def test_a_run_that_is_not_there_leaves_the_key_empty(cli: Any) -> None:
    done = cli("runs", "show", "nobody", "--json")
    assert (done.status, done.json["run"], done.json["status"]) == (2, None, "error")
