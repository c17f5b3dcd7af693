"""Samples of the pattern softmax."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample("softmax-rows-h200", "softmax", "h200", quick=True, shipped=True),
    Sample("softmax-short", "softmax", "a100", {"M": 1000, "N": 200, "dtype": "bfloat16"}),
    Sample("softmax-online", "softmax", "h100", {"M": 512, "N": 100000}, quick=True, golden=True),
    Sample("softmax-mi300x", "softmax", "mi300x", {"M": 4096, "N": 5000, "dtype": "float32"}),
    Sample(
        "softmax-cpu",
        "softmax",
        "cpu",
        {"M": 64, "N": 3000, "dtype": "float32"},
        golden=True,
        quick=True,
    ),
    Sample("softmax-ascend", "softmax", "ascend950pr", {"M": 512, "N": 2048}, golden=True),
)
SENTENCES = (
    ("softmax of 16384 x 8192 in fp16", "softmax", {"M": 16384, "N": 8192, "dtype": "float16"}),
    ("softmax over 1000 rows with 50k columns", "softmax", {"M": 1000, "N": 51200}),
)
