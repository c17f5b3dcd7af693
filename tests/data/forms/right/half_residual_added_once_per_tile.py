import tilelang
import tilelang.language as T


@T.prim_func
def main(
    X: T.Tensor((64, 1024), "float16"),
    R: T.Tensor((64, 1024), "float16"),
    Y: T.Tensor((64, 1024), "float16"),
):
    with T.Kernel(64, threads=128) as bx:
        x = T.alloc_fragment((256,), "float16")
        r = T.alloc_fragment((256,), "float16")
        for k in T.serial(4):
            T.copy(X[bx, k * 256], x)
            T.copy(R[bx, k * 256], r)
            for i in T.Parallel(256):
                x[i] += r[i]
            T.copy(x, Y[bx, k * 256])
