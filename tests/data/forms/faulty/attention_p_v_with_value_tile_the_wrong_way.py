import tilelang
import tilelang.language as T

BLOCK_M: int = 64
BLOCK_N: int = 128
HEAD = 64


@T.prim_func
def pv(
    P: T.Tensor((64, 512), "float16"),
    V: T.Tensor((512, HEAD), "float16"),
    O: T.Tensor((64, HEAD), "float32"),
):
    with T.Kernel(1, threads=128) as _:
        p = T.alloc_shared((BLOCK_M, BLOCK_N), dtype="float16")
        v = T.alloc_shared(dtype="float16", shape=(BLOCK_N, HEAD))
        o = T.alloc_fragment((BLOCK_M, HEAD), "float32")
        T.clear(o)
        for k in T.Pipelined(512 // BLOCK_N, num_stages=2):
            T.copy(P[0, k * BLOCK_N], p)
            T.copy(V[k * BLOCK_N, 0], v)
            T.gemm(p, v, o, transpose_B=True)  # <- gemm-shape-mismatch wrong-transpose
        T.copy(o, O)
