# /// workbench
# [[case]]
# name = "half"
# args = { dtype = "float16", accum_dtype = "float16" }
# targets = ["a100"]
# ///
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def matmul(M=256, N=256, K=1024, dtype: str = "float16", accum_dtype: str = "float32"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), dtype)):
        with T.Kernel(N // 128, M // 128, threads=256) as (bx, by):
            a, b = T.alloc_shared((128, 32), dtype), T.alloc_shared((32, 128), dtype)
            acc = T.alloc_fragment((128, 128), accum_dtype)  # <- low-precision-accumulator
            T.clear(acc)
            for ko in T.Pipelined(K // 32, num_stages=3):
                T.copy(A[by * 128, ko * 32], a)
                T.copy(B[ko * 32, bx * 128], b)
                T.gemm(a, b, acc)
            T.copy(acc, C[by * 128, bx * 128])

    return main
