"""Samples of the pattern block-sparse-attention."""

from __future__ import annotations

from pattern_samples.sample import Sample

NAME = "block-sparse-attention"

SAMPLES = (
    Sample("block-sparse-attention-h200", NAME, "h200", {"causal": True}, shipped=True, quick=True),
    Sample("block-sparse-attention-gqa", NAME, "a100", {"kv_heads": 4, "dim": 64}, quick=True),
    Sample("block-sparse-attention-mi300x", NAME, "mi300x", {"dtype": "bfloat16"}, quick=True),
)
SENTENCES = (
    (
        "causal block-sparse attention, batch 2, 16 heads, sequence length 8192, head dim 128",
        NAME,
        {"causal": True, "batch": 2, "heads": 16, "seq_len": 8192, "dim": 128},
    ),
)
