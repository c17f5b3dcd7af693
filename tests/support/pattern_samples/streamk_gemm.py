"""Samples of the pattern streamk_gemm."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample(
        "gemm-streamk-h200",
        "streamk_gemm",
        "h200",
        {"M": 1536, "N": 3072, "K": 8192},
        shipped=True,
        quick=True,
    ),
    Sample(
        "streamk-a100",
        "streamk_gemm",
        "a100",
        {"M": 1500, "N": 1024, "K": 2048, "dtype": "bfloat16", "layout_B": "column"},
        quick=True,
    ),
    Sample(
        "streamk-mi300x", "streamk_gemm", "mi300x", {"M": 2048, "N": 3000, "K": 1000}, quick=True
    ),
)
SENTENCES = (
    ("stream-K GEMM in bf16, M=N=1536, K=4096", "streamk_gemm",
     {"dtype": "bfloat16", "M": 1536, "N": 1536, "K": 4096}),
)  # fmt: skip
