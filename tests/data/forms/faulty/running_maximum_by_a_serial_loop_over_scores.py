import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def rowmax(M=128, N=128, K=64):
    @T.prim_func
    def main(
        Q: T.Tensor((M, K), "float16"),
        KT: T.Tensor((N, K), "float16"),
        Y: T.Tensor((M,), "float32"),
    ):
        with T.Kernel(M // 64, threads=128) as bx:
            q = T.alloc_shared((64, K), "float16")
            k = T.alloc_shared((N, K), "float16")
            s = T.alloc_fragment((64, N), "float32")
            top = T.alloc_fragment((64,), "float32")
            T.copy(Q[bx * 64, 0], q)
            T.copy(KT, k)
            T.gemm(q, k, s, transpose_B=True, clear_accum=True)
            T.fill(top, -T.infinity("float32"))
            for i in T.Parallel(64):
                for j in T.serial(N):
                    top[i] = T.max(top[i], s[i, j])  # <- fragment-serial-access
            T.copy(top, Y[bx * 64])

    return main
