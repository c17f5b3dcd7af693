"""Registers filled by ldmatrix and multiplied by mma, against a product of whole matrices."""

# ruff: noqa: N803, N806, N812 - kernels are written in TileLang's own style

import numpy as np
import pytest
import tilelang
import tilelang.language as T
import torch

from workbench.engine.simulator.matrix_instructions import matrix_rows


def product(dtype, accumulator, depth, transposed):
    """A warp that computes 16x16 += 16xdepth @ depthx16 with TileLang's own emitter."""
    from tilelang.cuda.intrinsics.macro.mma_macro_generator import TensorCoreIntrinEmitter

    emitter = TensorCoreIntrinEmitter(
        a_dtype=dtype,
        b_dtype=dtype,
        accum_dtype=accumulator,
        b_transposed=transposed,
        block_row_warps=1,
        block_col_warps=1,
        warp_row_tiles=16,
        warp_col_tiles=16,
        chunk=depth,
    )
    shape = (16, depth) if transposed else (depth, 16)

    @tilelang.jit
    def kernel():
        @T.prim_func
        def main(
            A: T.Tensor((16, depth), dtype),
            B: T.Tensor(shape, dtype),
            C: T.Tensor((16, 16), accumulator),
        ):
            with T.Kernel(1, threads=32):
                A_shared = T.alloc_shared((16, depth), dtype)
                B_shared = T.alloc_shared(shape, dtype)
                C_shared = T.alloc_shared((16, 16), accumulator)
                A_local = T.alloc_local((16 * depth // 32,), dtype)
                B_local = T.alloc_local((16 * depth // 32,), dtype)
                C_local = T.alloc_local((8,), accumulator)
                T.copy(A, A_shared)
                T.copy(B, B_shared)
                T.clear(C_local)
                emitter.ldmatrix_a(A_local, A_shared, 0)
                emitter.ldmatrix_b(B_local, B_shared, 0)
                emitter.mma(A_local, B_local, C_local)
                emitter.stmatrix(C_local, C_shared)
                T.copy(C_shared, C)

        return main

    return kernel


@pytest.mark.parametrize(
    ("dtype", "accumulator", "depth", "transposed"),
    [
        ("float16", "float32", 16, True),
        ("float16", "float32", 16, False),
        ("bfloat16", "float32", 16, True),
        ("float16", "float16", 16, True),
        ("int8", "int32", 32, True),
    ],
)
def test_a_warp_multiplies_what_it_loaded(build, simulate, dtype, accumulator, depth, transposed):
    a = torch.randint(-4, 5, (16, depth)).to(getattr(torch, dtype))
    b = torch.randint(-4, 5, (16, depth) if transposed else (depth, 16)).to(a.dtype)
    program = build(product(dtype, accumulator, depth, transposed))
    result = simulate(program, a, b).tensors[2]
    wide = b.double().T if transposed else b.double()
    assert torch.equal(result.double(), a.double() @ wide)


def test_threads_get_two_elements_of_a_row_of_the_matrix_that_a_thread_named():
    named_by, column = matrix_rows(64, 4, 2, False)
    assert named_by.shape == (64, 8)
    assert named_by[5].tolist() == [1, 1, 9, 9, 17, 17, 25, 25]
    assert column[5].tolist() == [2, 3] * 4
    assert np.array_equal(named_by[32:], named_by[:32] + 32)


def test_transposed_a_thread_gets_two_elements_of_a_column():
    named_by, column = matrix_rows(32, 2, 2, True)
    assert named_by[5].tolist() == [2, 3, 10, 11]
    assert column[5].tolist() == [1] * 4
