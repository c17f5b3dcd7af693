from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.cli.verify_command import with_way_out
from workbench.core.jobs import Failure

SQUARE = ("--set", "M=1024", "--set", "N=1024", "--set", "K=1024")


def test_the_gemm_passes_in_the_simulator(cli: Any, kernels: Path) -> None:
    done = cli("verify", kernels / "gemm.py", *SQUARE, "--on", "simulator", "--json")
    (output,) = done.result["outputs"]
    assert (done.status, done.result["status"]) == (0, "pass")
    assert done.result["reference"] == "float64"
    assert output["rel_fro"] < 1e-3
    assert any("pipelining" in caveat for caveat in done.result["caveats"])


def test_an_accumulator_that_starts_at_1_is_a_mismatch(
    cli: Any, kernels: Path, tmp_path: Path
) -> None:
    file = tmp_path / "gemm.py"
    text = (kernels / "gemm.py").read_text()
    assert text.count("T.clear(C_local)") == 1
    file.write_text(text.replace("T.clear(C_local)", "T.fill(C_local, 1)"))
    done = cli("verify", file, *SQUARE, "--json")
    (output,) = done.result["outputs"]
    assert (done.status, done.result["status"]) == (1, "mismatch")
    assert output["mismatched"] > output["total"] // 2
    worst = output["worst"][0]
    assert abs(worst["got"] - worst["expected"]) == pytest.approx(1, abs=0.3)


@pytest.mark.parametrize("name", ["elementwise_add", "softmax", "rms_norm"])
def test_every_case_of_a_shipped_kernel_passes(cli: Any, kernels: Path, name: str) -> None:
    done = cli("verify", kernels / f"{name}.py", "--case", "all", "--json")
    assert done.status == 0, done.stdout
    assert {r["status"] for r in done.json["results"]} == {"pass"}


def test_the_cpu_gemm_runs_as_compiled_c(cli: Any, kernels: Path) -> None:
    done = cli("verify", kernels / "gemm_cpu.py", "--on", "cpu", "--case", "all", "--json")
    assert done.status == 0, done.stdout
    assert [r["status"] for r in done.json["results"]] == ["pass", "pass"]
    assert all(r["caveats"] == [] for r in done.json["results"])


def test_every_seed_is_a_result(cli: Any, kernels: Path) -> None:
    done = cli("verify", kernels / "softmax.py", "--case", "short", "--seeds", "3", "--json")
    assert [r["seed"] for r in done.json["results"]] == [0, 1, 2]


def test_an_output_that_nobody_writes_does_not_pass(
    cli: Any, kernels: Path, tmp_path: Path
) -> None:
    file = tmp_path / "softmax.py"
    text = (kernels / "softmax.py").read_text()
    assert text.count("T.copy(scaled, Y") == 1
    file.write_text(text.replace("T.copy(scaled, Y", "T.copy(scaled, X"))
    done = cli("verify", file, "--case", "short", "--json")
    assert done.status == 1
    assert done.result["outputs"][0]["nonfinite"] == done.result["outputs"][0]["total"]


def test_a_document_without_a_reference_says_what_to_add(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "document.py"
    file.write_text(
        "import tilelang\nimport tilelang.language as T\n\n\n"
        "@tilelang.jit(out_idx=[-1])\ndef k(N=64):\n    @T.prim_func\n"
        "    def main(A: T.Tensor((N,), 'float32'), B: T.Tensor((N,), 'float32')):\n"
        "        with T.Kernel(1, threads=64) as bx:\n"
        "            for i in T.Parallel(N):\n                B[i] = A[i]\n    return main\n"
    )
    done = cli("verify", file, "--json")
    assert (done.status, done.result["status"]) == (1, "error")
    assert "ref_program" in done.result["error"]["message"]


def test_a_reference_of_another_shape_is_said(cli: Any, kernels: Path, tmp_path: Path) -> None:
    file = tmp_path / "softmax.py"
    text = (kernels / "softmax.py").read_text()
    file.write_text(text.replace(".to(X.dtype)", ".to(X.dtype).reshape(-1, 2)"))
    done = cli("verify", file, "--case", "short", "--json")
    assert (done.status, done.result["status"]) == (1, "error")
    assert "shape" in done.result["error"]["message"]


def test_a_sample_is_never_called_a_pass(cli: Any, kernels: Path) -> None:
    words = ("verify", kernels / "gemm.py", *SQUARE, "--sample", "12")
    done = cli(*words, "--json")
    assert (done.status, done.result["status"]) == (0, "sampled-pass")
    assert done.result["sample"] == {
        "blocks_run": 12,
        "blocks_total": 64,
        "text": "sampled 12 of 64 blocks",
    }
    assert done.result["outputs"][0]["total"] == 12 * 128 * 128
    assert "note: sampled 12 of 64 blocks; nothing is said of the others" in cli(*words).stdout
    listed = cli("runs", "list").stdout
    assert "sampled 12 of 64 blocks" in listed


def test_the_kind_of_wrong_is_told(cli: Any, kernels: Path, tmp_path: Path) -> None:
    file = tmp_path / "gemm.py"
    text = (kernels / "gemm.py").read_text()
    assert text.count("T.ceildiv(K, block_K), num") == 1
    file.write_text(text.replace("T.ceildiv(K, block_K), num", "T.ceildiv(K, block_K) - 1, num"))
    done = cli("verify", file, *SQUARE, "--json")
    signature = done.result["outputs"][0]["signature"]
    assert (signature["code"], signature["confidence"]) == ("k-step", "strong")
    assert signature["evidence"]["way"] == "missing"
    printed = cli("verify", file, *SQUARE).stdout
    assert "K step 32 of 32 is missing, 32 along K a step" in printed


def test_checks_can_be_left_out(cli: Any, tmp_path: Path, kernels: Path) -> None:
    text = (kernels / "gemm.py").read_text()
    path = tmp_path / "gemm.py"
    path.write_text(text.replace("T.clear(C_local)", "pass"))
    words = ("verify", path, "--set", "M=64", "--set", "N=128", "--set", "K=64", "--json")
    checked, plain = cli(*words), cli(*words, "--checks", "off")
    assert (checked.status, checked.result["checks"]) == (1, True)
    assert (plain.status, plain.result["checks"]) == (1, False)
    codes = [{each["code"] for each in done.result["diagnostics"]} for done in (checked, plain)]
    assert codes[0] - codes[1] == {"gemm-uninitialized-accumulator"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--three-way",), "--three-way is for a GPU"),
        (("--sanitize", "memcheck"), "--sanitize is for a GPU"),
        (("--on", "local", "--sanitize", "memcheck,leaks"), "there is no 'leaks', only memcheck"),
    ],
)
def test_what_needs_a_gpu_is_refused_elsewhere(
    cli: Any, kernels: Path, words: tuple[str, ...], said: str
) -> None:
    done = cli("verify", kernels / "gemm.py", *words)
    assert done.status == 2
    assert said in done.stderr


@pytest.mark.skipif(
    any(Path(node).exists() for node in ("/dev/nvidiactl", "/dev/kfd")), reason="there is a GPU"
)
def test_a_machine_without_a_gpu_is_told(cli: Any, kernels: Path) -> None:
    words = ("verify", kernels / "gemm.py", "--on", "local", "--three-way", "--json")
    done = cli(*words, "--sanitize", "memcheck,racecheck")
    assert (done.status, done.result["status"]) == (2, "error")
    assert "no GPU on this machine" in done.result["error"]["message"]
    assert done.result["three_way"] is None
    assert done.result["sanitized"] == {}


def test_a_simulation_that_ran_out_of_time_tells_of_a_sample() -> None:
    failure = Failure("timeout", "stopped after its time limit of 300 s")
    told = with_way_out(failure, "gpu1:simulator")
    assert told is not None
    assert told.message.startswith("stopped after its time limit of 300 s: --sample 64 ")
    memory = with_way_out(Failure("memory", "stopped at its memory limit of 8 GiB"), "simulator")
    assert memory is not None
    assert "--memory" in memory.message
    assert with_way_out(failure, "local") is failure
    assert with_way_out(None, "simulator") is None
