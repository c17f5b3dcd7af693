"""Samples of the patterns batched_gemm and grouped_gemm."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample(
        "gemm-batched-h200",
        "batched_gemm",
        "h200",
        {"batch": 64, "M": 512, "N": 512, "K": 512},
        shipped=True,
        quick=True,
    ),
    Sample(
        "batched-gemm-small",
        "batched_gemm",
        "a100,mi300x",
        {"batch": 100, "M": 40, "N": 200, "K": 96, "dtype": "bfloat16", "layout_B": "column"},
        quick=True,
    ),
    Sample(
        "batched-gemm-rtx4090",
        "batched_gemm",
        "rtx4090",
        {"M": 300, "N": 100, "K": 1000},
        quick=True,
    ),
    Sample("gemm-grouped-h200", "grouped_gemm", "h200", shipped=True, quick=True),
    Sample(
        "grouped-gemm-many",
        "grouped_gemm",
        "a100",
        {"tokens": 600, "experts": 64, "N": 512, "K": 256, "layout_B": "column"},
        quick=True,
        golden=True,
    ),
    Sample(
        "grouped-gemm-mi300x",
        "grouped_gemm",
        "mi300x",
        {"tokens": 1000, "dtype": "bfloat16"},
        quick=True,
    ),
)
SENTENCES = (
    ("batched GEMM, batch 64, M=N=K=512, bf16", "batched_gemm",
     {"batch": 64, "M": 512, "N": 512, "K": 512, "dtype": "bfloat16"}),
    ("grouped GEMM for 16 experts and 8192 tokens, N=14336, K=4096", "grouped_gemm",
     {"experts": 16, "tokens": 8192, "N": 14336, "K": 4096}),
)  # fmt: skip
