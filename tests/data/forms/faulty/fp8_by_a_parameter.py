# /// workbench
# [[case]]
# name = "fp8"
# args = { dtype = "float8_e5m2" }
# targets = ["a100"]
# ///
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def mm(M=256, N=256, K=512, dtype="float16"):
    accum = T.float32

    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((N, K), dtype), C: T.Tensor((M, N), accum)):
        with T.Kernel(N // 64, M // 64, threads=128) as (bx, by):
            a = T.alloc_shared(A.shape[:0] + (64, 64), dtype)
            b = T.alloc_shared((64, 64), dtype)
            c = T.alloc_fragment((64, 64), accum)
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[bx * 64, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)  # <- target-unsupported
            T.copy(c, C[by * 64, bx * 64])

    return main
