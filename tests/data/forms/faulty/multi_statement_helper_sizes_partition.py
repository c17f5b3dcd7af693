import tilelang
import tilelang.language as tl


def pick(m: int) -> tuple:
    """Tile sizes for m rows."""
    if m <= 64:
        rows, threads = 16, 256
    else:
        rows = 128
        threads = 128
    return rows, threads


@tilelang.jit(out_idx=-1)
def small_m(M: int = 64, N: int = 256, K: int = 128):
    rows, threads = pick(M)
    cols = 8

    @tl.prim_func
    def main(
        X: tl.Tensor((M, K), "float16"),
        W: tl.Tensor((K, N), "float16"),
        Y: tl.Tensor((M, N), "float16"),
    ):
        with tl.Kernel(tl.ceildiv(N, cols), tl.ceildiv(M, rows), threads=threads) as (bx, by):
            xs = tl.alloc_shared([rows, 32], "float16")
            ws = tl.alloc_shared([32, cols], "float16")
            y = tl.alloc_fragment([rows, cols], "float32")
            tl.clear(y)
            for k in tl.Pipelined(tl.ceildiv(K, 32), num_stages=2):
                tl.copy(X[by * rows, k * 32], xs)
                tl.copy(W[k * 32, bx * cols], ws)
                tl.gemm(xs, ws, y)  # <- warp-partition-illegal
            tl.copy(y, Y[by * rows, bx * cols])

    return main
