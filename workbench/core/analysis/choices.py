"""Why a tile operation did not become a better instruction, where its shape alone tells it.

Source of the rules: TileLang 0.1.15, src/cuda/op/copy_analysis.cc (CheckBulkLoad, CheckBulkStore,
CheckGlobalStrides, SelectCopyInstForLowering, ClassifyWarpSpecializedCopy) and src/cuda/op/gemm.cc
(CheckWgmma, AllowWgmma, AllowTcgen5Mma). A rule that needs more than these facts stays untold.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.core.targets.model import Feature, Target

_NEITHER = (
    "no TMA, no cp.async: T.copy waits at once outside T.Pipelined "
    '(prefer_instruction="tma" or T.async_copy asks for them)'
)
_BULK_BYTES = 16
_ASYNC_BYTES = (4, 8, 16)
_WGMMA_ROWS = 64
_GROUP_WARPS = 4
# The types that wgmma multiplies, with the multiple of K that one instruction takes.
_WGMMA_DEPTHS = {"float16": 16, "bfloat16": 16, "tfloat32": 8, "int8": 32, "uint8": 32}
_FLOAT8_DEPTH = 32


@dataclass(frozen=True)
class CopyShape:
    """What decides how a copy is lowered; None is unknown.

    `inner_bytes` is the innermost extent of the region in global memory, `stride_bytes` the
    strides of its other dimensions, `width_bytes` what a lane moves at once.
    """

    source_dtype: str
    destination_dtype: str
    to_global: bool
    inner_bytes: int | None
    inner_stride: int | None
    stride_bytes: tuple[int | None, ...]
    pipelined: bool
    disabled: bool
    width_bytes: int | None


@dataclass(frozen=True)
class GemmShape:
    """What decides which matrix instruction multiplies; scopes as TileLang names them."""

    m: int
    k: int
    transposed_a: bool
    transposed_b: bool
    a_dtype: str
    b_dtype: str
    b_scope: str
    c_dtype: str
    c_scope: str
    threads: int | None


def why_no_bulk_copy(copy: CopyShape, target: Target) -> str | None:
    """Why a copy between global and shared memory is not the tensor memory accelerator's."""
    reason = _first(_BULK, copy, target)
    return None if reason is None else f"no TMA: {reason}"


def why_no_async_copy(copy: CopyShape, target: Target) -> str | None:
    """Why a copy from global to shared memory is not cp.async."""
    if copy.to_global:
        return None
    reason = _first(_ASYNC, copy, target)
    return None if reason is None else f"no cp.async: {reason}"


def why_plain_copy(copy: CopyShape, target: Target, is_async: bool = False) -> str | None:
    """Why a copy is by loads and stores, or with `is_async` by cp.async, and by nothing better.

    What the architecture lacks is told only where it lacks all of it.
    """
    has_bulk, has_async = target.arch.has(Feature.TMA), target.arch.has(Feature.CP_ASYNC)
    if not has_bulk and not has_async:
        return None if copy.to_global else f"{target.arch.name} has neither TMA nor cp.async"
    bulk = _first(_BULK, copy, target) if has_bulk else None
    asynchronous = None if is_async or copy.to_global else _first(_ASYNC, copy, target)
    if (bulk, asynchronous) == (_waits_at_once(copy, target), _waits_at_once_async(copy, target)):
        return _NEITHER if bulk is not None else None
    parts = (("no TMA: ", bulk), ("no cp.async: ", asynchronous))
    return "; ".join(name + reason for name, reason in parts if reason is not None) or None


def why_no_warpgroup_gemm(gemm: GemmShape, target: Target) -> str | None:
    """Why a product is not a warp group's (wgmma) or the tensor unit's own (tcgen05)."""
    if target.arch.has(Feature.TCGEN05):
        return _why_no_tcgen05(gemm, target)
    if not target.arch.has(Feature.WGMMA):
        return None
    reason = _older(target) or _why_no_wgmma(gemm)
    return None if reason is None else f"no wgmma: {reason}"


def _first(rules: tuple[_CopyRule, ...], copy: CopyShape, target: Target) -> str | None:
    return next((reason for rule in rules if (reason := rule(copy, target))), None)


def _older(target: Target) -> str | None:
    """Lowered for an architecture before the device's own."""
    older = target.lowering_arch != target.arch.name
    return f"lowered for {target.lowering_arch}" if older else None


def _no_bulk_unit(copy: CopyShape, target: Target) -> str | None:
    if target.arch.has(Feature.TMA):
        return _older(target)
    return f"{target.arch.name} has none"


def _no_async_unit(copy: CopyShape, target: Target) -> str | None:
    return None if target.arch.has(Feature.CP_ASYNC) else f"{target.arch.name} has none"


def _disabled(copy: CopyShape, target: Target) -> str | None:
    return "it is disabled (disable_tma, tl.disable_tma_lower)" if copy.disabled else None


def _converts(copy: CopyShape, target: Target) -> str | None:
    if copy.source_dtype == copy.destination_dtype:
        return None
    return f"the copy converts {copy.source_dtype} to {copy.destination_dtype}"


def _narrow_box(copy: CopyShape, target: Target) -> str | None:
    if copy.inner_bytes is None or copy.inner_bytes % _BULK_BYTES == 0:
        return None
    return f"box inner extent {copy.inner_bytes} B is not a multiple of {_BULK_BYTES}"


def _scattered(copy: CopyShape, target: Target) -> str | None:
    if copy.inner_stride in (None, 1):
        return None
    return f"neighbours lie {copy.inner_stride} elements apart in global memory"


def _odd_stride(copy: CopyShape, target: Target) -> str | None:
    odd = [each for each in copy.stride_bytes if each is not None and each % _BULK_BYTES]
    return f"global stride {odd[0]} B is not a multiple of {_BULK_BYTES}" if odd else None


def _waits_at_once(copy: CopyShape, target: Target) -> str | None:
    """Stores are bulk copies anywhere; loads only where the pipeline can wait for them later."""
    if copy.pipelined or copy.to_global:
        return None
    return 'T.copy waits at once outside T.Pipelined (prefer_instruction="tma" asks for it)'


def _waits_at_once_async(copy: CopyShape, target: Target) -> str | None:
    if copy.pipelined:
        return None
    return "T.copy waits at once outside T.Pipelined (T.async_copy asks for it)"


def _narrow_lane(copy: CopyShape, target: Target) -> str | None:
    if copy.width_bytes is None or copy.width_bytes in _ASYNC_BYTES:
        return None
    return f"a lane moves {copy.width_bytes} B, not 4, 8 or 16"


_CopyRule = Callable[[CopyShape, Target], "str | None"]
_BULK: tuple[_CopyRule, ...] = (
    _no_bulk_unit,
    _disabled,
    _converts,
    _narrow_box,
    _scattered,
    _odd_stride,
    _waits_at_once,
)
_ASYNC: tuple[_CopyRule, ...] = (_no_async_unit, _converts, _narrow_lane, _waits_at_once_async)


def _why_no_wgmma(gemm: GemmShape) -> str | None:
    depth = _FLOAT8_DEPTH if gemm.a_dtype.startswith("float8") else _WGMMA_DEPTHS.get(gemm.a_dtype)
    narrow = gemm.a_dtype not in ("float16", "bfloat16")
    reasons = (
        (depth is None, f"it does not multiply {gemm.a_dtype}"),
        (gemm.m < _WGMMA_ROWS, f"M = {gemm.m} is below {_WGMMA_ROWS}"),
        (
            gemm.threads is not None and gemm.threads % (32 * _GROUP_WARPS) != 0,
            f"{gemm.threads} threads are no whole warp groups of 128",
        ),
        (not gemm.b_scope.startswith("shared"), "B is not in shared memory"),
        (depth is not None and gemm.k % depth != 0, f"K = {gemm.k} is not a multiple of {depth}"),
        (
            narrow and (gemm.transposed_a or not gemm.transposed_b),
            f"{gemm.a_dtype} needs both operands K-major (transpose_B=True)",
        ),
    )
    return next((text for applies, text in reasons if applies), None)


def _why_no_tcgen05(gemm: GemmShape, target: Target) -> str | None:
    reason = _older(target)
    if reason is None and gemm.c_scope != "shared.tmem":
        reason = "the accumulator is not in tensor memory (T.alloc_tmem)"
    if reason is None and not gemm.b_scope.startswith("shared"):
        reason = "B is not in shared memory"
    return None if reason is None else f"no tcgen05: {reason}"
