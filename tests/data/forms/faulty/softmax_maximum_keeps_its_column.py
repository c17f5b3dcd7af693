import tilelang
from tilelang import language as T


@tilelang.jit(out_idx=[1])
def softmax(M=64, N=256):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 4, threads=128) as bx:
            x = T.alloc_fragment([4, N], "float32")
            top = T.alloc_fragment([4, 1], "float32")  # <- rank-mismatch
            s = T.alloc_fragment([4], "float32")
            T.copy(X[bx * 4, 0], x)
            T.reduce_max(buffer=x, out=top, dim=-1)
            for i, j in T.Parallel(4, N):
                x[i, j] = T.exp(x[i, j] - top[i, 0])
            T.reduce_sum(x, s, dim=1)
            for i, j in T.Parallel(4, N):
                Y[bx * 4 + i, j] = x[i, j] / s[i]

    return main
