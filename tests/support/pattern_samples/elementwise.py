"""Samples of the pattern elementwise."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample("add-h200", "elementwise", "h200", shipped=True),
    Sample("swiglu-gate-h200", "elementwise", "h200", {"op": "silu_mul"}, shipped=True),
    Sample(
        "elementwise-geglu",
        "elementwise",
        "a100,mi300x",
        {"op": "gelu_mul", "dtype": "bfloat16", "M": 1000, "N": 1000},
        quick=True,
        golden=True,
    ),
    Sample(
        "elementwise-residual",
        "elementwise",
        "h100",
        {"op": "bias_residual", "M": 100, "N": 300, "dtype": "float32"},
    ),
    Sample(
        "elementwise-unaligned",
        "elementwise",
        "h100",
        {"op": "silu", "M": 100, "N": 301},
        quick=True,
    ),
    Sample(
        "swiglu-streaming",
        "elementwise",
        "h200",
        {"op": "silu_mul", "streaming": True, "min_blocks": 3},
        golden=True,
    ),
    Sample("elementwise-bias", "elementwise", "h200", {"op": "bias_relu"}),
    Sample(
        "elementwise-cpu",
        "elementwise",
        "cpu",
        {"op": "silu_mul", "dtype": "float32", "M": 300, "N": 500},
        golden=True,
    ),
    Sample(
        "elementwise-ascend",
        "elementwise",
        "ascend950pr",
        {"op": "gelu", "dtype": "bfloat16", "M": 512, "N": 1024},
        quick=True,
        golden=True,
    ),
    Sample("elementwise-metal", "elementwise", "m3-max", {"op": "relu"}),
)
SENTENCES = (
    (
        "fp16 SwiGLU gate of 8192 x 14336 for H100",
        "elementwise",
        {"op": "silu_mul", "dtype": "float16", "M": 8192, "N": 14336},
    ),
    ("elementwise add, 16384x8192", "elementwise", {"op": "add", "M": 16384, "N": 8192}),
    (
        "pointwise GELU in bf16, 4096²",
        "elementwise",
        {"op": "gelu", "dtype": "bfloat16", "M": 4096, "N": 4096},
    ),
    (
        "elementwise bias and relu with 1000 rows and 512 columns",
        "elementwise",
        {"op": "bias_relu", "M": 1000, "N": 512},
    ),
)
