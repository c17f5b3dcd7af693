"""Each pattern generates for each kind of target, or says by a rule why it has no form for it."""

from __future__ import annotations

import pytest
from generated_kernels import generated

from workbench.core.patterns.generating import IllegalError
from workbench.core.patterns.model import Pattern
from workbench.core.patterns.table import PATTERNS

GPUS = (
    "v100",
    "t4",
    "a100",
    "rtx4090",
    "h200",
    "b200",
    "rtx5090",
    "mi300x",
    "mi355x",
    "h200:sm_80",
)
OTHERS = ("m3-max", "ascend950pr", "cpu")


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.id)
def test_a_gpu_gets_a_kernel_or_a_rule(pattern: Pattern) -> None:
    refused = {}
    for target in (*GPUS, *OTHERS):
        try:
            generated(pattern.id, target)
        except IllegalError as error:
            refused[target] = {breach.rule.title for breach in error.breaches}
    assert not {"a100", "h200", "mi300x"} & set(refused), refused
    assert all(refused.values())


@pytest.mark.parametrize("dtype", ["bfloat16", "float32", "int8", "float8_e4m3"])
def test_a_format_that_a_gpu_lacks_has_a_nearest_one(dtype: str) -> None:
    without = []
    for target in (*GPUS, *OTHERS):
        try:
            generated("gemm", target, dtype=dtype)
        except IllegalError as error:
            without += [str(error) for breach in error.breaches if not breach.mends]
    assert without == []
