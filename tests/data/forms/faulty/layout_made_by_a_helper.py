import tilelang
import tilelang.language as T
from tilelang.layout import Layout


def padded(buffer, pad):
    rows, cols = buffer.shape
    return Layout((rows, cols), lambda i, j: i * (cols - pad) + j)  # <- layout-not-injective


@T.prim_func
def main(X: T.Tensor((32, 64), "float16"), Y: T.Tensor((32, 64), "float16")):
    with T.Kernel(1, threads=128) as bx:
        s = T.alloc_shared((32, 64), "float16")
        T.annotate_layout({s: padded(s, 8)})
        T.copy(X, s)
        T.copy(s, Y)
