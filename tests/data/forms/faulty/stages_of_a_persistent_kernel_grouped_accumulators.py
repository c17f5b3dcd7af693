import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[3])
def gated(M=256, N=256, K=256):
    @T.prim_func
    def main(
        X: T.Tensor((M, K), "float16"),
        W: T.Tensor((K, N), "float16"),
        V: T.Tensor((K, N), "float16"),
        Y: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, 64), T.ceildiv(M, 64), threads=128) as (bx, by):
            x = T.alloc_shared((64, 32), "float16")
            w, v = T.alloc_shared((32, 64), "float16"), T.alloc_shared((32, 64), "float16")
            gate, up = T.alloc_fragment((64, 64), "float32"), T.alloc_fragment((64, 64), "float32")
            T.clear(gate)
            for k in T.Pipelined(T.ceildiv(K, 32), num_stages=2):
                T.copy(X[by * 64, k * 32], x)
                T.copy(W[k * 32, bx * 64], w)
                T.copy(V[k * 32, bx * 64], v)
                T.gemm(x, w, gate)
                T.gemm(x, v, up)  # <- gemm-uninitialized-accumulator
            for i, j in T.Parallel(64, 64):
                gate[i, j] = gate[i, j] * T.sigmoid(gate[i, j]) * up[i, j]
            T.copy(gate, Y[by * 64, bx * 64])

    return main
