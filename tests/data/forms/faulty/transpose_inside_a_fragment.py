import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64, 64), "float32"), Y: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, threads=128) as bx:
        x = T.alloc_fragment((64, 64), "float32")
        T.copy(X, x)
        for i, j in T.Parallel(64, 64):
            Y[i, j] = x[i, j] + x[j, i]  # <- fragment-two-index-maps
