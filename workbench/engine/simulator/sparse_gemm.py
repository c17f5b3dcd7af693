"""Matrix multiplication with a left factor that is 2:4 sparse (1:2 for 32 bits).

Of each group of four elements of A two are stored, of two one. E has four bits a group, the lowest
first: the places of the stored elements, two bits each. Source: PTX ISA, "Sparse matrix storage"
(for 32 bits 0b0100 is the first and 0b1110 the second element of the pair).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.dtypes import is_float
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.regions import Tile, loaded, matrix_tile, region_of
from workbench.engine.simulator.registry import helper, operation
from workbench.engine.simulator.translator import Translator

Array = np.ndarray[Any, Any]
_GROUP_BITS = 4


@operation("tl.tileop.gemm_sp", "tl.tileop.wgmma_gemm_sp", "tl.tileop.tcgen05_gemm_sp")
def _sparse_gemm(t: Translator, node: Any) -> None:
    """The arguments: A, E, B, C, transpose_A, _E, _B, M, N, K, policy, clear_accum, ..."""
    args = list(node.args)
    stored, places, right = (matrix_tile(t, region_of(t, arg), reads=True) for arg in args[:3])
    target = matrix_tile(t, region_of(t, args[3]), reads=True, writes=True)
    if target.checks:
        raise t.unsupported(f"gemm into a part of {target.place.label} that may be out of bounds")
    # Integers stay exact in float64.
    wide = "float32" if is_float(target.place.dtype) else "float64"
    factors = [
        _oriented(t, each, flag, wide) for each, flag in ((stored, args[4]), (right, args[6]))
    ]
    factors[0] = f"expanded({factors[0]}, {_oriented(t, places, args[5], None)})"
    product = t.emitter.assign(f"np.matmul({', '.join(factors)})", "product")
    before = f"(None if {t.scalar(args[11])} else {target.code})"
    checked = t.checks.accumulation(t, target) if target.place.dtype != wide else None
    t.emitter.line(f"{checked or f'round_sum({target.code}'}, {before}, {product})")


def _oriented(t: Translator, source: Tile, transposed: Any, dtype: str | None) -> str:
    value = Value(loaded(t, source), source.place.dtype, 1)
    code = value.code if dtype is None else t.cast(value, dtype).code
    return f"{code}.T" if t.scalar(transposed) in ("True", "1") else code


@helper
def expanded(stored: Array, places: Array) -> Array:
    """Return the whole of a sparse matrix, with zeros where nothing is stored.

    Which of the two kinds it is follows from how many elements there are to a group.
    """
    bits = places.dtype.itemsize * 8
    shifts = np.arange(0, bits, _GROUP_BITS)
    groups = (places.astype(np.int64)[..., None] >> shifts & 15).reshape(len(places), -1)
    kept = stored.shape[1] // groups.shape[1]
    result = np.zeros((*groups.shape, 2 * kept), stored.dtype)
    at = groups[..., None] >> (np.array([0, 2]) if kept == 2 else np.array([1])) & (2 * kept - 1)
    np.put_along_axis(result, at, stored.reshape(*groups.shape, kept), -1)
    return result.reshape(len(stored), -1)
