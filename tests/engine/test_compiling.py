"""What is kept of a compile is found again for the same kernel, and for no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lowering_faults import compiled_text

DOCUMENT = '''import tilelang
import tilelang.language as T

SOURCE = """
#include <tl_templates/cuda/common.h>
__device__ half_t changed(half_t x) { return x; }
"""


@tilelang.jit(out_idx=[1])
def copy(N=64):
    @T.prim_func
    def main(X: T.Tensor((N, N), "float16"), Y: T.Tensor((N, N), "float16")):
        with T.Kernel(1, threads=128):
            T.import_source(SOURCE)
            tile = T.alloc_shared((N, N), "float16")
            T.annotate_layout({tile: T.Layout((N, N), lambda i, j: i * 64 + j)})
            T.copy(X, tile)
            for i, j in T.Parallel(N, N):
                Y[i, j] = T.call_extern("float16", "changed", tile[i, j])

    return main
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [("return x;", "return x + x;"), ("i * 64 + j)", "i * 64 + (j ^ (i % 8 * 8)))")],
    ids=["imported source", "layout"],
)
def test_what_a_kernel_only_refers_to_makes_another_kernel(
    tmp_path: Path, old: str, new: str
) -> None:
    path = tmp_path / "document.py"
    before = compiled_text(path, DOCUMENT, emit=("source",))
    after = compiled_text(path, DOCUMENT.replace(old, new), emit=("source",))
    assert before.failure is None
    assert not after.cached
    assert after.emitted["source"] != before.emitted["source"]


def test_a_comment_costs_no_lowering(tmp_path: Path) -> None:
    path = tmp_path / "document.py"
    compiled_text(path, DOCUMENT)
    assert compiled_text(path, f"# about it\n{DOCUMENT}").cached
