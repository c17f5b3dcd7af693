"""Formulas of documents have the value that Python gives them, and nothing else runs."""

from __future__ import annotations

import pytest

from workbench.core.formulas import FormulaError, evaluate

NAMES = {"M": 300, "N": 520, "K": 200, "dtype": "float16", "causal": True}


@pytest.mark.parametrize(
    ("formula", "value"),
    [
        ("2 * M * N * K", 2 * 300 * 520 * 200),
        ("M // 7 + N % 9 - -K", 300 // 7 + 520 % 9 + 200),
        ("4 * M ** 2 / 2", 4 * 300**2 / 2),
        ("ceil(M / 128) * max(N, K) + min(1, 2.5)", 3 * 520 + 1),
        (" log2(256) + sqrt(16) + floor(2.9)", 8 + 4 + 2),
    ],
)
def test_arithmetic_has_its_value(formula: str, value: float) -> None:
    assert evaluate(formula, NAMES) == value


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("2 * L", "'L' is no argument or dimension"),
        ("2 * dtype", "which is no number"),
        ("causal * 2", "which is no number"),
        ("__import__('os')", "no arithmetic"),
        ("M.real", "no arithmetic"),
        ("abs(M)", "there is no function 'abs'"),
        ("2 ** 2 ** 2 ** 9", "larger than 64"),
        ("M / 0", "has no value"),
        ("2 *", "has no value"),
        ("1" * 501, "longer than 500"),
        ("1e308 * 10", "is inf"),
        ("(-1) ** 0.5", "has no value"),
        ("(" * 300 + ")" * 100, "has no value"),
    ],
)
def test_anything_else_is_refused_with_its_reason(formula: str, said: str) -> None:
    with pytest.raises(FormulaError, match=said.replace("(", r"\(")):
        evaluate(formula, NAMES)
