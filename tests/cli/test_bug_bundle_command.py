"""A case that TileLang 0.1.15 cannot lower, from the suspicion to a script that shows it."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

# Three stages of a loop whose length depends on the block: a pass takes a difference for a number.
KERNEL = """\
import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def prefix(N=128, block=32, num_stages=3, threads=64):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), B: T.Tensor((N, block), "float32")):
        with T.Kernel(T.ceildiv(N, block), threads=threads) as bx:
            tile = T.alloc_shared((block, block), "float16")
            total = T.alloc_fragment((block, block), "float32")
            T.clear(total)
            for k in T.Pipelined(bx + 1, num_stages=num_stages):
                T.copy(A[bx * block, k * block], tile)
                T.gemm(tile, tile, total, transpose_B=True)
            T.copy(total, B[bx * block, 0])

    return main


def ref_program(A):
    block, rows = 32, []
    for b in range(A.shape[0] // block):
        row = A[b * block : (b + 1) * block, : (b + 1) * block].float()
        rows.append(row @ row.T)
    return torch.cat(rows)
"""
WRONG = KERNEL.replace("            T.clear(total)\n", "")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "prefix.py"
    path.write_text(KERNEL)
    return path


@pytest.mark.thorough
def test_a_compiler_that_gives_up_on_a_right_kernel(
    cli_process: Any, document: Path, tmp_path: Path
) -> None:
    bundle = tmp_path / "out.zip"
    done = cli_process("bug-bundle", document, "--target", "sm_80", "-o", bundle, "--json")
    assert done.status == 0, done.stdout + done.stderr
    found = done.result
    (suspicion,) = found["suspicions"]
    assert (suspicion["kind"], suspicion["strong"]) == ("internal-error", True)
    assert "Downcast from tirx.Sub" in suspicion["message"]
    assert found["smallest_args"]["N"] <= 128
    assert found["bundle"] == str(bundle)

    folder = tmp_path / "opened"
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(folder)
    texts = {p: p.read_text() for p in folder.rglob("*") if p.is_file()}
    assert not [path for path, text in texts.items() if str(tmp_path) in text]
    assert len([path for path in texts if path.parent.name == "passes"]) > 10
    assert "T.gemm" in (folder / "ir" / "tile.tir").read_text()

    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    shown = subprocess.run(
        [sys.executable, "reproduce.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 1, shown.stdout + shown.stderr
    assert "Downcast from tirx.Sub" in shown.stderr
    assert "reproduced" in shown.stdout


def test_a_kernel_at_fault_gets_no_bundle(cli: Any, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(WRONG)
    done = cli("bug-bundle", path, "--target", "sm_80", "-o", tmp_path / "out.zip", "--json")
    assert done.status == 1
    assert done.result["conclusion"].startswith("The kernel itself is at fault: ")
    assert done.result["suspicions"] == []
    assert not (tmp_path / "out.zip").exists()


def test_one_case_and_one_target(cli: Any, document: Path, tmp_path: Path) -> None:
    done = cli("bug-bundle", document, "--target", "a100,h100", "-o", tmp_path / "out.zip")
    assert done.status == 2
    assert "one target" in done.stderr
