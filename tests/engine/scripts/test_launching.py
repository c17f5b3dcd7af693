from __future__ import annotations

import math

import pytest
import torch

from workbench.engine.scripts.launching import stale_memory

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float8_e4m3fn, torch.float8_e5m2]


@pytest.mark.parametrize("dtype", FLOATS)
def test_stale_memory_is_finite_and_not_zero(dtype: torch.dtype) -> None:
    value = stale_memory((3,), dtype).float()[0].item()
    assert math.isfinite(value)
    assert value != 0


def test_stale_memory_has_any_shape_and_type() -> None:
    assert stale_memory((0, 4), torch.int32).shape == (0, 4)
    assert not stale_memory((2,), torch.bool).any()
