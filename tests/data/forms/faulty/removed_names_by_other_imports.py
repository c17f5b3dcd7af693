import tilelang as tl
from tilelang.language import gemm_v2 as product, Pipelined  # <- removed-api
import tilelang.language as T

BACKEND = "dlpack"


@tl.jit(out_idx=[2], execution_backend=BACKEND)  # <- removed-api
def mm(M=256, N=256, K=512):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        grid = (N // 64, M // 64)
        with tl.language.Kernel(*grid, threads=128, is_cpu=False) as (bx, by):  # <- removed-api
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in Pipelined(K // 32, num_stages=2, group=[[0, 1, 2]]):  # <- removed-api
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[k * 32, bx * 64], b)
                T.gemm(a, b, c, k_pack=2)  # <- removed-api
            T.copy(c, C[by * 64, bx * 64])

    return main
