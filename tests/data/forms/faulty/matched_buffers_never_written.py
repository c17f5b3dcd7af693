import tilelang
import tilelang.language as T

ROW = T.Tensor((64, 512), "float32")


@T.prim_func
def main(
    X: ROW,
    Y: ROW,  # <- output-not-covered unused-buffer
):
    with T.Kernel(64, threads=128) as bx:
        f = T.alloc_fragment((512,), "float32")
        T.copy(X[bx, :], f)
        for i in T.Parallel(512):
            f[i] = f[i] * 2.0
