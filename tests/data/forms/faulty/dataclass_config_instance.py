from dataclasses import dataclass
import tilelang
import tilelang.language as T


@dataclass(frozen=True)
class Tile:
    m: int
    n: int
    k: int = 32
    threads: int = 128


SMALL = Tile(16, 16, threads=256)


def build(M=128, N=128, K=128, tile=SMALL):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(N // tile.n, M // tile.m, threads=tile.threads) as (bx, by):
            a = T.alloc_shared((tile.m, tile.k), "float16")
            b = T.alloc_shared((tile.k, tile.n), "float16")
            c = T.alloc_fragment((tile.m, tile.n), "float32")
            T.clear(c)
            for k in T.Pipelined(K // tile.k, num_stages=2):
                T.copy(A[by * tile.m, k * tile.k], a)
                T.copy(B[k * tile.k, bx * tile.n], b)
                T.gemm(a, b, c)  # <- warp-partition-illegal
            T.copy(c, C[by * tile.m, bx * tile.n])

    return main
