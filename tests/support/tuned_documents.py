"""A document with an `@autotune` decorator, whose configurations a test writes."""

from __future__ import annotations

from pathlib import Path

from workbench.session.open_document import OpenDocument

TUNED = """
import itertools
import os

import tilelang
import tilelang.language as T


@tilelang.autotune(configs={configs})
@tilelang.jit(out_idx=[-1])
def scale(M=1024, N=1024, block=128, threads=None, factor=2):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M, T.ceildiv(N, block), threads=threads) as (row, part):
            for i in T.Parallel(block):
                B[row, part * block + i] = A[row, part * block + i] * factor

    return main
"""
SIX = "[dict(block=b, threads=t) for b, t in itertools.product((64, 128, 256), (128, 256))]"
UNTOLD = '[dict(block=int(os.environ.get("BLOCK", "64")), threads=128)]'


def tuned(folder: Path, configs: str = SIX) -> OpenDocument:
    """The document, opened from a file."""
    path = folder / "scale.py"
    path.write_text(TUNED.replace("{configs}", configs), "utf-8")
    document = OpenDocument.of(path.read_text("utf-8"), path, path.name)
    document.targets = ("h200",)
    return document
