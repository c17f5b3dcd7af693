"""How the wizard sums up the values of a step."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.core.targets.table import load_targets
from workbench.session.patterns.draft import Draft
from workbench.session.patterns.resolved import resolve
from workbench.session.patterns.words import values_summary

TABLE = load_targets()


@pytest.mark.parametrize(
    ("pattern", "given", "step", "summary"),
    [
        ("gemm", {}, "requirements", "4096 × 4096 × 4096, fp16"),
        ("gemm", {"out_dtype": "float32"}, "requirements", "4096 × 4096 × 4096, fp16, fp32 out"),
        ("gemm", {"layout_B": "column"}, "requirements",
         "4096 × 4096 × 4096, fp16, layout of B column-major"),
        ("reduction", {"M": 64, "N": 96}, "requirements", "64 × 96, fp16, sum, along rows"),
        ("elementwise", {"op": "relu"}, "requirements", "16384 × 8192, ReLU, fp16"),
        ("int4_gemv", {"threads": 256}, "tiles", "block N 32, 256 threads"),
        ("top_k", {}, "requirements", "16384 × 8192, fp16, K = 8"),
        ("int4_gemm", {"num_stages": 2, "panel": 0}, "pipeline", "2 stages"),
        ("gemv", {}, "epilogue", "plain store"),
        ("gemv", {}, "cases", "usual tolerance"),
        ("scaffold", {}, "requirements", "M=1000, N=1024"),
    ],
)  # fmt: skip
def test_a_step_in_one_line(pattern: str, given: dict[str, Any], step: str, summary: str) -> None:
    resolved = resolve(Draft(pattern, ("a100",), given=given), TABLE)
    assert values_summary(resolved, step) == summary
