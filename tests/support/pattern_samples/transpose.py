"""Samples of the pattern transpose."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample("transpose-h200", "transpose", "h200", quick=True, shipped=True),
    Sample("transpose-fp32", "transpose", "a100", {"dtype": "float32", "M": 1000, "N": 500}),
    Sample(
        "transpose-batched",
        "transpose",
        "mi300x",
        {"form": "batched", "M": 384, "N": 640, "dtype": "bfloat16"},
        golden=True,
        quick=True,
    ),
    Sample(
        "permute-heads-h200",
        "transpose",
        "h200",
        {"form": "heads", "batch": 4, "M": 4096, "heads": 64, "N": 128},
        shipped=True,
    ),
    Sample(
        "transpose-heads",
        "transpose",
        "h100",
        {"form": "heads", "M": 4096, "N": 128},
        quick=True,
    ),
)
SENTENCES = (
    ("transpose of 16384 x 8192 in fp16", "transpose",
     {"M": 16384, "N": 8192, "dtype": "float16"}),
    ("permute BSHD to BHSD with batch 4, 16 heads, sequence 2048, dim 64", "transpose",
     {"form": "heads", "batch": 4, "heads": 16, "M": 2048, "N": 64}),
)  # fmt: skip
