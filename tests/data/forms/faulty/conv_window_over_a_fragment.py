import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def conv1d(N=1024, W=3, block=128):
    @T.prim_func
    def main(
        X: T.Tensor((N,), "float32"), F: T.Tensor((W,), "float32"), Y: T.Tensor((N,), "float32")
    ):
        with T.Kernel(N // block, threads=block) as bx:
            x = T.alloc_fragment((block,), "float32")
            y = T.alloc_fragment((block,), "float32")
            T.copy(X[bx * block], x)
            T.clear(y)
            for i in T.Parallel(block):
                y[i] = x[i] * F[0] + x[(i + W - 2) % block] * F[1]  # <- fragment-two-index-maps
            T.copy(y, Y[bx * block])

    return main
