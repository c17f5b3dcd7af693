import tilelang.language as T


@T.prim_func
def main(X: T.Tensor((32, 64), "float16"), Y: T.Tensor((32, 64), "float16")):
    with T.Kernel(1, threads=128) as bx:
        s = T.alloc_shared((32, 64), "float16")
        odd = lambda i, j: (T.floordiv(i, 2), T.bitwise_xor(j, T.floormod(i, 2) * 8))
        T.annotate_layout({s: T.Layout((32, 64), odd)})  # <- layout-not-injective
        T.copy(X, s)
        T.copy(s, Y)
