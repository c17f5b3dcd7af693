"""What the blocks that run at once ask the L2 for, and how much of it is the same."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.rasterization import Grid, Rasterization, launch_order
from workbench.core.analysis.tile_counts import TensorReuse, count_tiles, is_even
from workbench.core.analysis.tile_regions import BLOCK_NAMES, TileAccess, TileRegions
from workbench.core.analysis.waves import Waves

Ints = npt.NDArray[np.int64]
SAMPLED_WAVES = 6
PANELS = (2, 3, 4, 6, 8, 10, 12, 16)
_NEAR, _SPREAD = 3, 256  # blocks at which it is seen how loops move tiles
_WORTH = 1.05  # a factor of reuse below which a change is not worth a line


@dataclass(frozen=True)
class Reuse:
    """What the blocks of one wave or of several read, each wave for itself."""

    tensors: tuple[TensorReuse, ...]

    @property
    def asked_bytes(self) -> int:
        """Bytes that all blocks ask for."""
        return sum(each.asked_bytes for each in self.tensors)

    @property
    def distinct_bytes(self) -> int:
        """Bytes of them that differ."""
        return sum(each.distinct_bytes for each in self.tensors)

    @property
    def factor(self) -> float | None:
        """How often each byte is asked for; None where nothing is read."""
        return self.asked_bytes / self.distinct_bytes if self.distinct_bytes else None


def wave_reuse(
    regions: TileRegions, swizzle: Rasterization | None, capacity: int, wave: int
) -> Reuse | None:
    """What the wave from `wave * capacity` on reads; None where a region read is not known."""
    return _Reads(regions).in_wave(swizzle, capacity, wave)


def mean_reuse(regions: TileRegions, swizzle: Rasterization | None, capacity: int) -> Reuse | None:
    """What waves spread over the whole launch read together; None where it is not known."""
    return _Reads(regions).in_all(swizzle, capacity)


def best_swizzle(
    regions: TileRegions, capacity: int, orders: Sequence[str] = ("row", "column")
) -> tuple[Rasterization, Reuse] | None:
    """The panel of T.use_swizzle with which waves read least; None where none is worth it.

    It is compared with the order that the kernel has.
    """
    if regions.grid[0] < 2 or regions.grid[1] < 2:
        return None
    reads = _Reads(regions)
    present = reads.in_all(regions.swizzle, capacity)
    if present is None:
        return None
    cluster = regions.swizzle.cluster if regions.swizzle is not None else 1
    tried = [
        Rasterization(order, panel, cluster)
        for order in orders
        for panel in PANELS
        if panel % cluster == 0 and panel <= regions.grid[order == "row"]
    ]
    found = [(each, reads.in_all(each, capacity)) for each in tried]
    known = [(each, reuse) for each, reuse in found if reuse is not None]
    best = min(known, key=lambda pair: pair[1].distinct_bytes, default=None)
    if best is None or best[1].distinct_bytes * _WORTH > present.distinct_bytes:
        return None
    return best


class _Reads:
    """The reads of a kernel by tensor and size of tile, for counts over any blocks.

    `groups` have with them whether loops move the tiles of all blocks alike, seen at blocks all
    over the grid; there are none where a region is unknown.
    """

    def __init__(self, regions: TileRegions) -> None:
        self.regions = regions
        self.blocks = math.prod(regions.grid)
        groups: dict[tuple[str, tuple[str, ...]], list[TileAccess]] = {}
        for access in (each for each in regions.accesses if each.reads):
            groups.setdefault((access.tensor, access.extent), []).append(access)
        known = all(each.unknown is None for group in groups.values() for each in group)
        values = _looked(regions.grid)
        count = len(values[BLOCK_NAMES[0]])
        self.groups = [
            (group, all(is_even(regions, each, values, count) for each in group))
            for group in (groups.values() if known else ())
        ]

    def in_wave(self, swizzle: Rasterization | None, capacity: int, wave: int) -> Reuse | None:
        """What the blocks of one wave read."""
        last = min(self.blocks, (wave + 1) * capacity)
        numbers = np.arange(wave * capacity, last, dtype=np.int64)
        values = self._values(swizzle, numbers)
        if not self.groups:
            return None
        return _summed(
            [
                count_tiles(self.regions, group, even, values, len(numbers))
                for group, even in self.groups
            ]
        )

    def in_all(self, swizzle: Rasterization | None, capacity: int) -> Reuse | None:
        """What several waves read, spread over the launch."""
        waves = Waves(self.blocks, capacity).count
        chosen = sorted({int(w) for w in np.linspace(0, waves - 1, min(waves, SAMPLED_WAVES))})
        found = [self.in_wave(swizzle, capacity, wave) for wave in chosen]
        return _summed([t for each in found for t in (each.tensors if each else (None,))])

    def _values(self, swizzle: Rasterization | None, numbers: Ints) -> dict[str, Ints]:
        places = launch_order(self.regions.grid, swizzle, numbers)
        return dict(zip(BLOCK_NAMES, places, strict=True))


def _looked(grid: Grid) -> dict[str, Ints]:
    """Blocks next to each other at the start of the grid, and some all over it."""
    near = np.indices([min(size, _NEAR) for size in grid]).reshape(3, -1)
    numbers = np.linspace(0, math.prod(grid) - 1, _SPREAD).astype(np.int64)
    places = np.concatenate([near, np.stack(launch_order(grid, None, numbers))], axis=1)
    return dict(zip(BLOCK_NAMES, places, strict=True))


def _summed(parts: Iterable[TensorReuse | None]) -> Reuse | None:
    found: dict[str, TensorReuse] = {}
    for part in parts:
        if part is None:
            return None
        known = found.get(part.tensor)
        found[part.tensor] = part if known is None else _added(known, part)
    return Reuse(tuple(found.values()))


def _added(a: TensorReuse, b: TensorReuse) -> TensorReuse:
    return TensorReuse(
        a.tensor,
        a.reads + b.reads,
        a.distinct + b.distinct,
        a.first_tiles + b.first_tiles,
        a.asked_bytes + b.asked_bytes,
        a.distinct_bytes + b.distinct_bytes,
    )
