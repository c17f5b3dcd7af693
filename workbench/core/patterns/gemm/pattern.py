"""The record of the matrix multiplication."""

from __future__ import annotations

from workbench.core.patterns.gemm.advice import advise
from workbench.core.patterns.gemm.fields import FIELDS
from workbench.core.patterns.gemm.program import program
from workbench.core.patterns.gemm.rules import RULES
from workbench.core.patterns.model import Pattern

GEMM = Pattern(
    "gemm",
    "Matrix multiplication",
    "Matrix multiplication (GEMM)",
    "C = A B with bias and activation, in fp16, bf16, TF32, int8 or fp8.",
    1,
    FIELDS,
    RULES,
    (r"\bgemm\b", r"\bmat(rix)?[- ]?mul(tiplication|tiply)?s?\b", r"\bmm\b", r"\blinear layer\b"),
    ("M", "N", "K"),
    advise,
    program,
)
