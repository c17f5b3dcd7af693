import tilelang
import tilelang.language as T


def make(bm=64, bn=64):
    @tilelang.jit
    def kernel(A, B):
        M, N, K = T.const("M, N, K")
        A: T.Tensor[[M, K], "float16"]
        B: T.Tensor[[K, N], "float16"]
        C = T.empty([M, N], "float32")
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=128) as (bx, by):
            a = T.alloc_shared((bm, 32), "float16")
            b = T.alloc_shared((32, bn), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(A[by * bm, k * 32], a)
                T.copy(B[k * 32, bx * bn], b)
                T.gemm(a, b, c)  # <- gemm-uninitialized-accumulator
            T.copy(c, C[by * bm, bx * bn])
        return C

    return kernel
