import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((8, 64, 512), "float16"), Y: T.Tensor((64, 512), "float16")):
    with T.Kernel(64, threads=128) as bx:
        for i in T.Parallel(512):
            Y[bx, 0, i] = X[0, bx, i]  # <- rank-mismatch
