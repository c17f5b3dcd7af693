"""Samples of the pattern norm."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample("rms-norm-rows-h200", "norm", "h200", shipped=True),
    Sample("rms-norm-residual-h200", "norm", "h200", {"residual": True}, shipped=True),
    Sample("layer-norm-h200", "norm", "h200", {"kind": "layer"}, shipped=True),
    Sample(
        "rms-norm-residual",
        "norm",
        "mi300x,a100",
        {"residual": True, "M": 1000, "N": 3000, "dtype": "bfloat16"},
        quick=True,
        golden=True,
    ),
    Sample(
        "layer-norm",
        "norm",
        "h100",
        {"kind": "layer", "M": 4096, "N": 768},
        quick=True,
        golden=True,
    ),
    Sample(
        "layer-norm-residual",
        "norm",
        "rtx4090",
        {"kind": "layer", "residual": True, "dtype": "float32", "M": 512, "N": 1000},
    ),
    Sample(
        "layer-norm-one-barrier",
        "norm",
        "h200",
        {
            "kind": "layer",
            "one_barrier": True,
            "bulk_row": False,
            "min_blocks": 4,
            "streaming": True,
        },
        quick=True,
        golden=True,
    ),
    Sample("rms-norm-bulk-row", "norm", "h200", {"dtype": "bfloat16"}, quick=True, golden=True),
    Sample(
        "layer-norm-two-readings",
        "norm",
        "h200",
        {"kind": "layer", "block_N": 4096, "reread_N": 2048, "threads": 256, "min_blocks": 8},
        golden=True,
    ),
    Sample("rms-norm-one-barrier", "norm", "h100", {"one_barrier": True, "dtype": "bfloat16"}),
    Sample("rms-norm-long", "norm", "h200", {"M": 128, "N": 30000}),
    Sample("rms-norm-longer", "norm", "a100", {"M": 64, "N": 200_000}),
)
SENTENCES = (
    ("RMSNorm of 16384 x 8192 in bf16", "norm",
     {"kind": "rms", "M": 16384, "N": 8192, "dtype": "bfloat16"}),
    ("layer norm with residual, 4096 rows, hidden size 768", "norm",
     {"kind": "layer", "residual": True, "M": 4096, "N": 768}),
)  # fmt: skip
