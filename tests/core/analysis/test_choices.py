"""The rules of TileLang's own selection: src/cuda/op/copy_analysis.cc and gemm.cc, 0.1.15."""

from __future__ import annotations

from dataclasses import replace

import pytest

from workbench.core.analysis.choices import (
    CopyShape,
    GemmShape,
    why_no_async_copy,
    why_no_bulk_copy,
    why_no_warpgroup_gemm,
    why_plain_copy,
)
from workbench.core.targets.model import Target
from workbench.core.targets.table import load_targets

COPY = CopyShape("float16", "float16", False, 64, 1, (2048,), True, False, 16)
GEMM = GemmShape(128, 32, False, False, "float16", "float16", "shared.dyn", "float32", "local", 128)


def target(name: str) -> Target:
    return load_targets().resolve(name)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"inner_bytes": 24}, "no TMA: box inner extent 24 B is not a multiple of 16"),
        ({"stride_bytes": (2046,)}, "no TMA: global stride 2046 B is not a multiple of 16"),
        ({"inner_stride": 8}, "no TMA: neighbours lie 8 elements apart in global memory"),
        ({"destination_dtype": "float32"}, "no TMA: the copy converts float16 to float32"),
        ({"pipelined": False}, "no TMA: T.copy waits at once outside T.Pipelined"),
        ({"disabled": True}, "no TMA: it is disabled"),
    ],
)
def test_what_keeps_a_copy_from_the_tensor_memory_accelerator(
    change: dict[str, object], reason: str
) -> None:
    assert why_no_bulk_copy(COPY, target("h200")) is None
    found = why_no_bulk_copy(replace(COPY, **change), target("h200"))  # type: ignore[arg-type]
    assert found is not None
    assert found.startswith(reason)


def test_the_architecture_it_is_lowered_for_comes_first() -> None:
    assert why_no_bulk_copy(COPY, target("h200:sm_80")) == "no TMA: lowered for sm_80"
    assert why_no_bulk_copy(COPY, target("a100")) == "no TMA: sm_80 has none"


def test_a_store_by_the_accelerator_needs_no_pipeline() -> None:
    store = replace(COPY, to_global=True, pipelined=False)
    assert why_no_bulk_copy(store, target("h200")) is None


def test_what_keeps_a_copy_from_cp_async() -> None:
    assert why_no_async_copy(COPY, target("a100")) is None
    narrow = why_no_async_copy(replace(COPY, width_bytes=2), target("a100"))
    assert narrow == "no cp.async: a lane moves 2 B, not 4, 8 or 16"
    assert why_no_async_copy(COPY, target("t4")) == "no cp.async: sm_75 has none"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"m": 32}, "M = 32 is below 64"),
        ({"k": 24}, "K = 24 is not a multiple of 16"),
        ({"threads": 96}, "96 threads are no whole warp groups of 128"),
        ({"b_scope": "local.fragment"}, "B is not in shared memory"),
        ({"a_dtype": "float64"}, "it does not multiply float64"),
        ({"a_dtype": "int8"}, "int8 needs both operands K-major (transpose_B=True)"),
    ],
)
def test_what_keeps_a_product_from_wgmma(change: dict[str, object], reason: str) -> None:
    assert why_no_warpgroup_gemm(GEMM, target("h200")) is None
    found = why_no_warpgroup_gemm(replace(GEMM, **change), target("h200"))  # type: ignore[arg-type]
    assert found == f"no wgmma: {reason}"


def test_tcgen05_wants_its_accumulator_in_tensor_memory() -> None:
    found = why_no_warpgroup_gemm(GEMM, target("b200"))
    assert found == "no tcgen05: the accumulator is not in tensor memory (T.alloc_tmem)"
    held = replace(GEMM, c_scope="shared.tmem")
    assert why_no_warpgroup_gemm(held, target("b200")) is None
    assert why_no_warpgroup_gemm(GEMM, target("a100")) is None


def test_what_keeps_a_copy_plain_is_told_once() -> None:
    waits = replace(COPY, pipelined=False)
    told = why_plain_copy(waits, target("h200"))
    assert told is not None
    assert told.startswith("no TMA, no cp.async: T.copy waits at once outside T.Pipelined")
    assert why_plain_copy(COPY, target("t4")) == "sm_75 has neither TMA nor cp.async"
    assert why_plain_copy(COPY, target("a100"), is_async=True) is None
    narrow = why_plain_copy(replace(COPY, inner_bytes=24), target("h200"), is_async=True)
    assert narrow == "no TMA: box inner extent 24 B is not a multiple of 16"
