import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def mm(M=256, N=256, K=512):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(N // 64, M // 64, threads=128) as (bx, by):
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in range(K // 32):  # <- missing-pipelining
                for i, j in T.Parallel(64, 32):
                    a[i, j] = A[by * 64 + i, k * 32 + j]
                for i, j in T.Parallel(32, 64):
                    b[i, j] = B[k * 32 + i, bx * 64 + j]
                T.gemm(a, b, c)
            T.copy(c, C[by * 64, bx * 64])

    return main
