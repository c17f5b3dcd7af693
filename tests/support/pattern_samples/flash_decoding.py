"""Samples of the pattern flash-decoding."""

from __future__ import annotations

from pattern_samples.sample import Sample

NAME = "flash-decoding"

SAMPLES = (
    Sample("flash-decoding-h200", NAME, "h200", quick=True, shipped=True),
    Sample("flash-decoding-paged", NAME, "h200", {"paged": True}, golden=True, quick=True),
    Sample("flash-decoding-paged-a100", NAME, "a100", {"paged": True, "batch": 4}),
    Sample(
        "flash-decoding-whole",
        NAME,
        "a100",
        {"batch": 64, "kv_heads": 32, "context": 2048, "dtype": "bfloat16"},
        golden=True,
    ),
    Sample("flash-decoding-mi300x", NAME, "mi300x", {"batch": 64, "kv_heads": 4}, quick=True),
)
SENTENCES = (
    (
        "flash decoding with paged KV, batch 16, 32 heads, 8 kv heads, context 8192, head dim 128",
        NAME,
        {
            "paged": True,
            "batch": 16,
            "heads": 32,
            "kv_heads": 8,
            "context": 8192,
            "dim": 128,
        },
    ),
)
