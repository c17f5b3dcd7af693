"""Samples of the patterns of 4-bit weights: few rows and many."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample("int4-gemv-h200", "int4_gemv", "h200", {"M": 8}, quick=True, shipped=True),
    Sample(
        "int4-gemv-zeros",
        "int4_gemv",
        "a100,rtx4090",
        {"M": 16, "N": 4112, "K": 4096, "dtype": "bfloat16", "group": 32, "zeros": True,
         "bias": True},
        golden=True, quick=True),
    Sample(
        "int4-gemv-mi300x", "int4_gemv", "mi300x", {"M": 4, "N": 1024, "K": 2048, "group": 64},
        golden=True,
    ),
    Sample("int4-gemv-one", "int4_gemv", "h200", {"N": 272, "K": 1408, "zeros": True}, quick=True),
    Sample("int4-gemm-h200", "int4_gemm", "h200", quick=True, shipped=True),
    Sample(
        "int4-gemm-zeros",
        "int4_gemm",
        "rtx4090,a100",
        {"M": 500, "N": 1040, "K": 640, "group": 32, "zeros": True, "bias": True},
        golden=True),
    Sample(
        "int4-gemm-zeros-a100",
        "int4_gemm",
        "a100",
        {"M": 500, "N": 1040, "K": 640, "group": 32, "zeros": True, "bias": True},
        quick=True),
    Sample(
        "int4-gemm-mi300x",
        "int4_gemm",
        "mi300x",
        {"M": 300, "N": 2048, "K": 1024, "dtype": "bfloat16", "group": 64},
        golden=True, quick=True),
)  # fmt: skip
SENTENCES = (
    ("int4 GEMV, N=4096, K=12288 with groups of 64 for H200", "int4_gemv",
     {"N": 4096, "K": 12288, "group": 64}),
    ("4-bit matrix-vector product with zero points, N = 4096, K = 4096, in bf16", "int4_gemv",
     {"N": 4096, "K": 4096, "zeros": True, "dtype": "bfloat16"}),
    ("int4 weight-only GEMM M=512 N=4096 K=4096 with bias", "int4_gemm",
     {"M": 512, "N": 4096, "K": 4096, "bias": True}),
)  # fmt: skip
