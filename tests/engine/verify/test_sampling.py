"""Verifying a sample of blocks: what is compared, what is said, and when it is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.core.data_files import find_data
from workbench.core.jobs import BlockSample, KernelChoice, Source, VerifyRequest, VerifyResult
from workbench.core.targets.table import load_targets
from workbench.engine.verify.job import verify

GEMM = find_data("kernels") / "gemm.py"
SIZES = {"M": 520, "N": 512, "K": 64, "block_M": 32, "block_N": 32, "block_K": 32}
HEADER = """
import tilelang
import tilelang.language as T

"""
ATOMIC = (
    HEADER
    + """
@tilelang.jit
def kernel(N=1024):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((1,), "float32")):
        with T.Kernel(N // 128, threads=128) as bx:
            for i in T.Parallel(128):
                T.atomic_add(B[0], A[bx * 128 + i])
    return main
"""
)
TWO_LAUNCHES = (
    HEADER
    + """
@tilelang.jit
def kernel(N=1024):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 128, threads=128) as bx:
            for i in T.Parallel(128):
                B[bx * 128 + i] = A[bx * 128 + i]
        with T.Kernel(N // 128, threads=128) as by:
            for i in T.Parallel(128):
                B[by * 128 + i] = A[by * 128 + i]
    return main
"""
)
STRIDED = (
    HEADER
    + """
@tilelang.jit(out_idx=[-1])
def kernel(N=1024):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(8, threads=128) as bx:
            for i in T.Parallel(128):
                B[i * 8 + bx] = A[i * 8 + bx]
    return main
"""
)


def run(
    text: str, kernel: str, args: dict[str, Any], sample: int = 16, **more: Any
) -> tuple[VerifyResult, list[bytes]]:
    request = VerifyRequest(
        source=Source(str(GEMM), text, str(GEMM.parent), trusted=True),
        kernel=KernelChoice(kernel, "lazy", args),
        target=load_targets().resolve("a100").to_json(),
        reference="ref_program",
        sample=sample,
    )
    return verify(replace(request, **more), lambda text, fraction: None)


def test_a_sample_compares_the_elements_of_its_blocks() -> None:
    result, blobs = run(GEMM.read_text(), "matmul", SIZES, details=True)
    assert result.failure is None, result.failure
    assert result.sample == BlockSample(16, 272)
    assert result.sample.text == "sampled 16 of 272 blocks"
    (seed,) = result.seeds
    (output,) = seed.outputs
    assert seed.passed
    assert output.owners_blob is not None
    owners = np.frombuffer(blobs[output.owners_blob], np.int32).reshape(17, 16)
    assert (owners >= 0).sum() == 16
    assert owners[0, 0] == 0
    assert owners[16, 15] == 271  # a corner, and of 8 rows only
    last_row = int((owners[16] >= 0).sum())
    assert output.total == (16 - last_row) * 32 * 32 + last_row * 8 * 32
    assert output.max_abs is not None


def test_seeds_draw_other_blocks() -> None:
    result, blobs = run(GEMM.read_text(), "matmul", SIZES, details=True, seeds=(0, 1))
    first, second = (seed.outputs[0].owners_blob for seed in result.seeds)
    assert first is not None
    assert second is not None
    assert blobs[first] != blobs[second]


def test_a_wrong_block_of_the_sample_is_found_and_said_to_be_sampled() -> None:
    text = GEMM.read_text()
    assert text.count("T.clear(C_local)") == 1
    broken = text.replace("T.clear(C_local)", "T.fill(C_local, T.if_then_else(bx == 15, 9, 0))")
    result, _ = run(broken, "matmul", SIZES)
    (output,) = result.seeds[0].outputs
    assert 0 < output.mismatched < output.total
    (problem,) = [d for d in result.diagnostics if d.code == "reference-mismatch"]
    assert "sampled 16 of 272 blocks" in problem.message
    assert [s.code for s in output.signatures] == ["offset"]


def test_a_sample_of_all_blocks_is_none() -> None:
    result, _ = run(GEMM.read_text(), "matmul", SIZES, sample=272)
    assert result.sample is None
    assert result.seeds[0].outputs[0].total == 520 * 512


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (ATOMIC, "reads and writes B"),
        (TWO_LAUNCHES, "2 launches"),
        (STRIDED, "do not each write a tile of B of their own"),
    ],
)
def test_dependent_blocks_refuse_a_sample(tmp_path: Path, text: str, why: str) -> None:
    reference = "\ndef ref_program(A):\n    return A\n"
    result, _ = run(text + reference, "kernel", {"N": 1024}, sample=4)
    assert result.failure is not None
    assert result.failure.kind == "environment"
    assert why in result.failure.message
    assert result.failure.message.endswith("verify all of its blocks")
    assert result.seeds == ()


def test_blocks_that_write_nothing_are_no_pass() -> None:
    text = GEMM.read_text().replace(
        "            T.copy(C_local, C[by * block_M, bx * block_N])", "            pass"
    )
    result, _ = run(text, "matmul", SIZES)
    assert result.failure is not None
    assert "none of the 16 blocks that ran wrote any of C" in result.failure.message
