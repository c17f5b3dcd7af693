import os
import tilelang
import tilelang.language as T

if os.environ.get("BIG"):
    BM = 24
else:
    BM = 64


@tilelang.jit(out_idx=[2])
def mm(M=256, N=256, K=256):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(N // 64, M // BM, threads=128) as (bx, by):
            a = T.alloc_shared((BM, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((BM, 64), "float32")
            for k in T.Pipelined(K // 32, num_stages=2):
                T.copy(A[by * BM, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c, clear_accum=(k == 0))
            T.copy(c, C[by * BM, bx * 64])

    return main
