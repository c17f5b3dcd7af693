from __future__ import annotations

from workbench.core.exporting.reference_source import reference_source

TEXT = '''\
"""A document."""
from __future__ import annotations

import math
import tilelang
import tilelang.language as T
import torch
from helpers import scale as scaled

try:
    import einops
except ImportError:
    einops = None
LIMIT = 3
OTHER = 4


def doubled(x):  # a comment
    return 2 * x


@tilelang.jit(out_idx=[-1])
def kernel(N):
    return T.ceildiv(N, OTHER)


@torch.no_grad()
def ref_program(A: torch.Tensor):
    """Its words."""
    return doubled(scaled(A)) + math.pi * LIMIT


def make_inputs(N):
    return einops.repeat(torch.randn(N), "n -> n 2")


if __name__ == "__main__":
    LIMIT = 5
    print(ref_program(1))
'''


def test_what_a_function_uses_comes_along_in_the_documents_order() -> None:
    assert (
        reference_source(TEXT, ("ref_program",))
        == '''\
from __future__ import annotations
import math
import torch
from helpers import scale as scaled
LIMIT = 3


def doubled(x):  # a comment
    return 2 * x



@torch.no_grad()
def ref_program(A: torch.Tensor):
    """Its words."""
    return doubled(scaled(A)) + math.pi * LIMIT
'''
    )


def test_a_name_that_a_block_binds_brings_the_whole_block() -> None:
    found = reference_source(TEXT, ("make_inputs",))
    assert "except ImportError:\n    einops = None" in found
    assert "tilelang" not in found
    compile(found, "alone", "exec")


def test_a_document_without_them_gives_nothing() -> None:
    assert reference_source(TEXT, ("absent",)) == ""


def test_a_reference_that_uses_tilelang_keeps_its_import() -> None:
    text = "import tilelang.language as T\n\n\ndef ref_program(A):\n    return T.float32\n"
    assert reference_source(text, ("ref_program",)) == text
