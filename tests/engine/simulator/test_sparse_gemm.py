"""Products with a left factor of which only the elements that are not zero are stored."""

# ruff: noqa: N803, N806, N812 - kernels are written in TileLang's own style

import numpy as np
import pytest
import tilelang
import tilelang.language as T
import torch

from workbench.engine.simulator.sparse_gemm import expanded

M, N, K = 64, 32, 64


def compressed(dense, bits):
    """The stored elements of a 2:4 sparse matrix, and two bits for the place of each."""
    groups = dense.view(M, K // 4, 4)
    order = torch.argsort((groups != 0).int(), dim=-1, stable=True)[..., 2:].sort(-1).values
    stored = torch.gather(groups, -1, order).reshape(M, K // 2)
    nibbles = (order[..., 0] | order[..., 1] << 2).reshape(M, -1, bits // 4)
    words = sum(nibbles[..., at].long() << 4 * at for at in range(bits // 4))
    signed = torch.where(words >= 1 << (bits - 1), words - (1 << bits), words)
    return stored, signed.to(getattr(torch, f"int{bits}"))


def half_empty(dtype):
    dense = torch.randint(1, 5, (M, K // 4, 4))
    kept = torch.rand(M, K // 4, 4).argsort(-1) < 2
    return (dense * kept).reshape(M, K).to(dtype)


@tilelang.jit
def sparse(dtype, accumulator, bits, flipped):
    shapes = [(M, K // 2), (M, K // bits), (K, N)]
    shapes = [shape[::-1] if flipped else shape for shape in shapes]

    @T.prim_func
    def main(
        A: T.Tensor(shapes[0], dtype),
        E: T.Tensor(shapes[1], f"int{bits}"),
        B: T.Tensor(shapes[2], dtype),
        C: T.Tensor((M, N), accumulator),
    ):
        with T.Kernel(1, threads=128):
            A_shared = T.alloc_shared(shapes[0], dtype)
            E_shared = T.alloc_shared(shapes[1], f"int{bits}")
            B_shared = T.alloc_shared(shapes[2], dtype)
            C_local = T.alloc_fragment((M, N), accumulator)
            T.copy(A, A_shared)
            T.copy(E, E_shared)
            T.copy(B, B_shared)
            T.fill(C_local, 3)
            T.gemm_sp(A_shared, E_shared, B_shared, C_local, flipped, flipped, flipped)
            T.copy(C_local, C)

    return main


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize(
    ("dtype", "accumulator", "bits"),
    [("float16", "float32", 16), ("bfloat16", "float32", 8), ("int8", "int32", 32)],
)
def test_what_is_not_stored_counts_as_zero(build, simulate, dtype, accumulator, bits, flipped):
    dense = half_empty(getattr(torch, dtype))
    b = torch.randint(-4, 5, (K, N)).to(dense.dtype)
    given = [*compressed(dense, bits), b]
    if flipped:
        given = [each.T.contiguous() for each in given]
    program = build(sparse, dtype=dtype, accumulator=accumulator, bits=bits, flipped=flipped)
    result = simulate(program, *given).tensors[3]
    assert torch.equal(result.double(), dense.double() @ b.double() + 3)


def test_of_32_bits_one_element_of_two_is_stored():
    stored = np.array([[5.0, 7.0]], np.float32)
    assert expanded(stored, np.array([[0b1110_0100]], np.uint8)).tolist() == [[5, 0, 0, 7]]
