"""The edits of a change of a tile, and why some have to be made by hand."""

from __future__ import annotations

import pytest

from workbench.core.analysis.bank_changes import Change, ChangeKind
from workbench.core.doctor.fixes.situation import situation_of
from workbench.core.doctor.fixes.tile_changes import NoEditError, change_fix
from workbench.core.doctor.lint import Subject
from workbench.core.doctor.text_edits import apply_fix
from workbench.core.documents.reading import parse_document
from workbench.core.targets.table import load_targets

KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit
def store(N=64):
    @T.prim_func
    def main(A: T.Tensor((N, N), "float16"), B: T.Tensor((N, N), "float16")):
        with T.Kernel(1, threads=128):
            O_s = T.alloc_shared((N, 64), "float16")
            T.copy(A, O_s)
            T.copy(O_s, B)
    return main
"""
PRODUCT = KERNEL.replace("T.copy(O_s, B)", "T.gemm(O_s, O_s, C)").replace(
    "T.copy(A,", "C = T.alloc_fragment((N, N), 'float32')\n            T.copy(A,"
)
LAID_OUT = KERNEL.replace(
    "            T.copy(A,", "            T.annotate_layout({O_s: L(O_s)})\n            T.copy(A,"
)


def edited(change: Change, text: str = KERNEL) -> list[str]:
    document = parse_document(text)
    subject = Subject(document.kernels[0], {"N": 64}, (load_targets().resolve("sm_80"),))
    situation = situation_of(document, (subject,))
    assert situation is not None
    after = apply_fix(text, change_fix(situation, change)).splitlines()
    return [line.strip() for line in after if line not in text.splitlines()]


def test_a_pad_lengthens_the_rows_and_copies_the_part_that_was() -> None:
    assert edited(Change(ChangeKind.PAD, "O_s", 8)) == [
        'O_s = T.alloc_shared((N, 72), "float16")',
        "T.copy(A, O_s[0:N, 0:64])",
        "T.copy(O_s[0:N, 0:64], B)",
    ]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (
            Change(ChangeKind.SWIZZLE, "O_s", 128),
            "T.annotate_layout({O_s: tilelang.layout.make_full_bank_swizzled_layout(O_s)})",
        ),
        (
            Change(ChangeKind.SWIZZLE, "O_s", 64),
            "T.annotate_layout({O_s: tilelang.layout.make_half_bank_swizzled_layout(O_s)})",
        ),
        (
            Change(ChangeKind.XOR, "O_s", 8),
            "T.annotate_layout({O_s: T.Layout(O_s.shape, "
            "lambda i, j: (i, (j // 8 ^ i % 8) * 8 + j % 8))})",
        ),
        (
            Change(ChangeKind.XOR, "O_s", 1),
            "T.annotate_layout({O_s: T.Layout(O_s.shape, lambda i, j: (i, j ^ i % 64))})",
        ),
    ],
)
def test_another_order_is_a_layout_after_the_allocation(change: Change, line: str) -> None:
    assert edited(change) == [line]


@pytest.mark.parametrize(
    ("change", "text", "why"),
    [
        (Change(ChangeKind.PAD, "O_s", 8), PRODUCT, "operand"),
        (Change(ChangeKind.PAD, "O_s", 8), LAID_OUT, "a layout of its own"),
        (Change(ChangeKind.SWIZZLE, "O_s", 128), LAID_OUT, "a layout of its own"),
        (Change(ChangeKind.TRANSPOSE, "O_s"), KERNEL, "index"),
        (Change(ChangeKind.WIDTH, "O_s", 16), KERNEL, "loop"),
        (Change(ChangeKind.PAD, "nothing", 8), KERNEL, "not found"),
    ],
)
def test_why_a_change_is_made_by_hand(change: Change, text: str, why: str) -> None:
    with pytest.raises(NoEditError, match=why):
        edited(change, text)
