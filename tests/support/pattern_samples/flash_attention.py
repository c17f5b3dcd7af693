"""Samples of the pattern flash-attention."""

from __future__ import annotations

from pattern_samples.sample import Sample

NAME = "flash-attention"

SAMPLES = (
    Sample("flash-attention-h200", NAME, "h200", quick=True, shipped=True),
    Sample("flash-attention-causal-h200", NAME, "h200", {"causal": True}, shipped=True),
    Sample(
        "flash-attention-compiler-h200",
        NAME,
        "h200",
        {"causal": True, "schedule": "compiler", "block_N": 64},
    ),
    Sample(
        "flash-attention-causal-roles-h200",
        NAME,
        "h200",
        {"causal": True, "schedule": "roles"},
        golden=True,
    ),
    Sample("flash-attention-roles-h200", NAME, "h200", {"schedule": "roles"}),
    Sample("flash-attention-d64-h200", NAME, "h200", {"dim": 64, "block_M": 192, "threads": 384}),
    Sample(
        "flash-attention-causal-gqa",
        NAME,
        "h200",
        {"causal": True, "kv_heads": 4, "dtype": "bfloat16"},
        golden=True,
        quick=True,
    ),
    Sample("flash-attention-d64", NAME, "a100", {"dim": 64, "kv_heads": 1}),
    Sample("flash-attention-d256", NAME, "h100", {"dim": 256, "batch": 2, "causal": True}),
    Sample(
        "flash-attention-packed",
        NAME,
        "h200",
        {"variable": True, "causal": True, "dim": 64},
        golden=True,
        quick=True,
    ),
    Sample("flash-attention-packed-a100", NAME, "a100", {"variable": True, "kv_heads": 2}),
    Sample("flash-attention-rtx4090", NAME, "rtx4090", {"causal": True}),
    Sample("flash-attention-t4", NAME, "t4", {"batch": 1}),
    Sample("flash-attention-b200", NAME, "b200", {"kv_heads": 2}),
    Sample("flash-attention-mi300x", NAME, "mi300x", {"causal": True}, golden=True),
    Sample("flash-attention-mi300x-d256", NAME, "mi300x", {"dim": 256, "dtype": "bfloat16"}),
)
SENTENCES = (
    (
        "causal flash attention in bf16 for H200, batch 8, 16 heads, sequence length 4096, "
        "head dim 128",
        NAME,
        {"causal": True, "dtype": "bfloat16", "batch": 8, "heads": 16, "seq_len": 4096, "dim": 128},
    ),
    (
        "attention with B=2, H=32, S=8k, D=64 and 8 kv heads",
        NAME,
        {"batch": 2, "heads": 32, "seq_len": 8192, "dim": 64, "kv_heads": 8},
    ),
)
