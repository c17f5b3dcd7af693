import tilelang
import tilelang.language as T


@T.macro
def tiles(bm, bn, bk, dtype):
    a = T.alloc_shared((bm, bk), dtype)
    b = T.alloc_shared((bk, bn), dtype)
    c = T.alloc_fragment((bm, bn), "float32")
    return a, b, c


@T.prim_func
def main(
    A: T.Tensor((256, 256), "float16"),
    B: T.Tensor((256, 256), "float16"),
    C: T.Tensor((256, 256), "float32"),
):
    with T.Kernel(4, 4, threads=128) as (bx, by):
        a, b, c = tiles(64, 64, 32, "float16")
        for k in T.Pipelined(8, num_stages=2):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, c)  # <- gemm-uninitialized-accumulator
        T.copy(c, C[by * 64, bx * 64])
