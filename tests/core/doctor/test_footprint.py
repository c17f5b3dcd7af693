"""What the source says of a block's shared memory, against what an H200 was asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.core.doctor.footprint import Footprint, footprint, over_shared
from workbench.core.doctor.module import read_module
from workbench.core.doctor.programs import facts_of
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import select
from workbench.core.targets.table import load_targets

DATA = Path(__file__).resolve().parents[2] / "data" / "counters"
MEASURED = json.loads((DATA / "h200-counters.json").read_text())["kernels"]
TARGETS = load_targets()
GEMM = """
import tilelang.language as T

@T.prim_func
def matmul(A: T.Tensor((4096, 4096), "float16"), B: T.Tensor((4096, 4096), "float16")):
    with T.Kernel(32, 16, threads=256) as (bx, by):
        A_shared = T.alloc_shared((128, 64), "float16")
        B_shared = T.alloc_shared((64, {width}), "float16")
        C_local = T.alloc_fragment((128, {width}), "float32")
        bias = T.alloc_shared((1024,), "float32")
        T.copy(A[0, 0], bias)
        for k in T.Pipelined(64, num_stages={stages}):
            T.copy(A[by * 128, k * 64], A_shared)
            T.copy(B[k * 64, bx * {width}], B_shared)
            T.gemm(A_shared, B_shared, C_local)
        C_shared = T.alloc_shared((128, {width}), "float16")
        T.copy(C_local, C_shared)
"""


def least(text: str, target: str) -> Footprint:
    document, module = parse_document(text), read_module(text)
    (selection,) = select(document, None, None, {})
    assert module is not None
    resolved = TARGETS.resolve(target)
    found = facts_of(module, selection.kernel, selection.args, (resolved,))
    return max((footprint(each, resolved) for each in found), key=lambda each: each.size_bytes)


@pytest.mark.parametrize("name", sorted(MEASURED))
def test_it_is_never_more_than_was_allocated(name: str) -> None:
    known = MEASURED[name]
    allocated = known["shared_dynamic_bytes"] + known["shared_static_bytes"]
    text = (DATA / "kernels" / f"{name}.py").read_text()
    assert least(text, "h200").size_bytes <= allocated


@pytest.mark.parametrize(
    ("name", "size_bytes"),
    [("gemm_tt_sm90", 196_608), ("attention_sm90", 81_920), ("gemm_nt_bf16_sm80", 98_304)],
)
def test_of_pipelined_kernels_it_is_all_that_was_allocated(name: str, size_bytes: int) -> None:
    assert MEASURED[name]["shared_dynamic_bytes"] == size_bytes
    assert least((DATA / "kernels" / f"{name}.py").read_text(), "h200").size_bytes == size_bytes


def test_what_may_share_a_place_is_not_added() -> None:
    found = least(GEMM.format(width=256, stages=3), "h200")
    # Neither the result's tile, which comes after the loop, nor what is read before it.
    assert str(found) == "B_shared 3 × 32 KiB, A_shared 3 × 16 KiB"
    assert found.size_bytes == 3 * 48 * 1024


def test_without_stages_and_on_other_hardware_a_tile_is_there_once() -> None:
    assert least(GEMM.format(width=256, stages=0), "h200").size_bytes == 64 * 1024
    assert least(GEMM.format(width=256, stages=3), "mi300x").size_bytes == 64 * 1024


def test_a_block_over_the_limit_is_told_with_what_takes_it() -> None:
    text = GEMM.format(width=256, stages=5)
    (selection,) = select(parse_document(text), None, None, {})
    module, target = read_module(text), TARGETS.resolve("h200")
    assert module is not None
    fault = over_shared(facts_of(module, selection.kernel, selection.args, (target,)), target)
    assert fault is not None
    assert fault.range is not None
    assert fault.code == "shared-memory-over-limit"
    assert fault.message.startswith("240 KiB of shared memory a block at least (B_shared 5 × 32")
    assert (
        fault.range.line
        == text.splitlines().index('        B_shared = T.alloc_shared((64, 256), "float16")') + 1
    )
