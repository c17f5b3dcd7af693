from __future__ import annotations

import itertools
from typing import Any

import pytest

from workbench.engine.export.expressions import UndescribedError, size_of, value_of
from workbench.engine.simulator.tir import arith, tirx

M, N = tirx.Var("m", "int32"), tirx.Var("n", "int32")
TEXTS = [
    (M + N * 3, "m + (n * 3)"),
    ((M - N) - 1, "(m - n) - 1"),
    (tirx.FloorDiv(M + 127, tirx.IntImm("int32", 128)), "(m + 127) // 128"),
    (tirx.Min(M, N) * 2, "min(m, n) * 2"),
    (tirx.Max(M, N + 1), "max(m, n + 1)"),
    (tirx.Select(M > N, M, N), "m if (m > n) else n"),
    (tirx.if_then_else(M < N, M, N) + 1, "(m if (m < n) else n) + 1"),
    (tirx.Cast("int64", M + 1) % 4, "(m + 1) % 4"),
    (tirx.Not(M == N), "not (m == n)"),
    (tirx.shift_left(M, 2), "m << 2"),
]


def name_of(variable: Any) -> Any:
    return str(variable.name)


def substituted(expression: Any, m: int, n: int) -> int:
    """TVM's own value of an expression."""
    numbers = {M: tirx.IntImm("int32", m), N: tirx.IntImm("int32", n)}
    return int(arith.Analyzer().simplify(tirx.stmt_functor.substitute(expression, numbers)))


@pytest.mark.parametrize(("expression", "text"), TEXTS, ids=[text for _, text in TEXTS])
def test_the_text_has_the_value_of_the_expression(expression: Any, text: str) -> None:
    assert size_of(expression, name_of) == text
    for m, n in itertools.product((0, 1, 5, 130), (1, 4, 7)):
        assert int(eval(text, {"min": min, "max": max}, {"m": m, "n": n})) == substituted(
            expression, m, n
        )


def test_a_constant_is_a_number() -> None:
    assert size_of(tirx.IntImm("int64", 4096), name_of) == 4096
    assert value_of(tirx.FloatImm("float32", 0.5), name_of) == 0.5


def test_a_variable_may_stand_for_an_expression() -> None:
    held = tirx.Var("held", "int32")
    assert size_of(held * 2, lambda v: M + 1 if v.same_as(held) else "m") == "(m + 1) * 2"


def test_what_has_no_text_is_refused() -> None:
    call = tirx.call_extern("int32", "rand", M)
    with pytest.raises(UndescribedError, match="cannot be said"):
        size_of(call + 1, name_of)
