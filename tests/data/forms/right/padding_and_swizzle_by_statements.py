import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((32, 64), "float16"), Y: T.Tensor((32, 64), "float16")):
    with T.Kernel(1, threads=128) as bx:
        s = T.alloc_shared((32, 64), "float16")

        def swizzle(row, col):
            block = col // 8
            return row, (block ^ (row & 7)) * 8 + col % 8

        T.annotate_layout({s: T.Layout([32, 64], swizzle)})
        T.copy(X, s)
        T.copy(s, Y)
