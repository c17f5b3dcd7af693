import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64, 64), "float32"), Y: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128) as bx:
        x = T.alloc_fragment((64, 64), "float32")
        row = T.alloc_fragment((64,), "float32")
        T.copy(X, x)
        T.reduce_sum(x, row, dim=1)
        for i, j in T.Parallel(64, 64):
            x[i, j] = x[i, j] * x[i, j] + row[i] * row[i]
        T.copy(x, Y)
