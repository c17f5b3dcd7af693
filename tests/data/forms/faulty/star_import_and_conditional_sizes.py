import tilelang
from tilelang.language import (
    Tensor,
    Kernel,
    alloc_shared,
    alloc_fragment,
    Pipelined,
    copy,
    gemm,
    clear,
    prim_func,
    ceildiv,
)

WIDE = True
if WIDE:
    BK = 24
else:
    BK = 32


@prim_func
def mm(
    A: Tensor((128, 240), "float16"),
    B: Tensor((240, 128), "float16"),
    C: Tensor((128, 128), "float32"),
):
    with Kernel(2, 2, threads=128) as (bx, by):
        a = alloc_shared((64, BK), "float16")
        b = alloc_shared((BK, 64), "float16")
        c = alloc_fragment((64, 64), "float32")
        clear(c)
        for k in Pipelined(ceildiv(240, BK), num_stages=2):
            copy(A[by * 64, k * BK], a)
            copy(B[k * BK, bx * 64], b)
            gemm(a, b, c)  # <- unaligned-block-k
        copy(c, C[by * 64, bx * 64])
