# /// workbench
# kernel = "conv2d_sm90"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-2
# atol = 1e-2
# ///
"""3x3 convolution as an implicit GEMM: gathered, masked operand A, TMA for B, wgmma."""

import tilelang
import tilelang.language as T
import torch.nn.functional as F


@tilelang.jit(out_idx=[2])
def conv2d_sm90():
    batch, height, width, channels, filters, size, padding = 2, 32, 32, 64, 128, 3, 1
    out_height, out_width = height, width
    block_M, block_N, block_K = 64, 128, 32

    @T.prim_func
    def main(
        data: T.Tensor((batch, height, width, channels), "float16"),
        weight: T.Tensor((size, size, channels, filters), "float16"),
        out: T.Tensor((batch, out_height, out_width, filters), "float16"),
    ):
        with T.Kernel(
            filters // block_N, batch * out_height * out_width // block_M, threads=128
        ) as (bx, by):
            data_shared = T.alloc_shared((block_M, block_K), "float16")
            weight_shared = T.alloc_shared((block_K, block_N), "float16")
            out_local = T.alloc_fragment((block_M, block_N), "float32")
            flat_weight = T.Tensor((size * size * channels, filters), "float16", weight.data)
            flat_out = T.Tensor((batch * out_height * out_width, filters), "float16", out.data)
            T.clear(out_local)
            for k in T.Pipelined(size * size * channels // block_K, num_stages=2):
                for i, j in T.Parallel(block_M, block_K):
                    tap = k * block_K + j
                    pixel = by * block_M + i
                    y = pixel % (out_height * out_width) // out_width
                    x = pixel % out_width
                    from_y = y + tap // channels // size - padding
                    from_x = x + tap // channels % size - padding
                    inside = (from_y >= 0) and (from_x >= 0) and (from_y < height)
                    inside = inside and (from_x < width)
                    data_shared[i, j] = T.if_then_else(
                        inside,
                        data[pixel // (out_height * out_width), from_y, from_x, tap % channels],
                        0,
                    )
                T.copy(flat_weight[k * block_K, bx * block_N], weight_shared)
                T.gemm(data_shared, weight_shared, out_local)
            T.copy(out_local, flat_out[by * block_M, bx * block_N])

    return main


def ref_program(data, weight):
    out = F.conv2d(data.permute(0, 3, 1, 2), weight.permute(3, 2, 0, 1), padding=1)
    return out.permute(0, 2, 3, 1)
