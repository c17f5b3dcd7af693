from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

SMALL = ("--set", "M=128", "--set", "N=128", "--set", "K=64")
TARGETS = ("--target", "sm_75,sm_80,sm_90a,gfx942,metal")


def cells(result: Any, target: str) -> dict[str, Any]:
    (row,) = [row for row in result["targets"] if row["target"] == target]
    cells: dict[str, Any] = row["cells"]
    return cells


@pytest.mark.thorough
def test_a_gemm_over_five_architectures(cli: Any, kernels: Path) -> None:
    done = cli("portability", kernels / "gemm.py", *SMALL, *TARGETS, "--json")
    # A stage of 128x32 and 32x128 half-precision tiles is 16 KiB, three are 48 KiB: Metal has 32.
    assert done.status == 1, done.stdout
    found = done.result
    assert found["conclusion"].startswith("It can run on 4 of 5 targets; on ")
    assert "48 KiB of shared memory are over the limit of 32 KiB" in found["conclusion"]
    assert [row["status"] for row in found["targets"]] == ["ok"] * 4 + ["fault"]

    turing = cells(found, "sm_75")
    assert turing["lowers"]["state"] == "good"
    assert turing["shared_memory"]["text"] == "48 of 64 KiB"
    assert turing["matrix_instructions"]["text"] == "mma.sync"
    assert (turing["copies"]["state"], turing["copies"]["line"]) == ("caution", 68)

    ampere = cells(found, "sm_80")
    assert ampere["shared_memory"]["text"] == "48 of 163 KiB"
    assert ampere["copies"]["text"] == "cp.async"
    assert ampere["machine_code"]["state"] == "good"
    assert ampere["registers"]["text"].endswith("× 128")

    hopper = cells(found, "sm_90a")
    assert hopper["matrix_instructions"]["text"] == "wgmma"
    assert hopper["copies"]["text"] == "TMA"
    assert hopper["warps"]["text"] == "8 × 32"  # 128 more threads only copy

    mi300x = cells(found, "gfx942")
    assert mi300x["warps"]["text"] == "2 × 64"
    assert mi300x["matrix_instructions"]["text"] == "MFMA"
    assert mi300x["machine_code"]["state"] == "unknown"
    assert mi300x["shared_memory"]["text"] == "16 of 64 KiB"  # without cp.async one stage is kept

    metal = cells(found, "metal")
    assert metal["lowers"]["state"] == "good"
    assert metal["shared_memory"]["state"] == "bad"
    assert metal["shared_memory"]["diagnostic"]["code"] == "shared-memory-over-limit"
    assert metal["shared_memory"]["line"] == 59
    assert "Metal Feature Set" in metal["shared_memory"]["source"]


def test_a_model_alone_and_what_was_verified_for_it(cli: Any, kernels: Path) -> None:
    file = kernels / "elementwise_add.py"
    small = ("--set", "M=64", "--set", "N=64", "--target", "a100")
    before = cli("portability", file, *small, "--json")
    assert before.status == 0, before.stdout
    assert cells(before.result, "a100")["verified"]["text"] == "not checked"
    assert cells(before.result, "a100")["matrix_instructions"]["state"] == "none"
    assert cli("verify", file, *small).status == 0
    after = cli("portability", file, *small, "--no-machine-code")
    assert after.status == 0
    assert "It can run on 1 of 1 targets." in after.stdout
    assert "simulator" in after.stdout


def test_an_unknown_target_is_the_command_s_fault(cli: Any, kernels: Path) -> None:
    done = cli("portability", kernels / "gemm.py", "--target", "h10", "--json")
    assert done.status == 2
    assert "h100" in done.json["error"]["message"]


def test_a_document_that_cannot_be_read(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def (:\n")
    done = cli("portability", path, "--json")
    assert done.status == 1
    assert (done.result["status"], done.result["targets"]) == ("fault", [])
