"""Samples of the pattern splitk_gemm."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample(
        "gemm-skinny-h200",
        "splitk_gemm",
        "h200",
        {"M": 16, "N": 4096, "K": 16384},
        quick=True,
        shipped=True,
    ),
    Sample(
        "gemm-splitk-h200",
        "splitk_gemm",
        "h200",
        {"M": 128, "N": 4096, "K": 14336},
        shipped=True,
    ),
    Sample(
        "splitk-a100",
        "splitk_gemm",
        "a100",
        {"M": 256, "N": 300, "K": 8192, "dtype": "bfloat16", "layout_B": "column"},
        quick=True,
    ),
    Sample("splitk-mi300x", "splitk_gemm", "mi300x", {"M": 128, "N": 512, "K": 5000}, quick=True),
)
SENTENCES = (
    ("split-K GEMM 16x4096x16384 in fp16", "splitk_gemm",
     {"M": 16, "N": 4096, "K": 16384, "dtype": "float16"}),
)  # fmt: skip
