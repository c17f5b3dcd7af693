"""Samples of the pattern scaffold."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample("scaffold-copy", "scaffold", "h200", quick=True, golden=True),
    Sample(
        "scaffold-three-axes",
        "scaffold",
        "mi300x",
        {
            "name": "scaled",
            "sizes": "B=4, S=100, D=64",
            "inputs": "X: (B, S, D) bfloat16",
            "outputs": "Y: (B, S, D) bfloat16; Z: (B, S) float32",
            "grid": "B, S",
            "block": 16,
            "memory": "fragment",
            "out_idx": "passed",
        },
        quick=True,
    ),
    Sample(
        "scaffold-cast",
        "scaffold",
        "a100",
        {"inputs": "A: (M, N) float16", "outputs": "C: (M, N) float32", "block": 32},
    ),
    Sample(
        "scaffold-loop",
        "scaffold",
        "a100",
        {
            "name": "product",
            "sizes": "M=500, N=320, K=200",
            "inputs": "A: (M, K) float16; B: (K, N) float16",
            "outputs": "C: (M, N) float32",
            "loop": "K",
        },
        unfinished=True,
        golden=True,
        quick=True,
    ),
)
SENTENCES = (("an empty kernel", "scaffold", {}),)
