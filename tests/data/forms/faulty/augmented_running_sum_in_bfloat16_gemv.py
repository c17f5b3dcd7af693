import tilelang
import tilelang.language as T


@tilelang.jit
def gemv(A, x, bn: int = 128):
    N, K = T.const("N, K")
    A: T.Tensor((N, K), "bfloat16")
    x: T.Tensor((K,), "bfloat16")
    y = T.empty((N,), "bfloat16")
    with T.Kernel(T.ceildiv(N, bn), threads=bn) as bx:
        acc = T.alloc_fragment((bn,), "bfloat16")  # <- low-precision-accumulator
        T.clear(acc)
        for k in T.serial(K):
            for i in T.Parallel(bn):
                acc[i] += A[bx * bn + i, k] * x[k]
        T.copy(acc, y[bx * bn])
    return y
