import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[3])
def linear(M=128, N=128, K=128, relu: bool = False):
    @T.macro
    def start(bias, acc, bx):
        for i, j in T.Parallel(64, 64):
            acc[i, j] = bias[bx * 64 + j]

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((N, K), "float16"),
        bias: T.Tensor((N,), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(N // 64, M // 64, threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((64, 32), "float16")
            acc = T.alloc_fragment((64, 64), "float32")
            start(bias, acc, bx)
            for k in T.Pipelined(K // 32, num_stages=2):
                T.copy(A[by * 64, k * 32], a)
                T.copy(B[bx * 64, k * 32], b)
                T.gemm(a, b, acc, transpose_B=True)
            if relu:
                for i, j in T.Parallel(64, 64):
                    acc[i, j] = T.max(acc[i, j], 0)
            T.copy(acc, C[by * 64, bx * 64])

    return main
