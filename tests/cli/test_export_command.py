from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any


def test_a_kernel_for_nvidia_is_written_whole(cli: Any, kernels: Path, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    done = cli("export", kernels / "gemm.py", "--target", "h200", "-o", folder, "--json")
    assert done.status == 0, done.stdout + done.stderr
    found = done.result
    assert (found["status"], found["missing"], found["folder"]) == ("ok", {}, str(folder))
    assert set(found["files"]) == {path.name for path in folder.iterdir()}
    assert (folder / "kernel.cubin").read_bytes()[:4] == b"\x7fELF"
    launch = json.loads((folder / "launch.json").read_text())
    assert [each["swizzle"] for each in launch["tensor_maps"]] == [2, 3]
    assert launch["launches"][0]["grid"] == [8, 8, 1]
    assert (folder / "gemm.py").read_bytes() == (kernels / "gemm.py").read_bytes()


def test_a_kernel_for_the_cpu_verifies_without_the_workbench(
    cli: Any, kernels: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    words = ("--case", "flat", "--set", "block_N=32", "--target", "cpu", "-o", folder)
    done = cli("export", kernels / "gemm_cpu.py", *words)
    assert done.status == 0, done.stdout + done.stderr
    assert "6 files, see README.md in it" in done.stdout
    assert "no cubin: no compiler here makes machine code for cpu" in done.stdout
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_matmul.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert tested.returncode == 0, tested.stdout + tested.stderr
    assert "3 passed" in tested.stdout  # the document's two, and the one with the arguments given


def test_an_export_is_replaced_and_other_folders_are_not(
    cli: Any, kernels: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    command = ("export", kernels / "gemm_cpu.py", "--target", "cpu", "-o", folder)
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    refused = cli(*command)
    assert refused.status == 2
    assert "not empty and holds no earlier export" in refused.stderr
    assert cli(*command, "--force").status == 0
    assert cli(*command).status == 0
    assert (folder / "mine.txt").read_text() == "mine"


def test_one_case_and_one_target(cli: Any, kernels: Path, tmp_path: Path) -> None:
    done = cli("export", kernels / "gemm.py", "--target", "a100,h100", "-o", tmp_path / "out")
    assert done.status == 2
    assert "name one of each" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_kernel_at_fault_is_not_exported(cli: Any, kernels: Path, tmp_path: Path) -> None:
    path = kernels / "gemm_cpu.py"
    path.write_text(path.read_text().replace("T.alloc_local", "T.alloc_lokal", 1))
    done = cli("export", path, "--target", "cpu", "-o", tmp_path / "out", "--json")
    assert done.status == 1
    assert done.result["status"] == "fault"
    assert done.result["files"] == []
    assert not (tmp_path / "out").exists()


def test_a_document_that_cannot_be_read_is_told(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def kernel(:\n")
    done = cli("export", path, "-o", tmp_path / "out", "--json")
    assert done.status == 1
    assert done.result["folder"] is None
