import math
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def copy(N=1000, warps=1.5):
    threads = math.ceil(warps * 32)

    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), Y: T.Tensor((N,), "float32")):
        with T.Kernel(math.ceil(N / threads), threads=threads) as bx:  # <- block-smaller-than-warp
            for i in T.Parallel(threads):
                if bx * threads + i < N:
                    Y[bx * threads + i] = X[bx * threads + i]

    return main
