"""What the template of blocks that stay is filled with: a role that copies, one that multiplies."""

from __future__ import annotations

from typing import Any

from workbench.core.patterns.gemm.tiles import Family
from workbench.core.patterns.model import Advice, Values
from workbench.core.patterns.rendering import call
from workbench.core.targets.model import Target

COPYING_THREADS = 128
WHY_STAYS = (
    "A block a multiprocessor takes one tile after another, and a warpgroup of its own copies: the "
    "first stages of the next tile are filled while this one is written."
)
# An NVIDIA H200, 2026-11-30, tilelang 0.1.15, times as fast as cuBLAS in one run with 3 and with 4
# stages: fp16 0.998 and 0.978 at 4096 cubed, 1.005 and 0.970 at 8192 cubed; bf16 1.006 and 0.969,
# 1.015 and 0.919. Kernels whose blocks do not stay took 2 to 6 % longer with 3, in another run.
_STAGES = Advice(
    3,
    "Copies never stop between tiles: three in flight cover the memory's latency; a fourth was "
    "slower on an H200.",
)
_STEP = "k * block_K : (k + 1) * block_K"


def stages_of(family: Family, stays: bool) -> Advice:
    """How many stages suit the GPUs of one kind, and why."""
    return _STAGES if stays else Advice(family.stages, family.stages_reason)


def staying(values: Values, target: Target) -> dict[str, Any]:
    """The regions and stages of both operands, and the product of one stage."""
    a_by_rows, b_by_rows = values["layout_A"] == "row", values["layout_B"] == "row"
    flags = [
        "" if a_by_rows else "transpose_A=True",
        "" if b_by_rows else "transpose_B=True",
        "" if values["policy"] == "Square" else f"policy=T.GemmWarpPolicy.{values['policy']}",
    ]
    operands = ["A_shared[stage, :, :]", "B_shared[stage, :, :]", "C_local"]
    return {
        "programs": max(target.sm_counts.values(), default=132),
        "stages_A": _stages("block_M, block_K", "block_K, block_M", a_by_rows),
        "stages_B": _stages("block_K, block_N", "block_N, block_K", b_by_rows),
        "region_A": _region("A", "row : row + block_M", _STEP, a_by_rows),
        "region_B": _region("B", _STEP, "column : column + block_N", b_by_rows),
        "gemm_stage": call("T.gemm", [*operands, *filter(None, flags)], 24),
    }


def _stages(by_rows: str, by_columns: str, rows: bool) -> str:
    return f"(num_stages, {by_rows if rows else by_columns})"


def _region(tensor: str, rows: str, columns: str, by_rows: bool) -> str:
    return f"{tensor}[{rows}, {columns}]" if by_rows else f"{tensor}[{columns}, {rows}]"
