"""Kernels of 4-bit floats: inputs drawn as bytes, or made as torch's pairs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from workbench.core.jobs import KernelChoice, Source, VerifyRequest
from workbench.core.targets.table import load_targets
from workbench.engine.verify.job import verify

DOCUMENT = """
import torch
import tilelang
import tilelang.language as T

VALUES = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]

@tilelang.jit(out_idx=[-1])
def widen(M=32, N=64):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float4_e2m1fn"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=128) as by:
            for j in T.Parallel(N):
                B[by, j] = T.cast(A[by, j], "float32")
    return main

def ref_program(A):
    data = A.view(torch.uint8)
    halves = torch.stack([data & 15, data >> 4], -1).reshape(A.shape[0], -1).long()
    table = torch.tensor(VALUES)
    return table[halves & 7] * torch.where(halves >= 8, -1.0, 1.0)
"""
PAIRS = """
def make_inputs(M, N):
    return torch.randint(0, 256, (M, N // 2), dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
"""


@pytest.mark.parametrize("made", [False, True])
def test_a_kernel_of_4_bit_floats_verifies(tmp_path: Path, made: bool) -> None:
    if made and not hasattr(torch, "float4_e2m1fn_x2"):
        pytest.skip("this torch has no pairs of 4-bit floats")
    path = tmp_path / "widen.py"
    path.write_text(DOCUMENT + (PAIRS if made else ""))
    request = VerifyRequest(
        source=Source(str(path), path.read_text(), str(tmp_path), trusted=True),
        kernel=KernelChoice("widen", "lazy", {"M": 32, "N": 64}),
        target=load_targets().resolve("b200").to_json(),
        reference="ref_program",
    )
    result, _ = verify(request, lambda text, fraction: None)
    assert result.failure is None, result.failure
    assert result.seeds[0].passed
    assert result.reference_method == "float64"
