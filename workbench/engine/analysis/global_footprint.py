"""What accesses to global memory touch: by the whole launch, by a block, and by waves of blocks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.core.analysis.coalescing import touched_pieces
from workbench.core.analysis.global_sites import Count, GlobalKind, GlobalSite
from workbench.core.analysis.traffic import SECTOR_BYTES, SiteFootprint
from workbench.engine.analysis.access import Access
from workbench.engine.analysis.expressions import (
    Axis,
    Name,
    Node,
    Op,
    UnknownValueError,
    apply,
    const,
    evaluate,
    name,
)
from workbench.engine.analysis.launch import LaunchAxes
from workbench.engine.analysis.space import extent_bound, lane_patterns

Ints = npt.NDArray[np.int64]
ADDRESSES = 1 << 19  # lanes x turns x blocks whose addresses are looked at one by one
_RADIX = 8191  # tells boxes apart by one number: no multiple of a tile's extent
KEYED_BLOCKS = 1 << 18  # blocks told apart; further ones are taken to go on like these


@dataclass(frozen=True)
class Footprint:
    """What a site touches. `pieces` are the sectors or boxes of the whole launch with `piece_bytes`
    each, None where there are too many to look at: then `most_bytes` bounds them. `keys` tell by
    block, x fastest, whether two blocks touch the same."""

    piece_bytes: int
    pieces: Ints | None
    most_bytes: Count
    block_bytes: Count | None
    keys: Ints
    blocks: int


def footprint(
    axes: LaunchAxes, access: Access, site: GlobalSite, buffer_bytes: int | None
) -> Footprint | None:
    """The footprint of an access; None where its addresses are unknown."""
    address, piece = _address(access, site.kind)
    if address is None or site.requested_bytes is None:
        return None
    most = min(site.requested_bytes, buffer_bytes or site.requested_bytes)
    try:
        inside = _in_middle_block(axes, address, access)
        block = None if inside is None else len(_touched(*inside, access, site.kind)) * piece
        whole = (axes, address, access.loops, (*access.conditions, *access.filled))
        pieces = _touched(*whole, access, site.kind) if _size(*whole) <= ADDRESSES else None
        blocks = axes.launch.blocks
        return Footprint(piece, pieces, most, block, block_values(axes, address), blocks)
    except UnknownValueError:
        return None


def site_footprint(site: GlobalSite, found: Footprint | None, window: int) -> SiteFootprint:
    """The footprint of a site with windows of so many blocks."""
    if found is None:
        return SiteFootprint(site)
    unique: Count = found.most_bytes if found.pieces is None else _bytes(found.pieces, found)
    fetched = window_bytes(found, window)
    kept = None if fetched is None else max(unique, fetched)
    return SiteFootprint(site, unique, found.block_bytes, kept, found.pieces is None)


def united(found: Sequence[Footprint], buffer_bytes: int | None) -> Count:
    """Bytes that several sites of one buffer touch together."""
    total: Count = 0
    for size in {each.piece_bytes for each in found}:
        same = [each for each in found if each.piece_bytes == size]
        looked = [each.pieces for each in same if each.pieces is not None]
        if looked:
            total += len(np.unique(np.concatenate(looked))) * size
        total += sum(each.most_bytes for each in same if each.pieces is None)
    return total if buffer_bytes is None else min(total, buffer_bytes)


def window_bytes(found: Footprint, window: int) -> Count | None:
    """Bytes fetched where only each `window` blocks in a row share what they touch."""
    if found.block_bytes is None:
        return None
    keys = found.keys
    windows = np.arange(len(keys)) // max(1, window)
    _, numbers = np.unique(keys, return_inverse=True)
    distinct = len(np.unique(windows * (int(numbers.max(initial=0)) + 1) + numbers.ravel()))
    fetched = distinct * found.block_bytes
    return fetched if len(keys) == found.blocks else fetched * found.blocks // len(keys)


def _bytes(pieces: Ints, found: Footprint) -> Count:
    return min(len(pieces) * found.piece_bytes, max(found.most_bytes, SECTOR_BYTES))


def _address(access: Access, kind: GlobalKind) -> tuple[Node | None, int]:
    """The byte address, or a number that tells a box, and the bytes of a piece."""
    if kind is not GlobalKind.BULK_COPY:
        address = access.partner if kind is GlobalKind.ASYNC_COPY else access.address
        return address, SECTOR_BYTES
    if not access.coordinates:
        return access.partner, access.size_bytes
    number: Node = const(0)
    for coordinate in reversed(access.coordinates):
        number = apply("add", apply("mul", number, const(_RADIX)), coordinate)
    return number, access.size_bytes


def _touched(
    axes: LaunchAxes,
    address: Node,
    loops: Sequence[Axis],
    conditions: Sequence[Node],
    access: Access,
    kind: GlobalKind,
) -> Ints:
    rows = lane_patterns(axes, address, loops, conditions).addresses
    if kind is GlobalKind.BULK_COPY:
        return np.unique(rows[rows >= 0])
    return touched_pieces(rows, access.width_bytes, SECTOR_BYTES)


def _size(
    axes: LaunchAxes, address: Node, loops: Sequence[Axis], conditions: Sequence[Node]
) -> int:
    used = address.axes.union(*(node.axes for node in conditions))
    extents = [extent_bound(axis) for axis in (*axes.grid.values(), *loops) if axis in used]
    return math.prod(extents) * axes.launch.warps * axes.launch.warp


def _in_middle_block(
    axes: LaunchAxes, address: Node, access: Access
) -> tuple[LaunchAxes, Node, tuple[Axis, ...], tuple[Node, ...]] | None:
    """The access of one block in the middle of the grid alone; None where that is too much."""
    values: dict[Axis, Node] = {axis: const(extent_bound(axis) // 2) for axis in axes.grid.values()}
    loops = []
    for axis in access.loops:  # an inner loop's extent may use an outer loop
        loops.append(Axis(axis.name, _put(axis.extent, values)))
        values[axis] = name(loops[-1])
    alone = LaunchAxes(replace(axes.launch, grid=(1, 1, 1)), axes.thread, {})
    conditions = tuple(_put(node, values) for node in (*access.conditions, *access.filled))
    own = (alone, _put(address, values), tuple(loops), conditions)
    return own if _size(*own) <= ADDRESSES else None


def _put(node: Node, values: Mapping[Axis, Node]) -> Node:
    """The expression with axes replaced."""
    memo: dict[Node, Node] = {}

    def replaced(part: Node) -> Node:
        if part not in memo:
            memo[part] = _replaced(part)
        return memo[part]

    def _replaced(part: Node) -> Node:
        if isinstance(part, Name):
            return values.get(part.axis, part)
        if isinstance(part, Op) and part.axes & values.keys():
            return apply(part.symbol, *(replaced(each) for each in part.inputs))
        return part

    return replaced(node)


def block_values(axes: LaunchAxes, value: Node) -> Ints:
    """The value of each block, x fastest: of thread 0 at the first turn of all loops."""
    x, y, _ = axes.launch.grid
    numbers = np.arange(min(axes.launch.blocks, KEYED_BLOCKS))
    places = {"x": numbers % x, "y": numbers // x % y, "z": numbers // (x * y)}
    values: dict[Axis, Any] = {axis: places[along] for along, axis in axes.grid.items()}
    for axis in value.axes:
        values.setdefault(axis, 0)
    return np.broadcast_to(np.asarray(evaluate(value, values, {}), np.int64), numbers.shape)
