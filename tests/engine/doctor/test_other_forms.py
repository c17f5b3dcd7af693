"""Errors of TileLang in forms that are met less often: their codes at the marked lines."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.support.lowering_faults import compiled_text
from workbench.core.diagnostics import Diagnostic

_KERNEL = """
import tilelang
import tilelang.language as T


@tilelang.jit
def build(M=64, N=64, K=32):
    @T.macro
    def load(X, x):
        for i in T.Parallel(M):
            {load}

    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(1, threads=128) as bx:
            a = T.alloc_shared((M, K), "float16")
            b = T.alloc_shared((K, N), "{dtype}")
            c = T.alloc_fragment((M, N), "float32")
            r = T.alloc_fragment((M,), "float32")
            T.copy(A, a)
            T.copy(B, {b})
            T.gemm(a, b, {c}, clear_accum=True){mark}
{body}
            T.copy(c, C)

    return main
"""


def _found(folder: Path, body: str, **parts: str) -> tuple[Diagnostic, int]:
    """The one diagnostic of the kernel, and how far from the marked line it is."""
    given = {"load": "x[i, 0] = X[i, 0]", "dtype": "float16", "b": "b", "c": "c", **parts}
    inner = textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 12)
    mark = "" if "# here" in f"{body}{given}" else "  # here"
    text = _KERNEL.format(body=inner, mark=mark, **given)
    result = compiled_text(folder / "document.py", text, "sm_80")
    assert result.failure is not None
    (found,) = result.diagnostics
    (marked,) = (n for n, line in enumerate(text.split("\n"), 1) if "# here" in line)
    assert found.range is not None
    return found, found.range.line - marked


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        ("load(A[0:M, 0, 0], a)  # here", "rank-mismatch", "3 indices"),
        ("T.fill(a[0], 0)  # here", "rank-mismatch", "1 index"),
        ("d = T.alloc_fragment((M,), 'float32')  # here\nT.clear(d)", "layout-not-found", "`d`"),
        (
            "T.clear(r)\nfor j in T.serial(N):\n    for i in T.Parallel(M):\n"
            "        r[i] += c[i, j]  # here\nT.copy(r, C[0, 0:M])",
            "fragment-serial-access",
            "loop over `j`",
        ),
        (
            "T.reduce_max(c, r, dim=1)  # here\nfor i, j in T.Parallel(M, N):\n"
            "    c[i, j] -= r[i]\nfor i in T.serial(M):\n    if r[i] > 1.0:\n        C[i, 0] = 1.0",
            "layout-conflict",
            "`r` (64,)",
        ),
    ],
)
def test_error_is_told_at_its_line(tmp_path: Path, body: str, code: str, said: str) -> None:
    found, away = _found(tmp_path, body)
    assert (found.code, away) == (code, 0)
    assert said in found.message


def test_error_in_a_macro_is_told_at_its_own_line(tmp_path: Path) -> None:
    found, away = _found(tmp_path, "load(A, a)", load="x[i] = X[i, 0]  # here")
    assert (found.code, away) == ("rank-mismatch", 0)
    assert [each.text for each in found.related] == ["load is called here"]


@pytest.mark.parametrize(
    ("parts", "code", "said"),
    [
        ({"dtype": "bfloat16"}, "gemm-dtype-mismatch", "float16 by bfloat16"),
        ({"c": "C"}, "gemm-operand-scope", "global memory"),
    ],
)
def test_product_error_is_told_at_the_product(
    tmp_path: Path, parts: dict[str, str], code: str, said: str
) -> None:
    found, away = _found(tmp_path, "", **parts)
    assert (found.code, away) == (code, 0)
    assert said in found.message


def test_copy_of_unlike_shapes_is_told_at_the_copy(tmp_path: Path) -> None:
    found, _ = _found(tmp_path, "T.copy(a, b)  # here")
    assert found.code == "copy-shape-mismatch"
    assert "`a` (64, 32) to `b` (32, 64)" in found.message
