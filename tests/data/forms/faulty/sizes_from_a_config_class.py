import tilelang
import tilelang.language as T


class Config:
    BM = 128
    BN = 64
    BK = 32
    DTYPE = T.float16


@tilelang.jit(out_idx=[2])
def mm(M=512, N=512, K=512):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), Config.DTYPE),
        B: T.Tensor((K, N), Config.DTYPE),
        C: T.Tensor((M, N), T.float32),
    ):
        with T.Kernel(N // Config.BN, M // Config.BM, threads=128) as (bx, by):
            a = T.alloc_shared((Config.BM, Config.BK), Config.DTYPE)
            b = T.alloc_shared((Config.BK, Config.BN), Config.DTYPE)
            c = T.alloc_fragment((Config.BM, Config.BM), T.float32)
            T.clear(c)
            for k in T.Pipelined(K // Config.BK, num_stages=2):
                T.copy(A[by * Config.BM, k * Config.BK], a)
                T.copy(B[k * Config.BK, bx * Config.BN], b)
                T.gemm(a, b, c)  # <- gemm-shape-mismatch
            T.copy(c, C[by * Config.BM, bx * Config.BN])

    return main
