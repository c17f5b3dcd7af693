import tilelang
import tilelang.language as T


def gemm_program(M, N, K, bm, bn, bk, threads):
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
                T.gemm(a, b, c)  # <- tensor-core-shape-illegal
            T.copy(c, C[by * bm, bx * bn])

    return main


def build(M=256, N=256, K=256):
    program = gemm_program(M, N, K, 8, 64, 32, threads=128)
    return tilelang.compile(program, out_idx=-1)
