"""A softmax in pieces: sums that follow the maximum, and scores scaled as the reference does."""

from __future__ import annotations

from typing import Any

import pytest

HEAD = """
import torch
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[3])
def attention(S=256, D=64):
    scale = D**-0.5

    @T.macro
    def rescale(o, factor):
        for i, j in T.Parallel(64, D):
            o[i, j] *= factor[i]

    @T.prim_func
    def main(
        Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"), O: T.Tensor((S, D), "float16"),
    ):
        with T.Kernel(T.ceildiv(S, 64), threads=128) as bx:
            q = T.alloc_shared((64, D), "float16")
            k = T.alloc_shared((64, D), "float16")
            v = T.alloc_shared((64, D), "float16")
            s = T.alloc_fragment((64, 64), "float32")
            p = T.alloc_fragment((64, 64), "float16")
            o = T.alloc_fragment((64, D), "float32")
            m = T.alloc_fragment((64,), "float32")
            before = T.alloc_fragment((64,), "float32")
            shrink = T.alloc_fragment((64,), "float32")
            part = T.alloc_fragment((64,), "float32")
            total = T.alloc_fragment((64,), "float32")
            T.copy(Q[bx * 64, 0], q)
            T.clear(o)
            T.clear(total)
            T.fill(m, -T.infinity("float32"))
            for n in T.Pipelined(T.ceildiv(S, 64), num_stages=2):
                T.copy(K[n * 64, 0], k)
                T.clear(s)
                T.gemm(q, k, s, transpose_B=True)  # scores
                T.copy(m, before)
                T.reduce_max(s, m, dim=1, clear=False)
                for i in T.Parallel(64):
                    m[i] = T.max(m[i], before[i])
                    shrink[i] = T.exp2({difference})
                for i, j in T.Parallel(64, 64):
                    s[i, j] = T.exp2({exponent})
                T.reduce_sum(s, part, dim=1)
                for i in T.Parallel(64):
                    {total}  # total
                {rescaled}
                T.copy(V[n * 64, 0], v)
                T.copy(s, p)
                T.gemm(p, v, o)  # output
            for i, j in T.Parallel(64, D):
                o[i, j] /= total[i]
            T.copy(o, O[bx * 64, 0])

    return main


def ref_program(Q, K, V):
    return {reference}
"""
RIGHT = {
    "difference": "before[i] * scale - m[i] * scale",
    "exponent": "s[i, j] * scale - m[i] * scale",
    "total": "total[i] = total[i] * shrink[i] + part[i]",
    "rescaled": "rescale(o, shrink)",
    "reference": "torch.softmax(Q.float() @ K.float().T * Q.shape[-1] ** -0.5, -1) @ V.float()",
}
PLAIN = {"difference": "before[i] - m[i]", "exponent": "s[i, j] - m[i]"}


def told(linted: Any, **changes: str) -> list[tuple[str, str]]:
    text = HEAD.format(**{**RIGHT, **changes})
    lines = text.split("\n")
    return [
        (each.code, lines[each.range.line - 1].rpartition("# ")[2])
        for each in linted(text, ("a100",))
        if each.code in {"online-softmax", "unscaled-scores"}
    ]


def test_a_right_attention_is_clean(linted: Any) -> None:
    assert told(linted) == []


@pytest.mark.parametrize("total", ["total[i] = total[i] + part[i]", "total[i] += part[i]"])
def test_a_total_that_keeps_old_terms_is_told_at_its_sum(linted: Any, total: str) -> None:
    assert told(linted, total=total) == [("online-softmax", "total")]


def test_an_output_that_keeps_old_terms_is_told_at_its_product(linted: Any) -> None:
    assert told(linted, rescaled="pass") == [("online-softmax", "output")]


def test_a_factor_may_be_written_out(linted: Any) -> None:
    total = "total[i] = total[i] * T.exp2(before[i] - m[i]) + part[i]"
    assert told(linted, total=total) == []


def test_sums_that_begin_anew_in_each_turn_need_no_factor(linted: Any) -> None:
    assert told(linted, total="total[i] = part[i]") == []


def test_scores_that_only_the_reference_scales_are_told_at_their_product(linted: Any) -> None:
    assert told(linted, **PLAIN) == [("unscaled-scores", "scores")]


@pytest.mark.parametrize(
    "reference",
    [
        "torch.nn.functional.scaled_dot_product_attention(Q, K, V)",
        "torch.softmax(Q @ K.T / math.sqrt(64), -1) @ V",
    ],
)
def test_a_reference_scales_in_many_ways(linted: Any, reference: str) -> None:
    assert told(linted, **PLAIN, reference=reference) == [("unscaled-scores", "scores")]


def test_scores_need_no_factor_where_the_reference_has_none(linted: Any) -> None:
    assert told(linted, **PLAIN, reference="torch.softmax(Q @ K.T, -1) @ V") == []


def test_a_row_after_the_other_has_no_running_maximum(linted: Any) -> None:
    text = """
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def losses(M=1024, N=512):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), L: T.Tensor((1,), "float32")):
        with T.Kernel(1, threads=128):
            x = T.alloc_fragment((1, N), "float32")
            m = T.alloc_fragment((1,), "float32")
            s = T.alloc_fragment((1,), "float32")
            loss = T.alloc_fragment((1,), "float32")
            T.clear(loss)
            for row in T.serial(M):
                T.copy(X[row, 0], x)
                T.reduce_max(x, m, dim=1)
                for i, j in T.Parallel(1, N):
                    x[i, j] = T.exp(x[i, j] - m[i])
                T.reduce_sum(x, s, dim=1)
                for i in T.Parallel(1):
                    loss[i] = loss[i] + T.log(s[i]) + m[i]
            T.copy(loss, L)

    return main
"""
    assert [d.code for d in linted(text, ("a100",)) if d.code == "online-softmax"] == []
