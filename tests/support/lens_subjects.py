"""Subjects for tests of lenses: a kernel with analyses for targets, made by hand."""

from __future__ import annotations

from typing import Any

from tests.support.analysis_results import analysis, analyzed
from workbench.core.targets.table import load_targets
from workbench.session.lenses.subject import LensSubject, LensTarget

DOUBLE = """\
import tilelang.language as T


@T.prim_func
def double(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
    with T.Kernel(1, threads=64):
        for i in T.Parallel(64):
            B[i] = A[i] * 2
"""


def lens_target(name: str, mark: int = 0, level: int = 2, **parts: Any) -> LensTarget:
    """A target with the usual analysis, in which `parts` replace some."""
    return LensTarget(load_targets().resolve(name), mark, analyzed(analysis(**parts)), level=level)


def lens_subject(*targets: LensTarget, text: str = "", **fields: Any) -> LensSubject:
    """A document `gemm.py` with these targets."""
    usual = {"kernel": "matmul", "case": "default", "arguments": {}}
    return LensSubject("gemm.py", "gemm.py", text, targets=targets, **{**usual, **fields})
