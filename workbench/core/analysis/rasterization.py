"""In which order the blocks of a grid are worked on: as launched, or as T.use_swizzle moves them.

The hardware starts blocks with x fastest, then y, then z. T.use_swizzle leaves that as it is and
gives each launched block the indices of another one. Source of the formulas: TileLang 0.1.15,
rasterization2DRow, rasterization2DColumn and their WithCluster forms in
tl_templates/cuda/threadblock_swizzle.h (those of tl_templates/hip are the same); for the order
"mlx" codegen_metal.cc.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Grid = tuple[int, int, int]


@dataclass(frozen=True)
class Rasterization:
    """What T.use_swizzle asks for: panels of `panel` rows or columns of blocks, to and fro.

    `cluster` are the blocks of a cluster along x, which stay together.
    """

    order: str
    panel: int
    cluster: int = 1


def launch_order(
    grid: Grid, swizzle: Rasterization | None, numbers: Ints | None = None
) -> tuple[Ints, Ints, Ints]:
    """The indices (x, y, z) that the blocks with these launch numbers work with; None: all.

    Raises ValueError for an order that is not known.
    """
    columns, rows, _ = grid
    if numbers is None:
        numbers = np.arange(columns * rows * grid[2], dtype=np.int64)
    plane, z = numbers % (columns * rows), numbers // (columns * rows)
    x, y = plane % columns, plane // columns
    if swizzle is None:
        return x, y, z
    return (*_rasterized(columns, rows, swizzle, x, y), z)


def launch_numbers(grid: Grid, swizzle: Rasterization | None) -> Ints:
    """The launch number of the block of each index, as rows (y) by columns (x) of one plane.

    Blocks of the plane z come z planes later. -1 where no block works with the index. Raises
    ValueError.
    """
    columns, rows, _ = grid
    x, y, _ = launch_order((columns, rows, 1), swizzle)
    found = np.full((rows, columns), -1, np.int64)
    inside = (x >= 0) & (x < columns) & (y >= 0) & (y < rows)
    found[y[inside], x[inside]] = np.arange(columns * rows)[inside]
    return found


def _rasterized(
    columns: int, rows: int, swizzle: Rasterization, x: Ints, y: Ints
) -> tuple[Ints, Ints]:
    if swizzle.order == "mlx":
        log = max(0, (swizzle.panel - 1).bit_length())
        return x >> log, (y << log) + (x & (swizzle.panel - 1))
    if swizzle.order not in ("row", "column"):
        raise ValueError(f"the order {swizzle.order!r} of T.use_swizzle is not known")
    units, within = columns // swizzle.cluster, x % swizzle.cluster
    number = x // swizzle.cluster + y * units
    panel = max(1, swizzle.panel // swizzle.cluster)
    if swizzle.order == "row":
        unit, row = _panels(number, units, rows, panel)
    else:
        row, unit = _panels(number, rows, units, panel)
    return unit * swizzle.cluster + within, row


def _panels(number: Ints, along: int, across: int, width: int) -> tuple[Ints, Ints]:
    """Where panels of `width` across lead: each is walked along, every other one backwards.

    The last panel may be narrower. Returns the places along and across.
    """
    size, total = width * along, along * across
    panel, offset = number // size, number % size
    count = -(-total // size)
    stride = np.where(panel + 1 < count, width, (total - panel * size) // along)
    stride = np.maximum(stride, 1)
    forward = offset // stride
    place = np.where(panel % 2 == 1, along - 1 - forward, forward)
    return place, offset % stride + panel * width
