"""Samples of the pattern top_k."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample("top-k-h200", "top_k", "h200", quick=True, shipped=True),
    Sample(
        "top-k-gating-h200",
        "top_k",
        "h200",
        {"M": 65536, "N": 256, "dtype": "float32"},
        quick=True,
        shipped=True,
    ),
    Sample(
        "top-k-long-a100",
        "top_k",
        "a100",
        {"M": 512, "N": 100000, "k": 32, "dtype": "bfloat16"},
        golden=True,
    ),
    Sample(
        "top-k-mi300x",
        "top_k",
        "mi300x",
        {"M": 4096, "N": 5000, "k": 50, "dtype": "float32"},
        quick=True,
    ),
    Sample("top-1-rtx4090", "top_k", "rtx4090", {"M": 1000, "N": 777, "k": 1}),
)
SENTENCES = (
    ("top-8 of 16384 x 8192 in fp16", "top_k", {"M": 16384, "N": 8192, "k": 8, "dtype": "float16"}),
    ("MoE gating for 65536 tokens and 128 experts, k=2, fp32", "top_k",
     {"M": 65536, "N": 128, "k": 2, "dtype": "float32"}),
    ("top k of 512 rows with 100000 columns, k = 32", "top_k", {"M": 512, "N": 100000, "k": 32}),
)  # fmt: skip
