"""What a change of a shared tile does to the wavefronts of every site that accesses it."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.core.analysis.bank_rules import AccessKind, BankRules
from workbench.core.analysis.banks import BankCount
from workbench.core.analysis.layouts import SWIZZLES, Ints, LayoutError, TileLayout
from workbench.core.analysis.shared_sites import Count, SharedKind
from workbench.core.analysis.shared_tiles import LaneElements, SharedTile, SharedTiles, TileSite
from workbench.core.analysis.what_if import TileAccess, with_layout, with_width

_PADS = (4, 8, 16, 32)  # bytes: a bank, and what keeps accesses of 8 and 16 bytes aligned
_WIDTHS = (4, 8, 16)
_PLAIN = (AccessKind.LOAD, AccessKind.STORE)


class ChangeKind(enum.Enum):
    """What is changed, in the order in which one would rather do it."""

    PAD = "pad"  # rows are `amount` elements longer
    SWIZZLE = "swizzle"  # pieces of 16 bytes change places within `amount` bytes of a row
    XOR = "xor"  # runs of `amount` elements change places within the whole row
    WIDTH = "width"  # one site accesses `amount` bytes a lane
    TRANSPOSE = "transpose"  # the tile is kept with rows and columns exchanged


@dataclass(frozen=True)
class Change:
    """A change of the tile `buffer`; `site` is the place of the site that a width is for."""

    kind: ChangeKind
    buffer: str
    amount: int = 0
    site: int | None = None


@dataclass(frozen=True)
class ChangedSite:
    """A site, by its place among all, with what it costs then."""

    site: int
    count: BankCount


@dataclass(frozen=True)
class Changed:
    """A change and its effect; `extra_bytes` is the shared memory of a block that it takes more.

    `unknown` says why nothing can be told.
    """

    change: Change
    sites: tuple[ChangedSite, ...]
    extra_bytes: int
    unknown: str | None = None

    @property
    def wavefronts(self) -> Count | None:
        """Those of all sites of the tile; None where unknown."""
        counts = [each.count.wavefronts for each in self.sites]
        known = [count for count in counts if count is not None]
        return sum(known) if self.unknown is None and len(known) == len(counts) else None

    @property
    def ways(self) -> int:
        """The most wavefronts of one phase at any of its sites."""
        return max((each.count.ways or 1 for each in self.sites), default=1)

    def of(self, site: int) -> BankCount | None:
        """The count of one site."""
        return next((each.count for each in self.sites if each.site == site), None)


def changes_for(tiles: SharedTiles, site: int) -> tuple[Change, ...]:
    """The changes to try for the tile that a site accesses, those that one would rather do first.

    None for what tensor cores read through descriptors: its layout is theirs.
    """
    own = tiles.sites[site]
    tile = tiles.tile(own.buffer)
    users = [each for each in tiles.sites if each.buffer == own.buffer]
    if tile is None or tile.rows < 2 or any(u.kind is SharedKind.TENSOR for u in users):
        return ()
    return tuple(_changes(tile, own, site, users))


def _changes(
    tile: SharedTile, own: TileSite, site: int, users: Sequence[TileSite]
) -> Iterator[Change]:
    for size in _PADS:
        if size % tile.element_bytes == 0:
            yield Change(ChangeKind.PAD, tile.name, size // tile.element_bytes)
    for swizzle in reversed(SWIZZLES):
        fits = tile.columns * tile.element_bytes % swizzle == 0
        if fits and swizzle != tile.swizzle_bytes and tile.element_bytes < 8:
            yield Change(ChangeKind.SWIZZLE, tile.name, swizzle)
    run = max(1, max(each.width_bytes for each in users) // tile.element_bytes)
    runs, rest = divmod(tile.columns, run)
    if rest == 0 and runs > 1 and runs & (runs - 1) == 0:
        yield Change(ChangeKind.XOR, tile.name, run)
    for width in _WIDTHS:
        if width > own.width_bytes and own.kind in (SharedKind.LOAD, SharedKind.STORE):
            yield Change(ChangeKind.WIDTH, tile.name, width, site)
    yield Change(ChangeKind.TRANSPOSE, tile.name)


def changed(tiles: SharedTiles, change: Change, rules: BankRules) -> Changed:
    """The effect of a change on all sites of its tile. Raises ValueError for no such tile."""
    tile = tiles.tile(change.buffer)
    if tile is None:
        raise ValueError(f"no tile of shared memory is called {change.buffer}")
    extra = change.amount * tile.rows * tile.element_bytes * tile.copies
    made = Changed(change, (), extra if change.kind is ChangeKind.PAD else 0)
    sites: list[ChangedSite] = []
    for place, site in enumerate(tiles.sites):
        if site.buffer != tile.name or site.kind is SharedKind.BULK_COPY:
            continue
        if site.access is None or not site.patterns:
            return replace(made, unknown=site.lacks or "what its lanes access is not known")
        after = access_after(tile, site, change, place, site.patterns)
        if after is None:
            return replace(made, unknown=f"line {site.line} {_WHY_NOT[change.kind]}")
        count = after.count(rules)
        if count.unknown is not None:
            return replace(made, unknown=f"line {site.line}: {count.unknown}")
        sites.append(ChangedSite(place, count))
    return replace(made, sites=tuple(sites))


def access_after(
    tile: SharedTile,
    site: TileSite,
    change: Change,
    place: int,
    patterns: Sequence[LaneElements],
) -> TileAccess | None:
    """The instructions of a site after a change; None where they cannot be made so.

    `place` is that of the site among all.
    """
    before = _present(tile, site, patterns)
    if before is None:
        return None
    try:
        return _AFTER[change.kind](tile, before, change, change.site in (None, place))
    except LayoutError:
        return None


def _present(
    tile: SharedTile, site: TileSite, patterns: Sequence[LaneElements]
) -> TileAccess | None:
    if site.access is None:
        return None
    elements = np.array([pattern.elements for pattern in patterns], np.int64)
    rows, columns = np.divmod(elements, tile.columns)
    far = [pattern.outside for pattern in patterns if pattern.outside is not None]
    return TileAccess(
        site.access,
        TileLayout(tile.rows, tile.columns, tile.element_bytes),
        np.where(elements < 0, -1, rows),
        np.where(elements < 0, 0, columns),
        np.array([pattern.weight for pattern in patterns]),
        np.array(far, np.int64) if far else None,
    )


def _padded(tile: SharedTile, before: TileAccess, change: Change, own: bool) -> TileAccess:
    return with_layout(before, before.layout.padded_by(change.amount))


def _swizzled(tile: SharedTile, before: TileAccess, change: Change, own: bool) -> TileAccess:
    return with_layout(before, before.layout.swizzled_by(change.amount))


def _exchanged(tile: SharedTile, before: TileAccess, change: Change, own: bool) -> TileAccess:
    runs = tile.columns // change.amount
    run, inside = np.divmod(before.columns, change.amount)
    columns = (run ^ before.rows % runs) * change.amount + inside
    return replace(before, columns=np.where(before.rows < 0, 0, columns))


def _widened(tile: SharedTile, before: TileAccess, change: Change, own: bool) -> TileAccess | None:
    if own:
        return with_width(before, change.amount)
    if not tile.swizzle_bytes:
        return before if tile.swizzle_bytes == 0 else None
    return with_layout(before, before.layout.swizzled_by(tile.swizzle_bytes))


def _transposed(
    tile: SharedTile, before: TileAccess, change: Change, own: bool
) -> TileAccess | None:
    """Runs along a row become elements below each other, which are accessed one by one."""
    run = max(1, before.access.width_bytes // tile.element_bytes)
    if before.access.kind not in _PLAIN:
        return None
    offsets = np.arange(run)[:, None, None]
    active = before.rows >= 0
    rows = np.where(active, before.columns + offsets, -1).reshape(-1, active.shape[1])
    columns: Ints = np.tile(np.where(active, before.rows, 0), (run, 1))
    weights: Any = None if before.weights is None else np.tile(before.weights, run)
    return TileAccess(
        replace(before.access, width_bytes=min(before.access.width_bytes, tile.element_bytes)),
        TileLayout(tile.columns, tile.rows, tile.element_bytes),
        rows,
        columns,
        weights,
    )


_AFTER = {
    ChangeKind.PAD: _padded,
    ChangeKind.SWIZZLE: _swizzled,
    ChangeKind.XOR: _exchanged,
    ChangeKind.WIDTH: _widened,
    ChangeKind.TRANSPOSE: _transposed,
}
_WHY_NOT = {
    ChangeKind.PAD: "has a layout that cannot be padded",
    ChangeKind.SWIZZLE: "has rows that are no whole number of its panels",
    ChangeKind.XOR: "has rows that cannot be exchanged so",
    ChangeKind.WIDTH: "has no neighbouring elements for a lane to take together",
    ChangeKind.TRANSPOSE: "moves whole rows at once",
}
