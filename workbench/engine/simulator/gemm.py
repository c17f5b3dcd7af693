"""Matrix multiplication of tiles.

Products are exact in float32 (integers: exact), summed in float32 and rounded to C's dtype once a
tile operation, which is what tensor cores do up to the order of the sum.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from workbench.engine.simulator import dtypes
from workbench.engine.simulator.barriers import arrive_once
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.regions import Tile, in_block, loaded, matrix_tile, region_of
from workbench.engine.simulator.registry import helper, operation
from workbench.engine.simulator.runtime import Runtime
from workbench.engine.simulator.tir import static_int, tirx
from workbench.engine.simulator.translator import Translator

Array = np.ndarray[Any, Any]
_EXACT_IN_FLOAT32 = 2**24  # integers up to here are exact
_LARGEST_PRODUCT = {"int8": 2**14, "uint8": 2**16, "int4": 2**6, "uint4": 2**8}


@operation("tl.tileop.gemm", "tl.tileop.wgmma_gemm", "tl.tileop.tcgen05_gemm")
def _gemm(t: Translator, node: Any) -> None:
    """The arguments: A, B, C, transpose_A, transpose_B, M, N, K, policy, clear_accum, barrier..."""
    args = list(node.args)
    left, right = (matrix_tile(t, region_of(t, arg), reads=True) for arg in args[:2])
    target = matrix_tile(t, region_of(t, args[2]), reads=True, writes=True)
    if target.checks:
        raise t.unsupported(f"gemm into a part of {target.place.label} that may be out of bounds")
    wide = _product_dtype(left, right, target, static_int(args[7]))
    transposed = tuple(t.scalar(each) in ("True", "1") for each in args[3:5])
    in_pair = bool(dict(node.annotations or {}).get("use_2cta", False))
    if in_pair:
        _multiply_in_pair(t, (left, right, target), transposed, wide, t.scalar(args[9]))
    else:
        factors = (_operand(t, left, transposed[0], wide), _operand(t, right, transposed[1], wide))
        _multiply(t, target, factors, wide, t.scalar(args[9]))
    if isinstance(args[10], tirx.BufferLoad):
        arrive_once(t, args[10], in_pair)


def _multiply(t: Translator, target: Tile, factors: tuple[str, str], wide: str, clear: str) -> None:
    product = f"np.matmul({factors[0]}, {factors[1]}"
    if clear not in ("True", "False", "0", "1"):
        with t.emitter.suite(f"if {clear}:"):
            t.emitter.line(f"{target.code}.fill(0)")
    _emit_accumulation(t, target, product, wide, clear in ("True", "1"))


def _multiply_in_pair(
    t: Translator,
    tiles: tuple[Tile, Tile, Tile],
    transposed: tuple[bool, ...],
    wide: str,
    clear: str,
) -> None:
    """Two blocks of a cluster: each has its rows of A and C, and half the columns of B."""
    left, right, target = tiles
    halves = [_operand(t, in_block(t, right, rank), transposed[1], wide) for rank in (0, 1)]
    columns = t.emitter.assign(f"np.concatenate([{', '.join(halves)}], axis=1)", "columns")
    for rank in (0, 1):
        rows = _operand(t, in_block(t, left, rank), transposed[0], wide)
        _multiply(t, in_block(t, target, rank), (rows, columns), wide, clear)


def _product_dtype(left: Tile, right: Tile, target: Tile, depth: int | None) -> str:
    kinds = (left.place.dtype, right.place.dtype)
    if target.place.dtype == "float64" or "float64" in kinds:
        return "float64"
    if dtypes.is_float(target.place.dtype):
        return "float32"
    largest = max(_LARGEST_PRODUCT.get(kind, _EXACT_IN_FLOAT32) for kind in kinds)
    return "float32" if depth is not None and depth * largest <= _EXACT_IN_FLOAT32 else "float64"


def _operand(t: Translator, source: Tile, transposed: bool, wide: str) -> str:
    if t.roles is None and source.place.dtype == "float16" and source.code == source.place.name:
        return f"widened(rt, {source.code}){'.T' if transposed else ''}"
    value = t.cast(Value(loaded(t, source), source.place.dtype, 1), wide)
    return f"{value.code}.T" if transposed else value.code


def _emit_accumulation(t: Translator, target: Tile, product: str, wide: str, clear: bool) -> None:
    is_wide = target.place.dtype == wide
    clear = clear or (is_wide and t.emitter.retract(f"{target.code}[...] = 0"))
    if is_wide and clear:
        t.emitter.line(f"{product}, out={target.code})")
    elif is_wide:
        t.emitter.line(f"np.add({target.code}, {product}), out={target.code})")
    else:
        before = "None" if clear else target.code
        into = t.checks.accumulation(t, target) or f"round_sum({target.code}"
        t.emitter.line(f"{into}, {before}, {product}))")


@helper
def widened(rt: Runtime, array: Array) -> Array:
    """Return a float16 buffer of the block as float32, in memory that its next use overwrites."""
    known: dict[int, tuple[Array, Array, Any, Any]] = rt.state.setdefault("widened", {})
    found = known.get(id(array))
    if found is None or found[0] is not array:
        wide = np.empty(array.shape, np.float32)
        found = (array, wide, torch.from_numpy(array), torch.from_numpy(wide))
        known[id(array)] = found
    found[3].copy_(found[2])
    return found[1]


@helper
def round_sum(target: Array, before: Array | None, product: Array) -> None:
    """Store before + product, rounded to the target's dtype (integers wrap)."""
    if target.dtype.kind in "iu":
        total = product.astype(np.int64)
        target[...] = total if before is None else before + total
        return
    with np.errstate(over="ignore"):
        target[...] = product if before is None else before.astype(product.dtype) + product
