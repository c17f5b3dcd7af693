# /// workbench
# kernel = "dequant_int4"
# reference = "ref_program"
#
# [[case]]
# name = "measured"
# args = {}
# targets = ["h200"]
# rtol = 1e-2
# atol = 1e-2
# ///
"""int4 weights unpacked to fp16 with a scale to 128 of them, in and out through shared memory."""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[2])
def dequant_int4():
    N, K = 1024, 1024
    block_N, block_K = 32, 128

    @T.prim_func
    def main(
        packed: T.Tensor((N, K // 2), "uint8"),
        scales: T.Tensor((N, K // block_K), "float16"),
        W: T.Tensor((N, K), "float16"),
    ):
        with T.Kernel(K // block_K, N // block_N, threads=128) as (bx, by):
            codes = T.alloc_shared((block_N, block_K // 2), "uint8")
            codes_local = T.alloc_fragment((block_N, block_K // 2), "uint8")
            values_local = T.alloc_fragment((block_N, block_K), "float16")
            values = T.alloc_shared((block_N, block_K), "float16")
            T.copy(packed[by * block_N, bx * (block_K // 2)], codes)
            T.copy(codes, codes_local)
            for i, j in T.Parallel(block_N, block_K):
                nibble = (codes_local[i, j // 2] >> ((j % 2) * 4).astype("uint8")) & 15
                values_local[i, j] = (nibble.astype("float16") - 8) * scales[by * block_N + i, bx]
            T.copy(values_local, values)
            T.copy(values, W[by * block_N, bx * block_K])

    return main


def ref_program(packed, scales):
    codes = torch.stack((packed & 15, packed >> 4), dim=-1).flatten(1)
    return (codes.half() - 8) * scales.repeat_interleave(128, dim=1)
