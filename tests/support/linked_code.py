"""Linked texts made by hand: a copy that stores with conflicts, and a product."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.support.analysis_results import COPY, GEMM
from tests.support.lens_subjects import lens_target
from workbench.core.linked_code import LinkedResult, LinkedText
from workbench.session.lenses.subject import LensTarget
from workbench.session.linking import LinkedCode

DOCUMENT = """import tilelang.language as T
with T.Kernel(1) as bx:
    A_s = T.alloc_shared((64, 64), "float16")
    T.copy(A, A_s)
    T.gemm(A_s, B_s, C)
"""
_SASS = """main_kernel:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/                   LDG.E.128 R4, [R2] ;
        /*0020*/                   STS.128 [R2], R4 ;
        /*0030*/                   LDSM.16.M88.4 R8, [R2] ;
        /*0040*/                   HMMA.16816.F32 R12, R8, R4, R12 ;
        /*0050*/                   HMMA.16816.F32 R16, R8, R6, R16 ;
        /*0060*/                   EXIT ;"""
_PTX = """\tmov.u32 %r1, %tid.x;
\tst.shared.v4.u32 [%r1], {%r2};
\tmma.sync.aligned.m16n8k16 {%f1}, {%r3}, {%r4}, {%f1};"""
TEXTS = (
    LinkedText("tir", "def main():\n    T.copy(A, A_s)\n    T.gemm(A_s)", (0, COPY, GEMM)),
    LinkedText("lowered", "def main():\n    for i:\n        A_s = A\n    mma()", (0, 4, 4, 5)),
    LinkedText("source", "void main() {\n  copy();\n  mma();\n}", (0, COPY, GEMM, 0)),
    LinkedText("ptx", _PTX, (0, COPY, GEMM)),
    LinkedText(
        "sass",
        _SASS,
        (0, 0, COPY, COPY, GEMM, GEMM, GEMM, 0),
        (-1, 2, 9, 10, 30, 31, 12, 40),
    ),
)


def linked(result: LinkedResult | None = None, revision: int = 0) -> LinkedCode:
    """Texts of the document above."""
    return LinkedCode(
        revision, DOCUMENT, result if result is not None else LinkedResult(None, TEXTS)
    )


def linked_target(
    result: LinkedResult | None = None, stale: bool = False, **parts: Any
) -> LensTarget:
    """An H100 with these texts and the usual analysis, in which `parts` replace some."""
    return replace(lens_target("h100", **parts), linked=linked(result), stale=stale)


def long_target(rows: int, lines: int = 40) -> LensTarget:
    """A target with so many rows of PTX and of SASS, which came from so many lines in turn."""
    ptx = "\n".join(f"\tadd.s32 %r{n}, %r{n % 97}, {n}; // row {n}" for n in range(rows))
    sass = "\n".join(
        f"        /*{16 * n:05x}*/                   IMAD.MOV.U32 R{n % 255}, RZ, RZ, 0x{n:x} ;"
        for n in range(rows)
    )
    from_lines = tuple(n // 7 % lines + 1 for n in range(rows))
    live = tuple(20 + n % 200 for n in range(rows))
    texts = (LinkedText("ptx", ptx, from_lines), LinkedText("sass", sass, from_lines, live))
    document = "\n".join(f"    T.copy(A[{n}], B)  # line {n}" for n in range(1, lines + 1))
    made = LinkedCode(0, document, LinkedResult(None, texts))
    return replace(lens_target("h100"), linked=made)
