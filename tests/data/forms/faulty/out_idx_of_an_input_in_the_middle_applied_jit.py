import tilelang
import tilelang.language as T


def layer(M=64, N=1024):
    @T.prim_func
    def main(
        X: T.Tensor((M, N), "float32"), W: T.Tensor((N,), "float32"), Y: T.Tensor((M, N), "float32")
    ):
        with T.Kernel(M, threads=128) as bx:
            for i in T.Parallel(N):
                Y[bx, i] = X[bx, i] * W[i]

    return main


layer_kernel = tilelang.jit(layer, out_idx=[1])  # <- out-idx-misuse
