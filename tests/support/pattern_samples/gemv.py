"""Samples of the pattern gemv."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample("gemv-h200", "gemv", "h200", shipped=True, quick=True),
    Sample(
        "gemv-bias-silu",
        "gemv",
        "mi300x,a100",
        {"N": 1000, "K": 3000, "dtype": "bfloat16", "bias": True, "activation": "silu"},
        quick=True,
        golden=True,
    ),
    Sample("gemv-fp32", "gemv", "rtx4090", {"N": 77, "K": 500, "dtype": "float32"}, quick=True),
)
SENTENCES = (
    ("GEMV with 12288 outputs and 4096 inputs in bf16", "gemv",
     {"N": 12288, "K": 4096, "dtype": "bfloat16"}),
    ("matrix-vector product 4096 x 4096 with GELU", "gemv",
     {"N": 4096, "K": 4096, "activation": "gelu"}),
)  # fmt: skip
