"""The table of all patterns."""

from __future__ import annotations

from workbench.core.documents.suggestions import did_you_mean
from workbench.core.patterns.attention.backward import FLASH_ATTENTION_BACKWARD
from workbench.core.patterns.attention.block_sparse import BLOCK_SPARSE_ATTENTION
from workbench.core.patterns.attention.decoding import FLASH_DECODING
from workbench.core.patterns.attention.forward import FLASH_ATTENTION
from workbench.core.patterns.attention.latent import MLA_DECODE
from workbench.core.patterns.attention.linear import LINEAR_ATTENTION
from workbench.core.patterns.batched_gemm import BATCHED_GEMM, GROUPED_GEMM
from workbench.core.patterns.convolution import CONVOLUTION
from workbench.core.patterns.elementwise import ELEMENTWISE
from workbench.core.patterns.gemm.pattern import GEMM
from workbench.core.patterns.gemv import GEMV
from workbench.core.patterns.int4.gemm import INT4_GEMM
from workbench.core.patterns.int4.gemv import INT4_GEMV
from workbench.core.patterns.model import Pattern, PatternError
from workbench.core.patterns.norm import NORM
from workbench.core.patterns.reduction import REDUCTION
from workbench.core.patterns.scaffold.pattern import SCAFFOLD
from workbench.core.patterns.softmax import SOFTMAX
from workbench.core.patterns.splitk_gemm import SPLITK_GEMM
from workbench.core.patterns.streamk_gemm import STREAMK_GEMM
from workbench.core.patterns.top_k import TOP_K
from workbench.core.patterns.transpose import TRANSPOSE

PATTERNS: tuple[Pattern, ...] = (
    SCAFFOLD,
    GEMM,
    BATCHED_GEMM,
    GROUPED_GEMM,
    SPLITK_GEMM,
    STREAMK_GEMM,
    GEMV,
    INT4_GEMV,
    INT4_GEMM,
    CONVOLUTION,
    ELEMENTWISE,
    SOFTMAX,
    NORM,
    TRANSPOSE,
    REDUCTION,
    TOP_K,
    FLASH_ATTENTION,
    FLASH_ATTENTION_BACKWARD,
    FLASH_DECODING,
    MLA_DECODE,
    LINEAR_ATTENTION,
    BLOCK_SPARSE_ATTENTION,
)
"""In the order in which a list shows them."""


def pattern_named(name: str) -> Pattern:
    """The pattern with that id. Raises PatternError."""
    found = next((pattern for pattern in PATTERNS if pattern.id == name), None)
    if found is None:
        ids = [pattern.id for pattern in PATTERNS]
        raise PatternError(f"there is no pattern `{name}`{did_you_mean(name, ids)}")
    return found
