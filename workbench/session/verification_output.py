"""One output of a verification as a view shows it: errors, wrong elements by block, lookup."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from workbench.core.jobs import OutputBlocks, OutputComparison, WorstElement
from workbench.session.verification_errors import (
    Array,
    ErrorGrid,
    absolute_error,
    element_errors,
    floats,
    no_errors,
    pooled_errors,
    wrong_elements,
)
from workbench.session.verification_layout import (
    Index,
    MapLayout,
    Parts,
    layout_of,
    natural_layout,
)
from workbench.session.verification_sample import run_elements, run_tiles, without_others

NOBODY, SEVERAL = -1, -2
AXES = ("bx", "by", "bz")


@dataclass(frozen=True)
class Element:
    """One element; None is unknown.

    `block` names the block that wrote it, `within` its place in that block's tile; `difference` is
    got - expected, `allowed` how far they may lie apart.
    """

    index: Index
    label: str
    block: str | None
    within: str | None
    got: float | None
    expected: float | None
    difference: float | None
    allowed: float | None
    wrong: bool | None


@dataclass(frozen=True, eq=False)
class WrongCounts:
    """Wrong elements for each tile of the picture (rows x columns), and by row within a tile."""

    by_tile: Array
    by_row_within: Array
    by_column_within: Array

    @cached_property
    def by_column(self) -> Array:
        """For each column of tiles."""
        return np.asarray(self.by_tile.sum(0))

    @cached_property
    def by_row(self) -> Array:
        """For each row of tiles."""
        return np.asarray(self.by_tile.sum(1))


@dataclass(frozen=True, eq=False)
class OutputView:
    """One output of one seed; `comparison` has its figures.

    `ran` marks the elements of the blocks that ran, where only a sample did.
    """

    comparison: OutputComparison
    layout: MapLayout
    errors: ErrorGrid
    wrong: Array | None
    got: Array | None
    expected: Array | None
    owners: Array | None
    ran: Array | None = None

    @property
    def name(self) -> str:
        """The parameter's name."""
        return self.comparison.name

    @cached_property
    def counts(self) -> WrongCounts | None:
        """Where the wrong elements are; None where that is unknown."""
        if self.wrong is None:
            return None
        rows, columns = self.layout.extent
        height, width = self.layout.cell
        if self.comparison.mismatched == 0:
            none = np.zeros((rows // height, columns // width), np.int64)
            return WrongCounts(none, np.zeros(height, np.int64), np.zeros(width, np.int64))
        picture = self.layout.arranged(self.wrong, outside=0)
        tiles = picture.reshape(rows // height, height, columns // width, width)
        by_row = tiles.sum(3, dtype=np.int64)
        by_column = tiles.sum((0, 1, 2), dtype=np.int64)
        return WrongCounts(by_row.sum(1), by_row.sum((0, 2)), by_column)

    @cached_property
    def blocks_right(self) -> tuple[int, int] | None:
        """How many tiles of blocks that ran hold no wrong element, and how many there are."""
        if self.counts is None or not self.layout.is_block_grid:
            return None
        tiles = self.counts.by_tile
        ran = np.ones(tiles.shape, bool) if self.ran is None else run_tiles(self.ran, self.layout)
        return int((ran & (tiles == 0)).sum()), int(ran.sum())

    @property
    def tolerance_share(self) -> float | None:
        """The largest error divided by its tolerance; None where unknown or not a number."""
        known = self.comparison.max_share
        if known is not None or not self.errors.in_tolerances:
            return known
        return self.errors.largest or None

    @cached_property
    def worst(self) -> tuple[Element, ...]:
        """The elements of the largest errors, the largest first."""
        return tuple(self._worst(each) for each in self.comparison.worst)

    def element_at(self, row: int, column: int) -> Element | None:
        """What stands at a place of the picture; None outside the output."""
        index = self.layout.index_of(row, column)
        return None if index is None else self.element(index)

    def element(self, index: Index) -> Element:
        """What is known of an element; of one that no block of a sample ran for, nothing is."""
        if self.ran is not None and not self.ran[index or 0]:
            return self._element(index, None, None, None)
        known = next((w for w in self.comparison.worst if tuple(w.index) == index), None)
        if known is not None and self.got is None:
            return self._worst(known)
        got = None if self.got is None else float(self.got[index or 0])
        expected = None if self.expected is None else float(self.expected[index or 0])
        wrong = None if self.wrong is None else bool(self.wrong[index or 0])
        return self._element(index, got, expected, wrong)

    def band_label(self, parts: Parts, band: int) -> str:
        """The name of a row or column of tiles, such as "bx 7"."""
        blocks = self.comparison.blocks
        walked = {} if blocks is None else _axis_of(blocks)
        dims = self.layout.band_dims(parts)
        pairs = zip(dims, self.layout.band_tiles(parts, band), strict=True)
        names = [f"{walked.get(d, 'tile')} {at}" for d, at in pairs if self.layout.tiles[d] > 1]
        return ", ".join(names)

    def block_of(self, index: Index) -> str | None:
        """The block that wrote an element, such as "bx 7, by 3"; None where it is unknown."""
        blocks = self.comparison.blocks
        if blocks is None or self.owners is None or not index:
            return None
        at = tuple(i // length for i, length in zip(index, blocks.tile, strict=True))
        if self.ran is not None and self.owners[at] == NOBODY:
            return "not run"
        return _block_name(int(self.owners[at]), blocks.grid)

    def _worst(self, worst: WorstElement) -> Element:
        got, expected = float(worst.got), float(worst.expected)
        wrong = self.comparison.mismatched > 0
        return self._element(tuple(worst.index), got, expected, wrong)

    def _element(
        self, index: Index, got: float | None, expected: float | None, wrong: bool | None
    ) -> Element:
        unknown = got is None or expected is None
        return Element(
            index,
            f"{self.name}[{', '.join(map(str, index))}]" if index else self.name,
            self.block_of(index),
            self._within(index),
            got,
            expected,
            None if got is None or expected is None else got - expected,
            None if unknown else float(self._allowed(np.float64(expected or 0.0))),
            wrong,
        )

    def _within(self, index: Index) -> str | None:
        blocks = self.comparison.blocks
        if blocks is None or not index:
            return None
        at = [i % length for i, length in zip(index, blocks.tile, strict=True)]
        wide = [i for i, length in zip(at, blocks.tile, strict=True) if length > 1]
        if len(wide) == 2:
            return f"row {wide[0]}, column {wide[1]}"
        return f"element {', '.join(map(str, wide))}" if wide else None

    def _allowed(self, expected: Any) -> Any:
        magnitude = np.nan_to_num(np.abs(expected), nan=0.0, posinf=0.0)
        return self.comparison.atol + self.comparison.rtol * magnitude


def output_view(
    comparison: OutputComparison, blobs: Sequence[bytes], is_sampled: bool = False
) -> OutputView:
    """The view of an output from its comparison and the blobs that it refers to."""
    view = _whole_view(comparison, blobs)
    ran = run_elements(comparison, view.owners) if is_sampled else None
    if ran is None:
        return view
    return replace(view, ran=ran, errors=without_others(view.errors, ran, view.layout))


def _whole_view(comparison: OutputComparison, blobs: Sequence[bytes]) -> OutputView:
    shape = tuple(comparison.shape)
    got = floats(comparison.got_blob, blobs, shape)
    expected = floats(comparison.expected_blob, blobs, shape)
    wrong = wrong_elements(comparison, blobs)
    blocks = comparison.blocks
    tile = tuple(blocks.tile) if blocks is not None else None
    has_values = got is not None and expected is not None
    # What comes pooled is pooled over rows in memory.
    lay_out = layout_of if has_values or comparison.mismatched == 0 else natural_layout
    layout = lay_out(shape or (1,), tile)
    if comparison.mismatched == 0:
        errors = no_errors(layout, comparison.total)
    elif has_values:
        errors = element_errors(absolute_error(got, expected), wrong, layout)
    elif comparison.error_map_blob is not None:
        errors = pooled_errors(comparison, blobs[comparison.error_map_blob])
    else:
        errors = no_errors(layout, comparison.total)
    return OutputView(comparison, layout, errors, wrong, got, expected, _owners(comparison, blobs))


def _owners(comparison: OutputComparison, blobs: Sequence[bytes]) -> Array | None:
    if comparison.owners_blob is None or comparison.blocks is None:
        return None
    pairs = zip(comparison.shape, comparison.blocks.tile, strict=True)
    counts = tuple(-(-size // length) for size, length in pairs)
    return np.frombuffer(blobs[comparison.owners_blob], "<i4").reshape(counts)


def _axis_of(blocks: OutputBlocks) -> dict[int, str]:
    """The name of the grid's axis that walks each dimension."""
    return {d: AXES[axis] for axis, d in enumerate(blocks.walks) if d is not None}


def _block_name(owner: int, grid: Sequence[int]) -> str:
    if owner == NOBODY:
        return "none wrote it"
    if owner == SEVERAL:
        return "several"
    places = np.unravel_index(owner, tuple(grid), order="F")
    named = [
        f"{AXES[axis]} {int(at)}"
        for axis, at in enumerate(places)
        if grid[axis] > 1 or (axis == 0 and max(grid) == 1)
    ]
    return ", ".join(named)
