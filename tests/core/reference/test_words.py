from __future__ import annotations

import pytest

from workbench.core.reference.words import candidates, name_at

LINE = "    T.gemm(A, policy=T.GemmWarpPolicy.FullRow)"


@pytest.mark.parametrize(
    ("column", "name"),
    [
        (4, "T"),
        (6, "T.gemm"),
        (10, "T.gemm"),
        (14, "policy"),
        (25, "T.GemmWarpPolicy"),
        (40, "T.GemmWarpPolicy.FullRow"),
        (2, ""),
    ],
)
def test_the_name_at_a_column(column: int, name: str) -> None:
    assert name_at(LINE, column) == name


def test_a_name_at_the_end_of_a_line() -> None:
    assert name_at("import tilelang", 15) == "tilelang"


def test_the_most_exact_name_comes_first() -> None:
    assert list(candidates("T.Policy.Row"))[:4] == ["T.Policy.Row", "Policy.Row", "Row", "T.Policy"]
