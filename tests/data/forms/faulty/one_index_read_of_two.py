import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64, 512), "float32"), Y: T.Tensor((64, 512), "float32")):
    with T.Kernel(64, threads=128) as bx:
        s = T.alloc_shared((1, 512), "float32")
        T.copy(X[bx, 0], s)
        for i in T.Parallel(512):
            Y[bx, i] = s[i] * 2.0  # <- rank-mismatch
