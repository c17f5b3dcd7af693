"""Index expressions give what Python gives, for numbers and for arrays, and refuse all else."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.core.analysis.index_expressions import ExpressionError, evaluate, names, whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("bx * 64 + k", 131),
        ("min(bx, k) - max(bx, k)", -1),
        ("(bx * 7 + 1) // 4 % 3", 0),
        ("select(bx < k, 5, 6)", 5),
        ("bx < k and not k < bx", 1),
        ("bx == 0 or k == 0", 0),
        ("div(bx - 9, 2)", -3),
        ("mod(bx - 9, 2)", -1),
        ("bitxor(bx, k)", 1),
        ("-bx", -2),
    ],
)
def test_values(text: str, value: int) -> None:
    assert evaluate(text, {"bx": 2, "k": 3}) == value
    arrays = {"bx": np.array([2, 2]), "k": np.array([3, 3])}
    assert np.asarray(evaluate(text, arrays)).tolist() == [value, value]


def test_names_and_whole_numbers() -> None:
    assert names("min(bx, k) + 3") == {"bx", "k"}
    assert whole("3 * 4") == 12
    assert whole("bx") is None


@pytest.mark.parametrize("text", ["a +", "open('x')", "a.b", "1.5", "a < b < c", "a / b", "[a]"])
def test_all_else_is_refused(text: str) -> None:
    with pytest.raises(ExpressionError):
        evaluate(text, {"a": 1, "b": 2, "c": 3})
