"""Tensor core instructions of one warp with registers by hand: `ldmatrix` and `mma`.

Source: PTX ISA, "Matrix fragments for mma" and "ldmatrix". A register has 32 bits, that is `width`
elements; of the 32 threads of a warp, four have a row of a matrix between them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import numpy as np

from workbench.engine.simulator.dtypes import bit_width
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.lanes import WARP_SIZE
from workbench.engine.simulator.memory import pointee, shifted
from workbench.engine.simulator.registry import helper, operation
from workbench.engine.simulator.threadwise import (
    count_threads,
    element_axis,
    known,
    named_element,
    registers,
)
from workbench.engine.simulator.tir import static_int, tirx
from workbench.engine.simulator.translator import Translator
from workbench.engine.simulator.vectors import named

Array = np.ndarray[Any, Any]
_REGISTER_BITS = 32
_ROWS = 8  # of the matrices that ldmatrix loads
_COLUMNS = 8  # of the matrices that mma computes


@operation("tl.ptx_ldmatrix")
def _load_matrices(t: Translator, node: Any) -> None:
    """The arguments are whether to transpose, how many matrices, and two pointers."""
    transposed, number = bool(static_int(node.args[0])), static_int(node.args[1])
    source, target = pointee(t, node.args[2]), named_element(t, node.args[3])
    width = _width(str(source.buffer.dtype))
    if number is None or source.buffer.dtype != target.buffer.dtype:
        raise t.unsupported("ldmatrix into registers of another type")
    lanes, shape = count_threads(t, "ldmatrix"), t.shape_code()
    given = [t.expression(index).code for index in source.indices]
    rows = t.emitter.assign(f"matrix_rows({lanes}, {number}, {width}, {transposed})", "rows")
    with element_axis(t, number * width) as element:
        codes = [f"np.broadcast_to({code}, {shape})[{rows}[0]]" for code in given]
        codes[-1] += f" + {rows}[1]"
        indices = [named(t, Value(t.emitter.assign(c, "at"), "int32", t.rank)) for c in codes]
        place = shifted(target, element)
        t.statement(
            tirx.BufferStore(place.buffer, tirx.BufferLoad(source.buffer, indices), place.indices)
        )


@helper
@lru_cache(maxsize=64)
def matrix_rows(threads: int, number: int, width: int, transposed: bool) -> tuple[Array, Array]:
    """Return for each thread's elements which thread named their row, and their place in it.

    Threads 8 m to 8 m + 7 of a warp name the rows of matrix m.
    """
    lane, element = np.ogrid[:threads, : number * width]
    matrix, within = element // width, element % width
    row, column = lane % WARP_SIZE // 4, lane % 4 * width + within
    if transposed:
        row, column = column, row
    named_by = lane // WARP_SIZE * WARP_SIZE + matrix * _ROWS + row
    return named_by, np.broadcast_to(column, named_by.shape)


@operation("tl.ptx_mma", "tirx.ptx_mma")
def _multiply(t: Translator, node: Any) -> None:
    """The arguments: shape, layouts, types of A, B, C, their registers, saturation.

    Registers are given as storage and offset.
    """
    args = list(node.args)
    extents = re.fullmatch(r"m(\d+)n(\d+)k(\d+)", str(args[0].value))
    if extents is None or [str(arg.value) for arg in args[1:3]] != ["row", "col"]:
        raise t.unsupported(f"mma of the shape {args[0].value}")
    m, n, k = map(int, extents.groups())
    if n != _COLUMNS:
        raise t.unsupported(f"mma with {n} columns")
    count_threads(t, "mma")
    operands = [_register(t, args[at], args[at + 1]) for at in (6, 8, 10)]
    sizes = [size // WARP_SIZE for size in (m * k, n * k, m * n)]
    given = [registers(t, each, size) for each, size in zip(operands, sizes, strict=True)]
    width, total = _width(str(operands[0].buffer.dtype)), operands[2]
    code = f"multiply_registers({', '.join(given)}, {m}, {k}, {width})"
    result = t.emitter.assign(code, "products")
    with element_axis(t, sizes[2]) as element:
        value, place = Value(result, str(total.buffer.dtype), t.rank), shifted(total, element)
        t.statement(tirx.BufferStore(place.buffer, named(t, value), place.indices))


def _register(t: Translator, data: Any, offset: Any) -> Any:
    """Return the element that storage and an offset name."""
    for buffer, place in t.places.items():
        if place.data.same_as(data) and len(place.shape) == 1:
            return tirx.BufferLoad(buffer, [known(t, offset)])
    raise t.unsupported(f"registers in {data.name}, which has no element type or more dimensions")


def _width(dtype: str) -> int:
    """Return how many elements a register has (wider types take several)."""
    return max(1, _REGISTER_BITS // bit_width(dtype))


@helper
def multiply_registers(
    left: Array, right: Array, total: Array, rows: int, depth: int, width: int
) -> Array:
    """Return total + left @ right, each a row of registers for each thread of some warps."""
    is_wide = left.dtype.kind in "iu" or left.dtype.itemsize == 8
    wide = np.float64 if is_wide else np.float32  # exact for integers
    warps = len(left) // WARP_SIZE
    left_order, right_order, total_order = _orders(rows, depth, width)
    factors = [
        np.take(each.reshape(warps, -1), order, axis=1).astype(wide).reshape(warps, *shape)
        for each, order, shape in (
            (left, left_order, (rows, depth)),
            (right, right_order, (depth, _COLUMNS)),
        )
    ]
    product = np.matmul(*factors).reshape(warps, -1)
    found = np.take(product, total_order, axis=1).reshape(total.shape)
    if total.dtype.kind in "iu":
        return np.asarray((found.astype(np.int64) + total).astype(total.dtype))
    return np.asarray((found + total.astype(wide)).astype(total.dtype))


@lru_cache
def _orders(rows: int, depth: int, width: int) -> tuple[Array, Array, Array]:
    """Return where a warp's registers have each element of A and B, and C each register's."""
    row, column = _left_places(rows, depth, width)
    left = np.argsort((row * depth + column).reshape(-1))
    row, column = _right_places(depth, width)
    right = np.argsort((row * _COLUMNS + column).reshape(-1))
    row, column = _total_places(rows)
    return left, right, (row * _COLUMNS + column).reshape(-1)


def _left_places(rows: int, depth: int, width: int) -> tuple[Array, Array]:
    """Return row and column of each thread's elements of A."""
    lane, register, within = _grid(rows * depth, width)
    blocks = rows // _ROWS
    row = lane // 4 + _ROWS * (register % blocks)
    column = lane % 4 * width + within + 4 * width * (register // blocks)
    return row, column


def _right_places(depth: int, width: int) -> tuple[Array, Array]:
    """Return row and column of each thread's elements of B."""
    lane, register, within = _grid(depth * _COLUMNS, width)
    return lane % 4 * width + within + 4 * width * register, lane // 4


def _total_places(rows: int) -> tuple[Array, Array]:
    """Return row and column of each thread's elements of C."""
    lane, pair, within = _grid(rows * _COLUMNS, 2)
    return lane // 4 + _ROWS * pair, lane % 4 * 2 + within


def _grid(elements: int, width: int) -> tuple[Array, Array, Array]:
    """Return the threads of a warp, and for each of a thread's elements register and place."""
    lane, element = np.ogrid[:WARP_SIZE, : elements // WARP_SIZE]
    return lane, element // width, element % width
