"""What a picture of an output needs: its values, its wrong elements, and the blocks behind them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from workbench.core.jobs import OutputBlocks, OutputComparison
from workbench.engine.simulator import BlockWrites, SimulationReport
from workbench.engine.verify.comparing import Tolerance, wrong_elements

MOST_VALUES = 2**22
MOST_BITS = 2**26
NOBODY, SEVERAL = -1, -2

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Compared:
    """An output beside its reference, of one shape."""

    got: torch.Tensor
    expected: torch.Tensor
    tolerance: Tolerance


def with_values(
    comparison: OutputComparison, compared: Compared, blobs: list[bytes]
) -> OutputComparison:
    """The comparison with all elements in `blobs`, where they are not too many."""
    if comparison.total > MOST_VALUES:
        return comparison
    got, expected = (
        _added(blobs, t.detach().to(torch.float32).contiguous().numpy())
        for t in (compared.got, compared.expected)
    )
    return replace(comparison, got_blob=got, expected_blob=expected)


def with_wrong(
    comparison: OutputComparison, compared: Compared, blobs: list[bytes]
) -> OutputComparison:
    """The comparison with a bit for each element that is wrong."""
    if comparison.total > MOST_BITS:
        return comparison
    wrong = wrong_elements(compared.got, compared.expected, compared.tolerance)
    return replace(comparison, wrong_blob=_added(blobs, np.packbits(wrong.numpy())))


def blocks_of(report: SimulationReport, index: int, shape: tuple[int, ...]) -> OutputBlocks | None:
    """The tiles of an output that blocks wrote, where the simulator saw a regular grid."""
    found = _shared(report, index, shape)
    return found[0] if found is not None else None


def with_owners(
    comparison: OutputComparison, report: SimulationReport | None, blobs: list[bytes]
) -> OutputComparison:
    """The comparison with the block that wrote each tile."""
    found = _shared(report, comparison.index, comparison.shape) if report is not None else None
    if found is None:
        return comparison
    blocks, owners = found
    return replace(comparison, blocks=blocks, owners_blob=_added(blobs, owners))


def _shared(
    report: SimulationReport, index: int, shape: tuple[int, ...]
) -> tuple[OutputBlocks, Array] | None:
    writes = (report.writes or {}).get(index)
    if writes is None or np.ptp(writes.launches) > 0:
        return None
    return share_of_blocks(writes, report.grids[int(writes.launches[0])], shape)


def share_of_blocks(
    writes: BlockWrites, grid: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[OutputBlocks, Array] | None:
    """The tiles in which the blocks of one launch wrote, and the owner of each (int32).

    None where some block wrote across tiles, however these are cut.
    """
    lengths = [_tile_length(writes, at, size) for at, size in enumerate(shape)]
    tile = tuple(length for length in lengths if length is not None)
    if not shape or len(tile) < len(shape):
        return None
    places = writes.starts // np.array(tile, np.int32)
    walks = tuple(_walked(places, writes.blocks[:, at], grid[at]) for at in range(len(grid)))
    return OutputBlocks(grid, tile, walks), _owners(places, writes.blocks, grid, tile, shape)


def _tile_length(writes: BlockWrites, at: int, size: int) -> int | None:
    """The length of tiles along a dimension such that every block wrote within one.

    It is the distance at which blocks begin, or else the longest stretch that one wrote.
    """
    starts, extents = writes.starts[:, at], writes.extents[:, at]
    distinct = np.unique(starts)
    pitch = int(np.gcd.reduce(np.diff(distinct))) if len(distinct) > 1 else size
    for length in (pitch, int(extents.max())):
        if np.all(starts // length == (starts + extents - 1) // length):
            return length
    return None


def _walked(places: Array, block: Array, extent: int) -> int | None:
    """The dimension whose tiles an axis of the grid counts."""
    if extent == 1:
        return None
    return next((d for d in range(places.shape[1]) if np.array_equal(places[:, d], block)), None)


def _owners(
    places: Array,
    blocks: Array,
    grid: tuple[int, ...],
    tile: tuple[int, ...],
    shape: tuple[int, ...],
) -> Array:
    counts = tuple(-(-size // length) for size, length in zip(shape, tile, strict=True))
    strides = np.cumprod((1, *grid[:-1]))
    numbers = blocks[:, : len(grid)].astype(np.int64) @ strides
    owners = np.full(counts, NOBODY, np.int32)
    at = tuple(places.T)
    owners[at] = numbers
    owners[tuple(places[owners[at] != numbers].T)] = SEVERAL
    return owners


def _added(blobs: list[bytes], array: Array) -> int:
    blobs.append(array.tobytes())
    return len(blobs) - 1
