import tilelang
import tilelang.language as T
from tilelang.layout import make_swizzled_layout


@tilelang.jit
def mm(A, B, bm: int = 64, bn: int = 64):
    M, N, K = T.const("M N K")
    A: T.Tensor((M, K), T.bfloat16)
    B: T.Tensor((N, K), T.bfloat16)
    C = T.empty((M, N), dtype=T.float32)
    with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=128) as (bx, by):
        a = T.alloc_shared((bm, 64), T.bfloat16)
        b = T.alloc_shared((bn, 64), T.bfloat16)
        c = T.alloc_fragment((bm, bn), T.float32)
        T.annotate_layout(
            {
                a: make_swizzled_layout(a),
                b: make_swizzled_layout(b),
                c: T.Fragment((bm, bn), forward_thread_fn=lambda i, j: i),
            }
        )
        for k in T.Pipelined(T.ceildiv(K, 64), num_stages=3):
            T.copy(A[by * bm, k * 64], a)
            T.copy(B[bx * bn, k * 64], b)
            T.gemm(a, b, c, False, True)  # <- gemm-uninitialized-accumulator
        T.copy(c, C[by * bm, bx * bn])
    return C
