"""Text that stands where a number must: what is refused, and what may be meant."""

from __future__ import annotations

import pytest

from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import SelectionError, select

TEXT = """\
# /// workbench
# kernel = "matmul"
# [[case]]
# name = "square"
# args = { M = 64 }
# ///
import tilelang
import tilelang.language as T


@tilelang.jit
def matmul(M, block=128, dtype="float16", mode=None, size: int, free):
    @T.prim_func
    def main(A: T.Tensor((M,), "float16")):
        with T.Kernel(1):
            T.clear(A)
    return main


@tilelang.jit
def eager(A):
    N = T.const("N")
    A: T.Tensor[[N], "float16"]
    with T.Kernel(1):
        T.clear(A)
"""
# A parameter without a default may not follow one with it, but for `*`.
DOCUMENT = parse_document(TEXT.replace("size: int, free", "*, size: int, free"))


def refused(kernel: str = "matmul", **overrides: str) -> str:
    with pytest.raises(SelectionError) as raised:
        select(DOCUMENT, kernel, None, overrides)
    return str(raised.value)


def test_a_word_for_a_number_of_the_case_is_refused_with_what_to_give() -> None:
    assert refused(M="abc") == (
        "--set M=abc: 'abc' is no number, and `matmul` takes one for M (64 in the case `square`). "
        "Give a number such as --set M=64; where text is meant, quote it: --set \"M='abc'\""
    )


@pytest.mark.parametrize(
    ("kernel", "name", "giver"),
    [
        ("matmul", "block", "128 by default"),
        ("matmul", "size", "declared as int"),
        ("eager", "N", "a size"),
    ],
)
def test_a_word_for_what_takes_a_number_is_refused(kernel: str, name: str, giver: str) -> None:
    assert giver in refused(kernel, **{name: "64k"})


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("M", "'abc'", "abc"),  # the quotes say that it is meant
        ("block", "0.5", 0.5),
        ("block", "None", None),
        ("dtype", "bfloat16", "bfloat16"),
        ("mode", "fast", "fast"),
        ("free", "fast", "fast"),
    ],
)
def test_what_may_be_meant_is_taken(name: str, text: str, value: object) -> None:
    given = {"size": "1", "free": "2", name: text}
    (selection,) = select(DOCUMENT, "matmul", None, given)
    assert selection.args[name] == value
