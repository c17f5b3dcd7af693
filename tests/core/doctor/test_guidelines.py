"""Each guideline is told where it holds, and is silent where it does not apply."""

from __future__ import annotations

import re

import pytest

from workbench.core.diagnostics import Severity

_GEMM = """
import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[2])
def build(M={size}, N={size}, K={size}, bm={m}, bn={n}, bk=32, stages={stages}):
    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"),
             C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=128) as (bx, by):
            T.use_swizzle(panel_size=10)
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bk, bn), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            {layout}
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=stages):
                T.copy(A[by * bm, k * bk], a)
                T.copy(B[k * bk, bx * bn], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * bm, bx * bn])
    return main
"""


def _gemm(size=1024, m=128, n=128, stages=2, layout="pass"):
    return _GEMM.format(size=size, m=m, n=n, stages=stages, layout=layout)


def _told(linted, text, code, *targets):
    found = [d for d in linted(text, targets or ("a100", "h100")) if d.code == code]
    assert all(d.severity is Severity.INFO for d in found)
    return found


def test_too_many_stages_are_told_with_what_fits(linted):
    (found,) = _told(linted, _gemm(m=256, n=256, stages=6), "pipeline-depth", "a100", "h100")
    assert "6 stages of 32 KiB each keep 192 KiB" in found.message
    assert found.targets == ("a100",)
    assert "5 on a100 (163 KiB)" in found.message
    assert found.fixes[0].title == "Use 4 stages"


def test_more_than_four_stages_are_told_where_they_fit(linted):
    (found,) = _told(linted, _gemm(stages=5), "pipeline-depth")
    assert "More than 4 stages" in found.message
    assert found.targets == ()


@pytest.mark.parametrize("stages", [2, 3, 4])
def test_two_to_four_stages_that_fit_are_left_alone(linted, stages):
    assert not _told(linted, _gemm(stages=stages), "pipeline-depth")


def test_stages_cost_nothing_where_tiles_are_kept_once(linted):
    assert not _told(linted, _gemm(m=256, stages=5), "pipeline-depth", "mi300x")


def _decode(stages, width=65536):
    text = _gemm(m=64, n=128, stages=stages)
    return text.replace("M=1024, N=1024", f"M=64, N={width}").replace("K=1024", "K=4096")


def test_a_third_stage_is_advised_where_memory_is_the_limit(linted):
    (found,) = _told(linted, _decode(2), "pipeline-depth", "h100")
    assert "bound by memory" in found.message
    assert found.fixes[0].title == "Use 3 stages"


def test_no_third_stage_is_advised_where_it_is_there_or_operands_are_cached(linted):
    assert not _told(linted, _decode(3), "pipeline-depth", "h100")
    assert not _told(linted, _decode(2, width=512), "pipeline-depth", "h100")
    assert not _told(linted, _gemm(size=8192), "pipeline-depth", "h100")


_LINEAR = "T.annotate_layout({a: T.Layout((bm, bk), lambda i, j: i * bk + j)})"
_IDENTITY = "T.annotate_layout({a: T.Layout((bm, bk), lambda i, j: (i, j))})"
_XOR = "T.annotate_layout({a: T.Layout((bm, bk), lambda i, j: (i, j ^ (i // 2 % 4 * 8)))})"
_PADDED = "T.annotate_layout({a: T.Layout((bm, bk), lambda i, j: i * (bk + 8) + j)})"
_MADE = "T.annotate_layout({a: tilelang.layout.make_swizzled_layout(a)})"


@pytest.mark.parametrize("layout", [_LINEAR, _IDENTITY])
def test_annotation_that_undoes_the_swizzle_is_told(linted, layout):
    (found,) = _told(linted, _gemm(layout=layout), "swizzle-prevented")
    assert "4-way" in found.message  # rows of 64 bytes: two groups of banks for eight rows
    assert found.fixes[0].title == "Leave the layout to T.gemm"


@pytest.mark.parametrize("layout", ["pass", _XOR, _PADDED, _MADE])
def test_swizzled_padded_and_plain_operands_are_left_to_tilelang(linted, layout):
    assert not _told(linted, _gemm(layout=layout), "swizzle-prevented")


def test_small_tiles_of_a_large_product_are_told(linted):
    (found,) = _told(linted, _gemm(size=8192, m=64, n=64), "tile-size", "a100", "h100", "mi300x")
    assert "128 x 128 x 32 is usual (16 KiB a stage)" in found.message
    assert "up to 256 x 128 with 4 stages" in found.message
    assert "within 64 KiB of LDS" in found.message


def test_small_tiles_that_fill_the_target_are_left_alone(linted):
    assert not _told(linted, _gemm(size=1024, m=64, n=64), "tile-size")
    assert not _told(linted, _gemm(size=8192), "tile-size")


_ATTENTION = """
import tilelang.language as T

@T.prim_func
def attention(Q: T.Tensor(({m}, 64), "float16"), K: T.Tensor((1024, 64), "float16"),
              V: T.Tensor((1024, {d}), "float16"), O: T.Tensor(({m}, {d}), "float16")):
    with T.Kernel(1, threads={threads}) as bx:
        q = T.alloc_shared(({m}, 64), "float16")
        k = T.alloc_shared((64, 64), "float16")
        v = T.alloc_shared((64, {d}), "float16")
        s = T.alloc_fragment(({m}, 64), "float32")
        p = T.alloc_{place}(({m}, 64), "float16")
        top = T.alloc_fragment(({m},), "float32")
        o = T.alloc_fragment(({m}, {d}), "float32")
        T.copy(Q, q)
        T.clear(o)
        T.fill(top, -T.infinity("float32"))
        for n in T.Pipelined(16, num_stages=2):
            T.copy(K[n * 64, 0], k)
            T.clear(s)
            T.gemm(q, k, s, transpose_B=True{policy})
            T.reduce_max(s, top, dim=1, clear=False)
            T.copy(V[n * 64, 0], v)
            T.copy(s, p)
            T.gemm(p, v, o{policy})
        T.copy(o, O)
"""


def _attention(m=64, d=64, threads=128, place="fragment", policy=""):
    return _ATTENTION.format(m=m, d=d, threads=threads, place=place, policy=policy)


def test_attention_is_advised_whole_rows(linted):
    (found,) = _told(linted, _attention(), "warp-policy", "a100")
    assert "FullRow" in found.message
    assert len(found.fixes[0].edits) == 2


def test_decoding_with_few_rows_and_a_wide_output_is_advised_columns(linted):
    text = _attention(m=64, d=512, threads=256, place="shared")
    (found,) = _told(linted, text, "warp-policy", "h100")
    assert "FullCol" in found.message
    roles = re.sub(
        r"( +)(T\.)(gemm.*)", r"\1if T.get_thread_binding() < 128:\n\1    \2wgmma_\3", text
    )
    assert not _told(linted, roles, "warp-policy", "h100")


def test_no_policy_is_advised_where_one_is_chosen_or_nothing_is_shared(linted):
    for policy in ("FullRow", "FullCol", "Square"):
        chosen = _attention(policy=f", policy=T.GemmWarpPolicy.{policy}")
        assert not _told(linted, chosen, "warp-policy", "a100")
    assert not _told(linted, _attention(m=16, threads=32), "warp-policy", "a100")
    assert not _told(linted, _attention(), "warp-policy", "h100")  # wgmma divides rows anyway
    assert not _told(linted, _gemm(), "warp-policy")


_ROWS = """
import tilelang.language as T

@T.prim_func
def rows(X: T.Tensor((64, {columns}), "float32"), Y: T.Tensor((64, {columns}), "float32")):
    with T.Kernel(64, threads=128) as bx:
        x = T.alloc_fragment((1, 128), "float32")
        y = T.alloc_fragment((1, 128), "float32")
        r = T.alloc_fragment((1,), "float32")
        T.copy(X[bx, 0], x)
        {body}
        T.copy(y, Y[bx, 0])
"""
_SQUARES = """for i, j in T.Parallel(1, 128):
            y[i, j] = x[i, j] * x[i, j]
        T.reduce_sum(y, r, dim=1)
        for i, j in T.Parallel(1, 128):
            y[i, j] = """


def _row(body, columns=128):
    return _ROWS.format(columns=columns, body=body)


@pytest.mark.parametrize(
    "value", ["x[i, j] * T.rsqrt(r[i] / 128)", "x[i, j] / T.sqrt(r[i])", "x[i, j] / r[i]"]
)
def test_a_norm_without_epsilon_is_told_at_its_line(linted, value):
    text = _row(_SQUARES + value)
    (found,) = _told(linted, text, "epsilon-advised")
    assert value in text.split("\n")[found.range.line - 1]
    assert found.fixes


@pytest.mark.parametrize(
    "value",
    [
        "x[i, j] * T.rsqrt(r[i] / 128 + 1e-6)",
        "x[i, j] / (T.sqrt(r[i]) + eps)",
        "x[i, j] / T.max(r[i], 1e-4)",
        "x[i, j] / 128",
        "T.if_then_else(r[i] > 0, x[i, j], 0)",
    ],
)
def test_a_guarded_divisor_and_a_number_are_left_alone(linted, value):
    assert not _told(linted, _row(_SQUARES + value), "epsilon-advised")


_SOFTMAX = """T.reduce_max(x, r, dim=1)
        for i, j in T.Parallel(1, 128):
            y[i, j] = T.exp({value})
        T.reduce_sum(y, r, dim=1)
        for i, j in T.Parallel(1, 128):
            y[i, j] = y[i, j] / r[i]"""


def test_a_softmax_needs_no_epsilon(linted):
    assert not _told(linted, _row(_SOFTMAX.format(value="x[i, j] - r[i]")), "epsilon-advised")


def test_zeros_past_the_end_of_a_row_are_told_where_they_count(linted):
    text = _row(_SOFTMAX.format(value="x[i, j] - r[i]"), columns=100)
    (found,) = _told(linted, text, "boundary-padding")
    assert "Rows have 100 elements and tiles 128" in found.message
    assert "reduce_max" in text.split("\n")[found.range.line - 1]


def test_whole_tiles_neutral_zeros_and_masks_are_left_alone(linted):
    whole = _row(_SOFTMAX.format(value="x[i, j] - r[i]"))
    masked = _row(_SOFTMAX.format(value="T.if_then_else(j < 100, x[i, j] - r[i], -1e9)"), 100)
    summed = _row(_SQUARES + "x[i, j] * T.rsqrt(r[i] / 100 + 1e-6)", columns=100)
    for text in (whole, masked, summed):
        assert not _told(linted, text, "boundary-padding")


def test_order_of_blocks_is_no_matter_where_an_axis_chooses_the_head(linted):
    text = _gemm(size=4096).replace("            T.use_swizzle(panel_size=10)\n", "")
    assert _told(linted, text, "missing-swizzle-l2")
    sliced = text.replace("A[by * bm, k * bk]", "A[by * bm : (by + 1) * bm, k * bk : (k + 1) * bk]")
    assert _told(linted, sliced, "missing-swizzle-l2")
    heads = text.replace("A[by * bm, k * bk]", "A[by * bm + bx, k * bk]")
    assert not _told(linted, heads, "missing-swizzle-l2")
