import tilelang
import tilelang.language as T


@T.macro
def store(tile, out, row, col):
    T.copy(tile, out[row, col])


@tilelang.jit(out_idx=[1])
def double(M=128, N=128):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(N // 32, M // 32, threads=128) as (bx, by):
            x = T.alloc_fragment((32, 32), "float32")
            T.copy(X[by * 32, bx * 32], x)
            for i, j in T.Parallel(32, 32):
                x[i, j] = x[i, j].astype("float32") * 2.0
            store(x, Y, by * 32, bx * 32)

    return main
