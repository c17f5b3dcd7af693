"""One kernel for several targets has what the least of them needs."""

from __future__ import annotations

import pytest

from workbench.core.patterns.generating import generate
from workbench.core.patterns.model import Setting
from workbench.core.patterns.table import pattern_named
from workbench.core.targets.table import load_targets

TARGETS = load_targets()
SWIZZLED = "tilelang.layout.make_swizzled_layout("


def text(pattern: str, *targets: str) -> str:
    setting = Setting(tuple(TARGETS.resolve(target) for target in targets))
    return generate(pattern_named(pattern), {}, setting).text


@pytest.mark.parametrize(
    "pattern",
    [
        "gemm",
        "batched_gemm",
        "grouped_gemm",
        "flash-attention",
        "block-sparse-attention",
        "linear-attention",
    ],
)
def test_a_tile_lies_swizzled_where_one_of_the_targets_needs_it(pattern: str) -> None:
    """Conflict-free on both, by the code: an H100's copies and products take swizzled tiles."""
    assert SWIZZLED not in text(pattern, "h100")
    assert SWIZZLED in text(pattern, "a100")
    assert SWIZZLED in text(pattern, "h100", "a100")
    assert SWIZZLED in text(pattern, "a100", "h100")
