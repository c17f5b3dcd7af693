"""The Ascend dialect: cube and vector cores, SIMT regions, and SIMD registers."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import tilelang
import tilelang.ascend.language as T
import torch

ASCEND = "ascend"


def values(*shape, dtype=torch.float32, seed=11):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def test_gemm_with_an_epilogue_on_both_vector_cores(build, simulate):
    @tilelang.jit(target="ascend")
    def gemm(M=128, N=128, K=64, block=64):
        @T.prim_func
        def main(
            A: T.Tensor((M, K), "bfloat16"),
            B: T.Tensor((N, K), "bfloat16"),
            C: T.Tensor((M, N), "float32"),
        ):
            with T.Kernel(4) as bx:
                a = T.alloc_l1((block, 32), "bfloat16")
                b = T.alloc_l1((block, 32), "bfloat16")
                c = T.alloc_l0c((block, block), "float32")
                half = T.alloc_shared((block // 2, block), "float32")
                m = bx // 2 * block
                n = bx % 2 * block
                for k in T.Pipelined(K // 32, num_stages=2):
                    T.copy(A[m, k * 32], a)
                    T.copy(B[n, k * 32], b)
                    T.gemm(a, b, c, transpose_B=True, clear_accum=(k == 0))
                T.dual_copy(c, half)
                with T.SimtVF(threads=128):
                    for i, j in T.Parallel(block // 2, block):
                        half[i, j] = T.max(half[i, j], 0)
                T.dual_copy(half, C[m : m + block, n : n + block])

        return main

    a, b = values(128, 64, dtype=torch.bfloat16), values(128, 64, dtype=torch.bfloat16, seed=12)
    outcome = simulate(build(gemm, lowering=ASCEND), a, b)
    expected = torch.relu(a.double() @ b.double().T)
    torch.testing.assert_close(outcome.tensors[2].double(), expected, rtol=1e-4, atol=1e-4)
    assert outcome.report.findings == ()


def test_threads_of_a_simt_region(build, simulate):
    @tilelang.jit(target="ascend")
    def reversed_rows():
        @T.prim_func
        def main(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")):
            with T.Kernel(4) as bx:
                a = T.alloc_shared((64,), "float32")
                b = T.alloc_shared((64,), "float32")
                T.copy(A[bx, :], a)
                with T.SimtVF(threads=64):
                    tx = T.get_thread_binding(0)
                    b[tx] = a[63 - tx]
                T.copy(b, B[bx, :])

        return main

    a = values(4, 64)
    assert torch.equal(simulate(build(reversed_rows, lowering=ASCEND), a).tensors[1], a.flip(1))


def test_simd_registers(build, simulate):
    @tilelang.jit(target="ascend")
    def summed(N=1024):
        @T.prim_func
        def main(
            A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")
        ):
            with T.Kernel(4) as bx:
                a = T.alloc_shared((256,), "float32")
                b = T.alloc_shared((256,), "float32")
                T.copy(A[bx * 256 : bx * 256 + 256], a)
                T.copy(B[bx * 256 : bx * 256 + 256], b)
                with T.SimdVF():
                    for i in T.serial(4):
                        x = T.simd.vld(a[i * 64])
                        y = T.simd.vld(b[i * 64])
                        T.simd.vsts(b[i * 64], T.simd.vmuls(T.simd.vadd(x, y), T.float32(2)))
                T.copy(b, C[bx * 256 : bx * 256 + 256])

        return main

    a, b = values(1024), values(1024, seed=12)
    outcome = simulate(build(summed, lowering=ASCEND), a, b)
    assert torch.equal(outcome.tensors[2], (a + b) * 2)


def test_simd_predicate_and_reduction(build, simulate):
    @tilelang.jit(target="ascend")
    def first_sum():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                a = T.alloc_shared((64,), "float32")
                b = T.alloc_shared((64,), "float32")
                T.copy(A, a)
                with T.SimdVF():
                    some = T.simd.pset(32, "PAT_VL8")
                    every = T.simd.pset(32, "PAT_ALL")
                    T.simd.vsts(b[0], T.simd.vcadd(T.simd.vld(a[0]), some), every)
                T.copy(b, B)

        return main

    a = torch.arange(64, dtype=torch.float32)
    assert simulate(build(first_sum, lowering=ASCEND), a).tensors[1].tolist() == [28.0] + [0.0] * 63
