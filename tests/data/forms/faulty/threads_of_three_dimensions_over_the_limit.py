import tilelang.language as T

GRID = (64, 4)


@T.prim_func
def main(X: T.Tensor((64, 512), "float32"), Y: T.Tensor((64, 512), "float32")):
    with T.Kernel(*GRID, threads=[32, 16, 4]) as (bx, by):  # <- threads-over-limit
        for i in T.Parallel(128):
            Y[bx, by * 128 + i] = X[bx, by * 128 + i] * 2.0
