import tilelang
import tilelang.language as T


@T.prim_func
def main(
    A: T.Tensor((256, 256), "float16"),
    B: T.Tensor((256, 256), "float16"),
    C: T.Tensor((256, 256), "float32"),
    D: T.Tensor((256, 256), "float32"),
):
    with T.Kernel(4, 4, threads=128) as (bx, by):
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        d = T.alloc_fragment((64, 64), "float32")
        for acc in (c, d):
            T.clear(acc)
        for k in T.Pipelined(8, num_stages=2):
            T.copy(A[by * 64, k * 32], a)
            T.copy(B[k * 32, bx * 64], b)
            T.gemm(a, b, c)
            T.gemm(a, b, d)
        T.copy(c, C[by * 64, bx * 64])
        T.copy(d, D[by * 64, bx * 64])
