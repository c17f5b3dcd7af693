import tilelang
import tilelang.language as T


def add(N=1024, block=256, dtype="float32"):
    @T.prim_func
    def main(X: T.Tensor((N,), dtype), Y: T.Tensor((N,), dtype), Z: T.Tensor((N,), dtype)):
        with T.Kernel(T.ceildiv(N, block), threads=128) as bx:
            for i in T.Parallel(block):
                Z[bx * block + i] = X[bx * block + i] + Y[bx * block + i]

    return main


def main():
    kernel = tilelang.compile(add(4096), [0])  # <- out-idx-misuse
