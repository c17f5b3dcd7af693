"""Samples of the pattern flash-attention-backward."""

from __future__ import annotations

from pattern_samples.sample import Sample

NAME = "flash-attention-backward"

SAMPLES = (
    Sample("flash-attention-backward-h200", NAME, "h200", {"causal": True}, shipped=True),
    Sample("flash-attention-backward-d64-h200", NAME, "h200", {"dim": 64}, quick=True),
    Sample(
        "flash-attention-backward-compiler-h200",
        NAME,
        "h200",
        {"causal": True, "schedule": "compiler"},
        quick=True,
    ),
    Sample(
        "flash-attention-backward-gqa",
        NAME,
        "a100",
        {"kv_heads": 4},
        golden=True,
        accepted=frozenset({"register-spill"}),  # of addresses: see the reason of block_M
    ),
    Sample(
        "flash-attention-backward-bf16",
        NAME,
        "h200",
        {"causal": True, "kv_heads": 4, "dtype": "bfloat16"},
        quick=True,
    ),
    Sample("flash-attention-backward-d64", NAME, "rtx4090", {"causal": True, "dim": 64}),
)
SENTENCES = (
    (
        "backward pass of causal attention, batch 8, 16 heads, sequence length 4096, head dim 128",
        NAME,
        {"causal": True, "batch": 8, "heads": 16, "seq_len": 4096, "dim": 128},
    ),
)
