import tilelang
import tilelang.language as T


def matmul(M=512, N=512, K=512):
    @tilelang.jit(out_idx=[2], target="cuda")
    def kernel(bm, bn, bk, threads=128):
        @T.prim_func
        def main(
            A: T.Tensor((M, K), "float16"),
            B: T.Tensor((K, N), "float16"),
            C: T.Tensor((M, N), "float32"),
        ):
            with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=threads) as (bx, by):
                a = T.alloc_shared((bm, bk), "float16")
                b = T.alloc_shared((bk, bn), "float16")
                c = T.alloc_fragment((bm, bn), "float32")
                T.clear(c)
                for k in T.Pipelined(T.ceildiv(K, bk), num_stages=2):
                    T.copy(A[by * bm, k * bk], a)
                    T.copy(B[k * bk, bx * bn], b)
                    T.gemm(a, b, c)  # <- unaligned-block-k
                T.copy(c, C[by * bm, bx * bn])

        return main

    return kernel(64, 64, bk=40)
