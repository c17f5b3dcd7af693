"""One sentence leads to a pattern, fields, targets and a goal; what it lacks is asked for."""

from __future__ import annotations

from typing import Any

import pytest
from generated_kernels import TABLE

from workbench.core.patterns.model import Goal, PatternError
from workbench.core.patterns.sentences import Reading, read_sentence
from workbench.core.patterns.table import PATTERNS


def read(text: str) -> Reading:
    return read_sentence(text, PATTERNS, TABLE)


CUBE = {"M": 4096, "N": 4096, "K": 4096}
# Each sentence with the pattern and what it must say; other fields must not be said.
SENTENCES: list[tuple[str, str, dict[str, Any]]] = [
    ("FP16 matrix multiplication for A100, M=N=K=4096", "gemm", {"dtype": "float16", **CUBE}),
    ("bf16 GEMM 4096x4096x4096 on H200", "gemm", {"dtype": "bfloat16", **CUBE}),
    ("a GEMM of 4096³ in half", "gemm", {"dtype": "float16", **CUBE}),
    ("half-precision gemm 4096^3", "gemm", {"dtype": "float16", **CUBE}),
    ("int8 matmul 4k x 4k x 4k for an rtx 4090", "gemm", {"dtype": "int8", **CUBE}),
    ("matmul with M, N, K = 16, 4096, 16384", "gemm", {"M": 16, "N": 4096, "K": 16384}),
    ("matmul M=16, N=4096 and K=16384", "gemm", {"M": 16, "N": 4096, "K": 16384}),
    ("GEMM with bias and GELU, M=N=K=4096", "gemm", {"bias": True, "activation": "gelu", **CUBE}),
    ("gemm without bias, M=N=K=4096", "gemm", {"bias": False, **CUBE}),
    ("gemm with swish, 4096 by 4096 by 4096", "gemm", {"activation": "silu", **CUBE}),
    ("fp8 e5m2 gemm M=N=K=4096", "gemm", {"dtype": "float8_e5m2", **CUBE}),
    ("fp8 gemm with bf16 output, M=N=K=4096", "gemm",
     {"dtype": "float8_e4m3", "out_dtype": "bfloat16", **CUBE}),
    ("TF32 GEMM 4096x4096x4096", "gemm", {"dtype": "float32", **CUBE}),
    ("gemm in NT layout, M=N=K=4096", "gemm", {"layout_B": "column", **CUBE}),
    ("gemm with A transposed, M=N=K=4096", "gemm", {"layout_A": "column", **CUBE}),
    ("gemm with column-major B, M=N=K=4096", "gemm", {"layout_B": "column", **CUBE}),
    ("linear layer in fp16 with ReLU, M=N=K=4096", "gemm",
     {"layout_B": "column", "dtype": "float16", "activation": "relu", **CUBE}),
    ("dynamic M gemm, N=4096 K=8192", "gemm", {"dynamic_M": True, "N": 4096, "K": 8192}),
    ("fp16 SwiGLU gate of 8192 x 14336 for H100", "elementwise",
     {"op": "silu_mul", "dtype": "float16", "M": 8192, "N": 14336}),
    ("elementwise add, 16384x8192", "elementwise", {"op": "add", "M": 16384, "N": 8192}),
    ("pointwise GELU in bf16, 4096²", "elementwise",
     {"op": "gelu", "dtype": "bfloat16", "M": 4096, "N": 4096}),
    ("elementwise bias and relu with 1000 rows and 512 columns", "elementwise",
     {"op": "bias_relu", "M": 1000, "N": 512}),
    ("an empty kernel", "scaffold", {}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "pattern", "values"), SENTENCES)
def test_a_sentence_says(text: str, pattern: str, values: dict[str, Any]) -> None:
    reading = read(text)
    assert (reading.pattern.id, reading.values) == (pattern, values)


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("gemm for A100", ("a100",)),
        ("gemm on an RTX 4090", ("rtx4090",)),
        ("gemm for MI300X and H100", ("mi300x", "h100")),
        ("gemm for sm_90a", ("sm_90a",)),
        ("gemm for h200:sm_80", ("h200:sm_80",)),
        ("gemm on the CPU", ("cpu",)),
        ("fp16 gemm", ()),
    ],
)
def test_targets_are_found_in_order(text: str, targets: tuple[str, ...]) -> None:
    assert read(text).targets == targets


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("gemm with low latency", Goal.LATENCY),
        ("gemm for throughput", Goal.THROUGHPUT),
        ("gemm", None),
    ],
)
def test_the_goal_is_found(text: str, goal: Goal | None) -> None:
    assert read(text).goal is goal


def test_what_is_missing_is_asked_for() -> None:
    reading = read("gemm with N=4096 for H100")
    assert reading.missing == ("M", "K")
    assert reading.question == (
        "The sentence does not say M, K. Add it, or --set M=... --set K=..."
    )


def test_a_number_of_rows_known_at_launch_is_not_missing() -> None:
    assert read("gemm with dynamic M, N=1024, K=512").missing == ()


def test_a_sentence_about_nothing_names_the_patterns() -> None:
    with pytest.raises(PatternError, match="no kind of kernel; there is scaffold, gemm"):
        read("make me a sandwich")


def test_a_size_of_nothing_is_refused() -> None:
    with pytest.raises(PatternError, match="`M` is 1 or more, not 0"):
        read("gemm with M=0")
