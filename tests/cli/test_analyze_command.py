from __future__ import annotations

from pathlib import Path
from typing import Any

from workbench.cli.analysis_json import PARTS, kernel_json
from workbench.core.analysis.kernel_analysis import KernelAnalysis

SMALL = ("--set", "M=256", "--set", "N=256", "--set", "K=64")
TOTALS = ("load", "store", "atomic", "async_copy", "tensor")
TOTAL = {"instructions", "wavefronts", "ideal", "conflicts", "known", "unknown_sites"}


def test_a_gemm_is_told_in_the_form_of_scripts(cli: Any, kernels: Path) -> None:
    done = cli("analyze", kernels / "gemm.py", *SMALL, "--target", "h200", "--json")
    assert done.status == 0, done.stdout
    found = done.result
    assert (found["status"], found["error"], found["target"]) == ("ok", None, "h200")
    assert found["grid"][0] >= 1
    assert found["resources"]["source"].startswith("ptxas")
    assert set(found["occupancy"]["limits"]) >= {
        "warps",
        "blocks",
        "registers",
        "shared_memory",
        "barriers",
    }
    assert found["occupancy"]["carveout_source"].startswith("assumed")
    assert set(found["shared"]["totals"]) == set(TOTALS)
    assert set(found["shared"]["totals"]["tensor"]) >= TOTAL
    assert found["shared"]["totals"]["tensor"]["wavefronts"] > 0
    assert 1 < found["estimate"]["time_us"] < 100
    assert found["estimate"]["bound"]
    assert found["flops"]["tensor"] == 2 * 256 * 256 * 64
    assert found["global"]["unique_load_bytes"] == 2 * 256 * 64 * 2
    assert found["global"]["store_bytes"] == 256 * 256 * 2
    instructions = " ".join(str(row["instruction"]) for row in found["operations"])
    assert "wgmma" in instructions
    assert "TMA" in instructions


def test_level_1_compiles_nothing_and_says_what_is_unknown(cli: Any, kernels: Path) -> None:
    done = cli("analyze", kernels / "gemm.py", *SMALL, "--target", "a100", "--level", "1", "--json")
    assert done.status == 0, done.stdout
    found = done.result
    assert found["resources"]["registers"] is None
    assert found["occupancy"]["fraction"] is None
    assert found["occupancy"]["limits"]["shared_memory"] >= 1
    assert "--level 2" in found["missing"]["registers"]
    assert found["shared"]["level"] == 1


def test_one_result_for_each_target_and_each_says_what_it_cannot(cli: Any, kernels: Path) -> None:
    names = ("mi300x", "metal", "cpu")
    targets = [word for name in names for word in ("--target", name)]
    done = cli("analyze", kernels / "gemm.py", *SMALL, *targets, "--json")
    found = {result["target"]: result for result in done.json["results"]}
    assert list(found) == list(names)
    assert "AMD" in found["mi300x"]["missing"]["registers"]
    assert found["mi300x"]["occupancy"]["limits"]["shared_memory"] >= 1
    assert found["metal"]["occupancy"] is None
    assert "not known" in found["metal"]["missing"]["occupancy"]
    assert found["mi300x"]["estimate"] is None
    assert "NVIDIA" in found["mi300x"]["missing"]["estimate"]


def test_the_text_begins_with_the_conclusion(cli: Any, kernels: Path) -> None:
    done = cli("analyze", kernels / "gemm.py", *SMALL, "--target", "a100", "--carveout", "167936")
    assert done.status == 0, done.stdout
    first = done.stdout.splitlines()[0]
    assert "on a100" in first
    assert "occupancy" in first
    assert "limited by" in first
    assert "carve-out 164 KiB: given" in done.stdout
    assert "mma.sync" in done.stdout


def test_an_analysis_is_kept_as_a_prediction(cli: Any, kernels: Path) -> None:
    done = cli("analyze", kernels / "gemm.py", *SMALL, "--target", "a100", "--json")
    shown = cli("runs", "show", done.result["run"], "--json")
    text = shown.stdout
    assert '"predict"' in text
    assert '"occupancy"' in text


def test_too_much_shared_memory_is_the_kernels_fault(cli: Any, kernels: Path) -> None:
    large = ("--set", "block_M=256", "--set", "block_N=256", "--set", "num_stages=6")
    done = cli(
        "analyze",
        kernels / "gemm.py",
        *SMALL,
        *large,
        "--target",
        "sm_86",
        "--level",
        "1",
        "--json",
    )
    assert done.status == 1, done.stdout
    codes = [each["code"] for each in done.result["diagnostics"]]
    assert "shared-memory-over-limit" in codes
    assert done.result["occupancy"]["reasons"]


def test_a_document_that_cannot_be_read_has_every_part(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def (:\n")
    done = cli("analyze", path, "--json")
    assert done.status == 1
    assert {name: done.result[name] for name in PARTS} == dict.fromkeys(PARTS)


def test_the_names_of_the_parts_are_those_of_a_kernel() -> None:
    empty = KernelAnalysis("main", (1, 1, 1), (1, 1, 1))
    assert tuple(kernel_json(empty, None)) == PARTS
