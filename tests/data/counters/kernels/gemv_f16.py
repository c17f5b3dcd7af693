# /// workbench
# kernel = "gemv_f16"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-2
# atol = 1e-2
# ///
"""fp16 matrix-vector product, a warp to a row, 16-byte loads, no shared memory."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def gemv_f16():
    N, K = 2048, 2048
    rows, lanes, width = 8, 32, 8

    @T.prim_func
    def main(
        x: T.Tensor((K,), "float16"),
        W: T.Tensor((N, K), "float16"),
        y: T.Tensor((N,), "float16"),
    ):
        with T.Kernel(N // rows, threads=(lanes, rows)) as bx:
            tx = T.get_thread_binding(0)
            ty = T.get_thread_binding(1)
            x_local = T.alloc_local((width,), "float16")
            w_local = T.alloc_local((width,), "float16")
            total = T.alloc_local((1,), "float32")
            reduced = T.alloc_local((1,), "float32")
            total[0] = 0
            for k in T.serial(K // (lanes * width)):
                for v in T.vectorized(width):
                    x_local[v] = x[(k * lanes + tx) * width + v]
                    w_local[v] = W[bx * rows + ty, (k * lanes + tx) * width + v]
                for v in T.serial(width):
                    total[0] += x_local[v].astype("float32") * w_local[v].astype("float32")
            with T.attr(
                T.comm_reducer(lambda a, b: a + b, [T.cast(0, "float32")]),
                "reduce_scope",
                T.reinterpret(T.uint64(0), dtype="handle"),
            ):
                T.evaluate(
                    T.tvm_thread_allreduce(
                        T.uint32(1), total[0], True, reduced[0], tx, dtype="handle"
                    )
                )
            if tx == 0:
                y[bx * rows + ty] = reduced[0]

    return main


def ref_program(x, W):
    return W @ x
