import tilelang
import tilelang.language as T

CONFIG = dict(block_M=64, block_N=64, block_K=24)


def build(
    M=256,
    N=256,
    K=240,
    block_M=CONFIG["block_M"],
    block_N=CONFIG["block_N"],
    block_K=CONFIG["block_K"],
):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            a = T.alloc_shared((block_M, block_K), "float16")
            b = T.alloc_shared((block_K, block_N), "float16")
            c = T.alloc_fragment((block_M, block_N), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=2):
                T.copy(A[by * block_M, k * block_K], a)
                T.copy(B[k * block_K, bx * block_N], b)
                T.gemm(a, b, c)  # <- unaligned-block-k
            T.copy(c, C[by * block_M, bx * block_N])

    return main
