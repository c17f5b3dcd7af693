from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

SMALL = ("--set", "M=128", "--set", "N=128", "--set", "K=64")

SOURCES = {
    "sm_70": "mma",
    "sm_75": "mma",
    "sm_80": "cp_async",
    "sm_89": "cp_async",
    "sm_90a": "wgmma",
    "sm_100a": "__global__",
    "sm_120a": "__global__",
    "gfx942": "__global__",
    "gfx950": "__global__",
    "metal": "metal_stdlib",
}
# Products by mma and by wgmma, and the newest; the others are thorough.
ASSEMBLED = ("sm_80", "sm_90a", "sm_120a")
ALSO_ASSEMBLED = ("sm_75", "sm_89", "sm_100a")


@pytest.mark.thorough
def test_the_gemm_gives_source_for_every_gpu(cli: Any, kernels: Path) -> None:
    targets = [word for name in SOURCES for word in ("--target", name)]
    done = cli("compile", kernels / "gemm.py", *SMALL, *targets, "--emit", "source", "--json")
    assert done.status == 0, done.stdout
    found = {r["target"]: r["emitted"]["source"] for r in done.json["results"]}
    assert {name: word in found[name] for name, word in SOURCES.items()} == dict.fromkeys(
        SOURCES, True
    )


@pytest.mark.parametrize(
    "names", [ASSEMBLED, pytest.param(ALSO_ASSEMBLED, marks=pytest.mark.thorough)], ids="+".join
)
def test_the_gemm_gives_machine_code_and_registers_for_cuda(
    cli: Any, kernels: Path, names: tuple[str, ...]
) -> None:
    targets = [word for name in names for word in ("--target", name)]
    done = cli("compile", kernels / "gemm.py", *SMALL, *targets, "--emit", "ptx,sass", "--json")
    assert done.status == 0, done.stdout
    for result in done.json["results"]:
        assert f".target {result['target']}" in result["emitted"]["ptx"]
        assert "EXIT" in result["emitted"]["sass"]
        assert 16 <= result["resources"]["registers"] <= 255
        assert result["resources"]["spill_bytes"] == 0
        assert result["resources"]["source"].startswith("ptxas")


def test_the_ampere_path_on_hopper_is_assembled_for_hopper(cli: Any, kernels: Path) -> None:
    done = cli(
        "compile", kernels / "gemm.py", *SMALL, "--target", "h200:sm_80", "--emit", "ptx,sass",
        "--json",
    )  # fmt: skip
    assert done.status == 0, done.stdout
    assert ".target sm_80" in done.result["emitted"]["ptx"]
    assert ".target\tsm_90" in done.result["emitted"]["sass"]


def test_what_nvcc_does_not_know_is_said_and_the_source_still_given(
    cli: Any, kernels: Path
) -> None:
    words = ("--target", "v100", "--emit", "source,ptx", "--json")
    done = cli("compile", kernels / "gemm.py", *SMALL, *words)
    assert (done.status, done.result["status"]) == (2, "error")
    assert "sm_70" in done.result["error"]["message"]
    assert done.result["emitted"]["ptx"] is None
    assert "__global__" in done.result["emitted"]["source"]


def test_a_second_compile_comes_from_the_cache_of_the_first_process(
    cli: Any, cli_process: Any, kernels: Path
) -> None:
    words = ("compile", kernels / "softmax.py", "--case", "short", "--target", "a100", "--json")
    first, second = cli(*words).result, cli_process(*words).result
    assert (first["cached"], second["cached"]) == (False, True)
    assert first["resources"] == second["resources"]


BAD = {
    "syntax error": ("x = 1\ndef broken(:\n", 1, "line 2"),
    "raises on import": ("import tilelang\nraise ValueError('no cheese')\n", 1, "no cheese"),
    "empty": ("", 1, "empty"),
    "no kernel": ("x = 1\n", 1, "tilelang.jit"),
    "never returns": ("while True:\n    pass\n", 1, "time limit"),
    "kills its process": ("import os\nos.kill(os.getpid(), 9)\n", 1, "SIGKILL"),
    "allocates without end": ("h = []\nwhile True:\n    h.append(b'x' * 2**25)\n", 1, "memory"),
}
OF_THE_WORKER = {"kills its process", "allocates without end"}
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
KERNEL = "import tilelang\n\n@tilelang.jit\ndef k(N=4):\n    return None\n"


@pytest.mark.parametrize(
    "name",
    [
        # What a worker makes of a crash, and of memory that runs out, is tested with the worker.
        pytest.param(n, marks=pytest.mark.thorough if n in OF_THE_WORKER else ())
        for n in BAD
    ],
)
def test_a_bad_file_gets_a_message_and_a_status(cli: Any, tmp_path: Path, name: str) -> None:
    text, status, said = BAD[name]
    file = tmp_path / "document.py"
    whole = name in ("syntax error", "empty", "no kernel")
    file.write_text(text if whole else KERNEL + text)
    seconds = "120" if name == "allocates without end" else "2"  # memory must run out first
    done = cli("compile", file, "--timeout", seconds, "--memory", "1.5", "--json")
    assert done.status == status, done.stdout
    results = done.json["results"]
    error = results[0]["error"] if results else done.json["error"]
    line = f"line {error.get('line')}"
    assert said in f"{error['message']} {line}"


@pytest.mark.parametrize(
    ("content", "said"), [(bytes(range(256)) * 8, "binary"), (b"# " + b"x" * 10_000_000, "MiB")]
)
def test_a_file_that_is_no_document_is_refused(
    cli: Any, tmp_path: Path, content: bytes, said: str
) -> None:
    file = tmp_path / "document.py"
    file.write_bytes(content)
    done = cli("compile", file, "--json")
    assert done.status == 2
    assert said in done.json["error"]["message"]


def test_what_a_document_prints_does_not_reach_stdout(
    cli_process: Any, kernels: Path, tmp_path: Path
) -> None:
    noise = (
        "\nimport ctypes, os\nprint('noise')\nos.write(1, b'noise')\n"
        "ctypes.CDLL(None).puts(b'noise')\n"
    )
    file = tmp_path / "noisy.py"
    file.write_text((kernels / "softmax.py").read_text() + noise)
    words = ("--case", "short", "--target", "a100", "--emit", "tir", "--json")
    done = cli_process("compile", file, *words)
    assert done.status == 0
    assert done.result["emitted"]["tir"]
    assert "noise" not in done.stdout


def test_an_unknown_target_is_answered_with_the_nearest(cli: Any, kernels: Path) -> None:
    done = cli("compile", kernels / "gemm.py", "--target", "h20", "--json")
    assert done.status == 2
    assert "h200" in done.json["error"]["message"]


def test_a_missing_argument_is_answered_with_the_option_to_give(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "document.py"
    file.write_text("import tilelang\n\n@tilelang.jit\ndef k(M, N=1):\n    return None\n")
    done = cli("compile", file)
    assert done.status == 2
    assert "--set M=" in done.stderr


def test_an_illegal_tile_is_the_kernels_fault_at_its_line(cli: Any, kernels: Path) -> None:
    words = ("--set", "block_M=24", "--target", "a100", "--emit", "source", "--json")
    done = cli("compile", kernels / "gemm.py", *words)
    assert (done.status, done.result["status"]) == (1, "fault")
    (found,) = done.result["diagnostics"]
    assert found["code"] == "tensor-core-shape-illegal"
    assert "16 or 32" in found["help"]
    assert done.result["error"]["raw"]
    told = cli("compile", kernels / "gemm.py", *words[:-1])
    assert f"    help: {found['help']}\n" in told.stdout


def test_the_run_is_kept_where_the_document_belongs(
    cli: Any, kernels: Path, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    file = project / "softmax.py"
    file.write_text((kernels / "softmax.py").read_text())
    assert cli("compile", file, "--case", "short", "--emit", "tir").status == 0
    assert (project / ".workbench").is_dir()
    assert not (tmp_path / ".workbench").exists()


def test_a_damaged_block_is_the_documents_fault(cli: Any, kernels: Path) -> None:
    file = kernels / "gemm.py"
    file.write_text(file.read_text().replace("# [[case]]", "# [[case", 1))
    done = cli("compile", file, "--json")
    assert (done.status, done.result["status"]) == (1, "fault")
    assert "not valid TOML" in done.result["error"]["message"]
    assert done.result["diagnostics"][0]["code"] == "metadata-syntax"


def test_a_block_that_names_no_kernel_of_the_file_is_the_documents_fault(
    cli: Any, kernels: Path
) -> None:
    file = kernels / "softmax.py"
    text = file.read_text()
    assert '# kernel = "softmax"' in text
    file.write_text(text.replace('# kernel = "softmax"', '# kernel = "softmx"'))
    done = cli("compile", file, "--json")
    assert (done.status, done.result["status"]) == (1, "fault")
    assert "did you mean `softmax`" in done.result["error"]["message"]


def test_a_word_for_a_number_is_the_commands_fault(cli: Any, kernels: Path) -> None:
    done = cli("compile", kernels / "gemm.py", "--set", "M=abc", "--json")
    assert (done.status, done.json["results"]) == (2, [])
    assert "--set M=1024" in done.json["error"]["message"]


def test_the_table_tells_sizes_in_kib(cli: Any, kernels: Path) -> None:
    words = ("compile", kernels / "gemm.py", *SMALL, "--target", "a100")
    size = cli(*words, "--json").result["resources"]["shared_dynamic_bytes"]
    assert f"  {size // 1024} KiB  " in cli(*words).stdout


@pytest.mark.parametrize("command", ["verify", pytest.param("compile", marks=pytest.mark.thorough)])
def test_an_interrupted_command_leaves_a_cancelled_run(
    cli: Any, tmp_path: Path, command: str
) -> None:
    begun, file = tmp_path / "begun", tmp_path / "document.py"
    file.write_text(f"{KERNEL}open({str(begun)!r}, 'w')\nwhile True:\n    pass\n")
    words = [sys.executable, "-m", "workbench", command, str(file), "--json"]
    with subprocess.Popen(
        words, cwd=tmp_path, stdout=subprocess.PIPE, start_new_session=True, env=ENVIRONMENT
    ) as process:
        while not begun.exists():
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal's Ctrl+C, to all in the foreground
        try:
            printed, _ = process.communicate(timeout=240)
        finally:
            process.kill()  # one that goes on would be waited for without end
    assert process.returncode == 2
    assert json.loads(printed)["error"]["message"] == "interrupted"
    (run,) = cli("runs", "list", "--json").json["runs"]
    assert (run["kind"], run["status"]) == (command, "cancelled")
