"""Each kind of error in a form of its own: its code, the marked line, and what would fit."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np
import pytest

from tests.support.lowering_faults import compiled_text
from workbench.core.analysis.layout_maps import LayoutMap
from workbench.core.diagnostics import Diagnostic
from workbench.core.doctor.fixes.table import with_fixes
from workbench.core.doctor.lint import subjects_of
from workbench.core.doctor.text_edits import apply_fix
from workbench.core.documents.reading import parse_document
from workbench.core.plain import from_plain
from workbench.core.targets.table import load_targets

HEAD = "import tilelang\nimport tilelang.language as T\n\n\n"
MARK = "# here"

MATMUL = """
@tilelang.jit(out_idx=[2])
def matmul(M={m}, N={n}, K={k}):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, threads={threads}) as bx:
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((K, N), "float16")
            c = T.alloc_fragment((M, N), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.clear(c)
            T.gemm(a, b, c, policy=T.GemmWarpPolicy.{policy})  # here
            T.copy(c, C)

    return main
"""


def matmul(
    m: int = 64, n: int = 64, k: int = 32, threads: int = 128, policy: str = "Square"
) -> str:
    return MATMUL.format(m=m, n=n, k=k, threads=threads, policy=policy)


def found_in(folder: Path, body: str, target: str = "sm_80") -> tuple[Diagnostic, int | None]:
    """The one diagnostic of a kernel, and how far from the marked line it is."""
    text = HEAD + textwrap.dedent(body).lstrip("\n")
    result = compiled_text(folder / "document.py", text, target)
    assert result.failure is not None
    assert result.failure.raw
    (found,) = result.diagnostics
    marked = [n for n, line in enumerate(text.splitlines(), 1) if MARK in line]
    assert found.range is not None
    return found, found.range.line - marked[0] if marked else None


@pytest.mark.parametrize(
    ("body", "target", "code", "fits"),
    [
        (matmul(32, 8, threads=128), "sm_80", "warp-partition-illegal", "threads=64"),
        (matmul(64, 64, threads=384), "sm_90a", "warp-partition-illegal", "threads=256"),
        (matmul(64, 12), "sm_80", "tensor-core-shape-illegal", "8 or 16"),
        (matmul(24, 64), "sm_80", "tensor-core-shape-illegal", "16 or 32"),
        (matmul(64, 64, 40), "sm_80", "unaligned-block-k", "48 or 32"),
        (matmul(64, 64, 24, threads=256), "gfx942", "unaligned-block-k", "32 or 16"),
        (matmul(16, 16, threads=256), "gfx942", "warp-partition-illegal", "threads=64"),
    ],
)
def test_a_product_that_warps_or_instructions_cannot_do(
    tmp_path: Path, body: str, target: str, code: str, fits: str
) -> None:
    found, away = found_in(tmp_path, body, target)
    assert (found.code, away) == (code, 0)
    assert fits in (found.help or "")
    assert "`a` x `b` -> `c`" in found.message


ATTENTION = """
@tilelang.jit(out_idx=[3])
def scores(S=64, D=64, threads=128):
    @T.prim_func
    def main(
        Q: T.Tensor((S, D), "float16"), K: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"), O: T.Tensor((S, D), "float32"),
    ):
        with T.Kernel(1, threads=threads) as bx:
            q = T.alloc_shared((S, D), "float16")
            k = T.alloc_shared((S, D), "float16")
            v = T.alloc_shared((S, D), "float16")
            s = T.alloc_fragment((S, S), "float32")
            p = T.alloc_fragment((S, S), "float16")
            o = T.alloc_fragment((S, D), "float32")
            T.copy(Q, q)
            T.copy(K, k)
            T.copy(V, v)
            T.clear(s)
            T.clear(o)
            T.gemm(q, k, s, transpose_B=True, policy=T.GemmWarpPolicy.FullCol)
            for i, j in T.Parallel(S, S):  # here
                p[i, j] = T.exp2(s[i, j])
            T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullCol)
            T.copy(o, O)

    return main
"""


def test_layouts_that_conflict_are_both_named_and_a_policy_that_agrees(tmp_path: Path) -> None:
    found, away = found_in(tmp_path, ATTENTION)
    assert (found.code, away) == ("layout-conflict", 0)
    assert "policy=T.GemmWarpPolicy.FullRow" in (found.help or "")
    assert len(found.evidence["layouts"]) == 2
    assert set(found.evidence["buffers"]) == {"s", "p"}
    wanted = [from_plain(LayoutMap, each) for each in found.evidence["maps"]]
    assert [each.tile for each in wanted] == [(64, 64), (64, 64)]
    assert not np.array_equal(wanted[0].holders(), wanted[1].holders())


SPREAD = """
@tilelang.jit(out_idx=[1])
def scaled(M=5, N=100, threads=128):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(1, threads=threads) as bx:
            f = T.alloc_fragment((M, N), "float32")
            for i, j in T.Parallel(M, N):  # here
                f[i, j] = X[i, j] * 2.0
            for i, j in T.Parallel(M, N):
                Y[i, j] = f[i, j] + 1.0

    return main
"""


def test_elements_that_do_not_divide_among_the_threads(tmp_path: Path) -> None:
    found, away = found_in(tmp_path, SPREAD)
    assert (found.code, away) == ("layout-not-found", 0)
    assert "500 elements" in found.message
    assert "N=128" in (found.help or "")


ROWS = """
@tilelang.jit(out_idx=[1])
def rows(M=32, {parameter}threads=128):
    @T.prim_func
    def main(X: T.Tensor((M, {n}), "float16"), Y: T.Tensor((M,), "float16")):
        with T.Kernel(M // 16, threads=threads) as bx:
            x = T.alloc_fragment((16, {n}), "float16")
            s = T.alloc_fragment((16,), "float16")
            T.copy(X[bx * 16, 0], x)  # here
            T.reduce_sum(x, s, dim=1)
            T.copy(s, Y[bx * 16])

    return main
"""


@pytest.mark.parametrize(
    ("parameter", "n", "said"),
    [
        ("N=1000, ", "N", "N=1024"),
        pytest.param("", "1000", "rows of 1024 elements", marks=pytest.mark.thorough),
    ],
)
def test_extents_of_rows_that_lower_are_named_and_offered(
    tmp_path: Path, parameter: str, n: str, said: str
) -> None:
    text = HEAD + ROWS.format(parameter=parameter, n=n).lstrip("\n")
    (found,) = compiled_text(tmp_path / "document.py", text, "sm_90a").diagnostics
    assert (found.code, found.evidence["extents"][0]) == ("layout-not-found", 1024)
    assert said in (found.help or "")
    document = parse_document(text, None)
    subjects = subjects_of(document, {}, [load_targets().resolve("sm_90a")])
    (offered,) = with_fixes([found], document, subjects)
    mended = apply_fix(text, offered.fixes[0])
    assert not offered.fixes[0].safe
    assert compiled_text(tmp_path / "mended.py", mended, "sm_90a").failure is None


ONE_LOOP = """
@tilelang.jit(out_idx=[1])
def kernel(M=64, N=128):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor(({rows}), "float32")):
        with T.Kernel(1, threads=128) as bx:
            f = T.alloc_fragment((M, N), "float32")
            s = T.alloc_fragment(({rows}), "float32"){at_result}
            T.copy(X, f)
{body}

    return main
"""


def loop(rows: str, *body: str, at_result: str = "") -> str:
    lines = "\n".join(" " * 12 + line for line in body)
    return ONE_LOOP.format(rows=rows, body=lines, at_result=at_result)


@pytest.mark.parametrize(
    ("body", "code", "fits"),
    [
        (
            loop(
                "M, N",
                "for i, j in T.Parallel(M, N):",
                "    s[i, j] = f[i, j] - f[i, N - 1 - j]  # here",
                "T.copy(s, Y)",
            ),
            "fragment-two-index-maps",
            "alloc_shared",
        ),
        (
            loop("M, 1", "T.reduce_max(f, s, dim=1)", "T.copy(s, Y)", at_result="  # here"),
            "rank-mismatch",
            "(64,)",
        ),
        (loop("N,", "T.reduce_max(f, s, dim=1)  # here", "T.copy(s, Y)"), "rank-mismatch", ""),
        (
            loop(
                "M,",
                "T.reduce_sum(f, s, dim=1)",
                "for i in T.serial(M):",
                "    s[i] = s[i] + 1.0  # here",
                "T.copy(s, Y)",
            ),
            "fragment-serial-access",
            "T.Parallel",
        ),
        (
            loop(
                "M,",
                "for i in T.Parallel(M):  # here",
                "    for j in T.Parallel(N):",
                "        s[i] = f[i, j]",
                "    T.clear(s)",
            ),
            "nested-parallel",
            "T.Parallel",
        ),
    ],
)
def test_an_access_that_a_fragment_cannot_serve(
    tmp_path: Path, body: str, code: str, fits: str
) -> None:
    found, away = found_in(tmp_path, body)
    assert (found.code, away) == (code, 0)
    assert fits in (found.help or "")


SERIAL = (
    matmul()
    .replace(
        "T.copy(c, C)\n",
        "for j in T.Parallel(N):\n"
        "                for i in T.serial(M):\n"
        "                    C[0, j] = C[0, j] + c[i, j]  # here\n",
    )
    .replace("  # here\n            for j", "\n            for j")
)


def test_a_serial_loop_over_the_rows_of_a_product(tmp_path: Path) -> None:
    found, away = found_in(tmp_path, SERIAL)
    assert (found.code, away) == ("fragment-serial-access", 0)
    assert "dim=0" in (found.help or "")


PIPELINES = """
@tilelang.jit(out_idx=[2])
def twice(K=128):
    @T.prim_func
    def main(
        A: T.Tensor((64, K), "float16"),
        B: T.Tensor((K, 64), "float16"),
        C: T.Tensor((64, 64), "float32"),
    ):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((64, 32), "float16")
            b = T.alloc_shared((32, 64), "float16")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 32, num_stages=3):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c)
            for k in T.Pipelined(K // 32, num_stages=2):  # here
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, 0], b)
                T.gemm(a, b, c)
            T.copy(c, C)

    return main
"""


def test_a_tile_in_pipelines_of_different_depth(tmp_path: Path) -> None:
    found, away = found_in(tmp_path, PIPELINES)
    assert (found.code, away) == ("sibling-pipelines-mismatch", 0)
    assert "num_stages=3 (or 2)" in (found.help or "")


def test_operands_that_fit_when_the_first_is_turned(tmp_path: Path) -> None:
    body = matmul(64, 32, 16).replace("a = T.alloc_shared((M, K)", "a = T.alloc_shared((K, M)")
    body = body.replace("T.copy(A, a)", "T.fill(a, 1.0)")
    found, away = found_in(tmp_path, body)
    assert (found.code, away) == ("gemm-shape-mismatch", 0)
    assert found.evidence["fits"] == [[True, False]]


def test_a_layout_that_puts_rows_on_each_other(tmp_path: Path) -> None:
    line = "T.annotate_layout({a: T.Layout((64, 32), lambda i, j: (i // 2, j))})  # here"
    body = (
        matmul()
        .replace("  # here", "")
        .replace("T.copy(A, a)", f"{line}\n            T.copy(A, a)")
    )
    found, away = found_in(tmp_path, body)
    assert (found.code, away) == ("layout-not-injective", 0)


def test_a_misspelt_name_leads_to_the_one_that_was_meant(tmp_path: Path) -> None:
    text = matmul().replace('a = T.alloc_shared((M, K), "float16")', "a = T.aloc_shared((M, K))")
    found, away = found_in(tmp_path, text.replace("  # here", "").replace("K))", "K))  # here"))
    assert (found.code, away) == ("removed-api", 0)
    assert found.message.endswith("The nearest name is `alloc_shared`.")
    assert found.evidence == {"name": "aloc_shared", "nearest": "alloc_shared"}


def test_what_is_not_known_is_shown_whole_at_its_line(tmp_path: Path) -> None:
    body = matmul().replace("    @T.prim_func", '    int("twelve")  # here\n    @T.prim_func')
    found, away = found_in(tmp_path, body)
    assert (found.code, away) == ("build-error", 0)
    assert "twelve" in found.message
