import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def rowsum(M=64, N=4096, bn=256):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((M,), "float16")):
        with T.Kernel(M // 16, threads=128) as bx:
            x = T.alloc_fragment((16, bn), "float16")
            part = T.alloc_fragment((16,), "float32")
            total = T.alloc_fragment((16,), "float16")  # <- low-precision-accumulator
            T.clear(total)
            for k in T.serial(N // bn):
                T.copy(X[bx * 16, k * bn], x)
                T.reduce_sum(x, part, dim=1)
                for i in T.Parallel(16):
                    total[i] = total[i] + part[i]
            T.copy(total, Y[bx * 16])

    return main
