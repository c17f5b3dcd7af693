"""Sets of fields for each pattern: what is generated, lowered, checked and verified in tests.

Those of QUICK run in the suite; the others with the thorough tests. A name of GOLDEN has its text
in `tests/data/patterns`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Sample:
    """One set of fields, with the targets that it is for."""

    name: str
    pattern: str
    targets: str
    values: dict[str, Any] = field(default_factory=dict)
    quick: bool = False
    unfinished: bool = False
    """Whether something is left to be filled in, so that tiles are loaded which nothing reads."""
    golden: bool = False


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
    ),
    Sample("gemm-h200", "gemm", "h200", quick=True, golden=True),
    Sample(
        "gemm-bias-gelu",
        "gemm",
        "a100",
        {"M": 300, "N": 520, "K": 200, "bias": True, "activation": "gelu", "layout_B": "column"},
        quick=True,
        golden=True,
    ),
    Sample("gemm-two-targets", "gemm", "h100,a100", {"dtype": "bfloat16", "activation": "silu"}),
    Sample("gemm-rtx4090", "gemm", "rtx4090", {"dtype": "bfloat16", "layout_B": "column"}),
    Sample("gemm-mi300x", "gemm", "mi300x", {"bias": True, "activation": "relu"}, golden=True),
    Sample("gemm-mi355x", "gemm", "mi355x", {"dtype": "bfloat16"}),
    Sample("gemm-int8", "gemm", "h200", {"dtype": "int8", "bias": True, "activation": "relu"}),
    Sample("gemm-fp8", "gemm", "h200", {"dtype": "float8_e4m3", "bias": True}, golden=True),
    Sample("gemm-fp8-mi300x", "gemm", "mi300x", {"dtype": "float8_e4m3"}, quick=True),
    Sample("gemm-tf32", "gemm", "h200", {"dtype": "float32"}),
    Sample("gemm-column-a", "gemm", "a100", {"layout_A": "column"}),
    Sample("gemm-dynamic", "gemm", "h100", {"dynamic_M": True, "M": 1000}, golden=True),
    Sample("gemm-skinny", "gemm", "h200", {"M": 16, "N": 4096, "K": 16384}),
    Sample("gemm-t4", "gemm", "t4"),
    Sample("gemm-b200", "gemm", "b200"),
    Sample("gemm-metal", "gemm", "m3-max"),
    Sample(
        "gemm-cpu",
        "gemm",
        "cpu",
        {"M": 500, "N": 300, "K": 200, "bias": True, "activation": "silu"},
        golden=True,
    ),
    Sample("gemm-cpu-int8", "gemm", "cpu", {"dtype": "int8", "layout_B": "column"}),
    Sample(
        "gemm-ascend",
        "gemm",
        "ascend950pr",
        {"dtype": "bfloat16", "bias": True, "activation": "relu"},
        quick=True,
        golden=True,
    ),
    Sample("elementwise-add", "elementwise", "h200", golden=True),
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
    Sample("elementwise-unaligned", "elementwise", "h100", {"op": "silu", "M": 100, "N": 301}),
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

QUICK = tuple(sample for sample in SAMPLES if sample.quick)
GOLDEN = tuple(sample for sample in SAMPLES if sample.golden)
