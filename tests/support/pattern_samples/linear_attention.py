"""Samples of the pattern linear-attention."""

from __future__ import annotations

from pattern_samples.sample import Sample

NAME = "linear-attention"

SAMPLES = (
    Sample("linear-attention-h200", NAME, "h200", quick=True, shipped=True),
    Sample(
        "linear-attention-wide",
        NAME,
        "a100",
        {"dtype": "bfloat16", "dim_v": 256},
        accepted=frozenset({"register-spill"}),  # a few bytes: see the reason of block_V
    ),
    Sample(
        "linear-attention-wide-h100",
        NAME,
        "h100",
        {"dtype": "bfloat16", "dim_v": 256},
        quick=True,
    ),
    Sample("linear-attention-mi300x", NAME, "mi300x", {"dim": 64}, golden=True, quick=True),
)
SENTENCES = (
    (
        "chunked linear attention in bf16, batch 4, 8 heads, sequence length 16k, head dim 64",
        NAME,
        {"dtype": "bfloat16", "batch": 4, "heads": 8, "seq_len": 16384, "dim": 64},
    ),
)
