from __future__ import annotations

from typing import Any

import pytest

from workbench.core.documents.model import Case, Document, Kernel
from workbench.core.documents.reading import parse_document

TEXT = """# /// workbench
# [[case]]
# name = "square"
# args = { M = 1024, block_M = 64, policy = "row" }
# ///
import tilelang


@tilelang.jit
def kernel(M, batch, block_M=128, threads=128, num_stages=3, dtype="float16", causal=False,
           scale=0.125, shape=(1, 2), policy=None):
    return None
"""


@pytest.fixture
def document() -> Document:
    """A kernel with a parameter of each kind; `batch` has neither default nor value."""
    return parse_document(TEXT)


@pytest.fixture
def kernel(document: Document) -> Kernel:
    return document.kernels[0]


@pytest.fixture
def case(document: Document) -> Case:
    assert document.metadata is not None
    return document.metadata.cases[0]


@pytest.fixture
def args(kernel: Kernel, case: Case) -> dict[str, Any]:
    """The arguments as saved."""
    defaults = {p.name: p.default for p in kernel.parameters if p.default_is_known}
    return {**defaults, **case.args}
