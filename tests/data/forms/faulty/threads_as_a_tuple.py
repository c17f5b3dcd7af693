import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((64, 512), "float32"), Y: T.Tensor((64, 512), "float32")):
    with T.Kernel(64, 4, threads=(8, 3)) as (bx, by):  # <- block-smaller-than-warp
        for i in T.Parallel(128):
            Y[bx, by * 128 + i] = X[bx, by * 128 + i] * 2.0
