"""Regions of kernels as the engine tells them, written by hand."""

from __future__ import annotations

from typing import Any

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.rasterization import Rasterization
from workbench.core.analysis.tile_regions import GlobalTensor, TileAccess, TileLoop, TileRegions

#: A block of which an SM holds one: 1024 threads with 64 registers take all 65,536.
ALONE = BlockResources(1024, 64, 0, 0, 1)


def gemm_regions(
    m: int = 4000,
    n: int = 4000,
    k: int = 4096,
    tile: tuple[int, int, int] = (128, 256, 64),
    swizzle: Rasterization | None = None,
    stages: int = 3,
) -> TileRegions:
    """C = A B in float16 with a pipelined loop over k; lines 4 to 8."""
    rows, columns, depth = tile
    loop = TileLoop("k", "k", "0", str(-(-k // depth)), stages, 5)
    a = read("A", 6, (f"by * {rows}", f"k * {depth}"), (rows, depth), (0,), into="A_shared")
    b = read("B", 7, (f"k * {depth}", f"bx * {columns}"), (depth, columns), (0,), into="B_shared")
    c = write("C", 8, (f"by * {rows}", f"bx * {columns}"), (rows, columns))
    tensors = (half("A", m, k), half("B", k, n), half("C", m, n))
    grid = (-(-n // columns), -(-m // rows), 1)
    return TileRegions(grid, ("bx", "by"), tensors, (loop,), (a, b, c), swizzle, 4)


def attention_regions(causal: bool = True) -> TileRegions:
    """Attention of 8 heads of 512 by 64, tiles of 64 rows: Q once, then K and V by step."""
    extent = "((bx + 1) * 64 + 63) // 64" if causal else "8"
    loop = TileLoop("k", "k", "0", extent, 1, 5)
    own, step = ("by", "bx * 64", "0"), ("by", "k * 64", "0")
    size = (1, 64, 64)
    accesses = (
        read("Q", 4, own, size, into="Q_shared"),
        read("K", 6, step, size, (0,), into="K_shared"),
        read("V", 7, step, size, (0,), into="V_shared"),
        write("Out", 8, own, size),
    )
    tensors = tuple(half(name, 8, 512, 64) for name in ("Q", "K", "V", "Out"))
    return TileRegions((8, 8, 1), ("bx", "by"), tensors, (loop,), accesses, None, 3)


def half(name: str, *shape: int | None) -> GlobalTensor:
    """A float16 tensor."""
    return GlobalTensor(name, "float16", 16, shape)


def read(
    tensor: str,
    line: int,
    offset: tuple[str, ...],
    extent: tuple[int, ...],
    loops: tuple[int, ...] = (),
    **more: Any,
) -> TileAccess:
    """A read of a region of constant size."""
    sizes = tuple(str(n) for n in extent)
    return TileAccess(tensor, True, False, line, loops, offset, sizes, **more)


def write(
    tensor: str, line: int, offset: tuple[str, ...], extent: tuple[int, ...], **more: Any
) -> TileAccess:
    """A write of a region of constant size."""
    sizes = tuple(str(n) for n in extent)
    return TileAccess(tensor, False, True, line, (), offset, sizes, **more)
