"""The launch of a kernel: its axes of blocks and threads, and how threads make up warps."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.engine.analysis.expressions import Axis, Values, const

Ints = npt.NDArray[np.int64]
_DIMENSIONS = "xyz"


@dataclass(frozen=True)
class Launch:
    """Extents of the grid and of a block along x, y, z; threads of a warp."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    warp: int

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return math.prod(self.grid)

    @property
    def threads(self) -> int:
        """Threads of a block."""
        return math.prod(self.block)

    @property
    def warps(self) -> int:
        """Warps of a block, the last of them perhaps not full."""
        return -(-self.threads // self.warp)


@dataclass(frozen=True)
class LaunchAxes:
    """The axes of a launch: the thread's number in its block, and the grid's three.

    An axis of threads is one alone, the number in the block: the indices along x, y and z follow
    from it, so that the lanes of a warp come out in their order.
    """

    launch: Launch
    thread: Axis
    grid: Mapping[str, Axis]

    def thread_index(self, dimension: str) -> tuple[int, int]:
        """The divisor and the modulus that make threadIdx along `dimension` of the number."""
        position = _DIMENSIONS.index(dimension)
        return math.prod(self.launch.block[:position]), self.launch.block[position]

    def lanes(self) -> Values:
        """The numbers of the threads of all warps, also those that the last warp lacks."""
        return np.arange(self.launch.warps * self.launch.warp)


def launch_axes(launch: Launch) -> LaunchAxes:
    """The axes of a launch."""
    blocks = zip(_DIMENSIONS, launch.grid, strict=True)
    grid = {dimension: Axis(f"blockIdx.{dimension}", const(size)) for dimension, size in blocks}
    return LaunchAxes(launch, Axis("thread", const(launch.threads), thread=True), grid)
