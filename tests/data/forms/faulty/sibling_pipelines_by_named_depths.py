import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[3])
def two(M=128, N=64, K=256, stages=2):
    deep = stages + 1

    @T.macro
    def part(A, B, a, b, c, by, k):
        T.copy(A[by * 64, k * 32], a)
        T.copy(B[k * 32, 0], b)
        T.gemm(a, b, c)

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        B2: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(M // 64, threads=128) as by:
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, N), "float16")
            c = T.alloc_fragment((64, N), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 32, num_stages=stages):
                part(A, B, a, b, c, by, k)
            for k in T.Pipelined(K // 32, num_stages=deep):  # <- sibling-pipelines-mismatch
                part(A, B2, a, b, c, by, k)
            T.copy(c, C[by * 64, 0])

    return main
