"""Samples of the pattern mla-decode."""

from __future__ import annotations

from pattern_samples.sample import Sample

NAME = "mla-decode"

SAMPLES = (
    Sample("mla-decode-h200", NAME, "h200", shipped=True),
    Sample("mla-decode-split", NAME, "h200", {"batch": 8, "dtype": "bfloat16"}, golden=True),
    Sample("mla-decode-few-heads", NAME, "h200", {"heads": 16}, golden=True, quick=True),
    Sample(
        "mla-decode-narrow",
        NAME,
        "h100",
        {"latent": 256, "batch": 2, "schedule": "roles"},
        quick=True,
    ),
    Sample("mla-decode-a100", NAME, "a100", {"batch": 4, "heads": 32}),
    Sample("mla-decode-rtx4090", NAME, "rtx4090", {"batch": 2, "heads": 16}),
    Sample("mla-decode-mi300x", NAME, "mi300x", {"batch": 32}, quick=True),
)
SENTENCES = (
    (
        "DeepSeek MLA decode for H200, batch 128, 128 heads, context 8192",
        NAME,
        {"batch": 128, "heads": 128, "context": 8192},
    ),
)
