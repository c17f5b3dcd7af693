"""What is known at run time of on-chip memory: which elements hold a defined value.

A shadow has a number for each element: 0 where it is defined, -1 where nobody wrote it, else the
statement (site + 1) that first read it although nobody had written it. Most memory is soon defined
as a whole, which `full` tells; then the cells do not exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from workbench.engine.simulator.indexing import first_of, outside_of
from workbench.engine.simulator.regions import clipped
from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime, Where

Array = np.ndarray[Any, Any]
Index = tuple[int, ...]
ACCUMULATOR = "accumulator"  # the role of a site at which a product is added to what is there
_UNSET = -1
_STATE = "shadows"
_NONE = np.int16(0)


class Shadow:
    """The definedness of one array; `full` where all of it is defined."""

    __slots__ = ("_cells", "array", "full")

    def __init__(self, array: Array) -> None:
        self.array = array
        self.full = False
        self._cells: Array | None = None

    def reset(self, is_set: bool) -> None:
        """The memory is another block's now."""
        self.full = is_set
        self._cells = None

    @property
    def cells(self) -> Array:
        """The numbers, for reading."""
        if self.full:
            return np.broadcast_to(_NONE, self.array.shape)
        return self.open()

    def open(self) -> Array:
        """Return the numbers to be written; `settle` ends that."""
        if self._cells is None:
            value = _NONE if self.full else np.int16(_UNSET)
            self._cells = np.full(self.array.shape, value, np.int16)
        self.full = False
        return self._cells

    def settle(self) -> None:
        """Look whether all is defined now."""
        if self._cells is None or not self._cells.any():
            self.reset(True)


@helper
def fresh_shadow(rt: Runtime, array: Array, is_set: bool) -> Shadow:
    """Return the shadow of memory that the block has just got."""
    known: dict[int, Shadow] = rt.state.setdefault(_STATE, {})
    found = known.get(id(array))
    if found is None or found.array is not array:
        found = known[id(array)] = Shadow(array)
    found.reset(is_set)
    return found


@helper
def shared_shadow(team: Any, array: Array, is_set: bool) -> Shadow:
    """Return the shadow of memory that several roles of a block may have got."""
    key = (_STATE, id(array))
    if key not in team.memories:
        team.memories[key] = Shadow(array)
        team.memories[key].full = is_set
    found: Shadow = team.memories[key]
    return found


@helper
def read_cells(cells: Any, site: int) -> Any:
    """Return the numbers of what is read at a site, which is the first to read what is unset."""
    return np.where(np.asarray(cells) == _UNSET, np.int16(site + 1), cells)


@helper
def worst(*cells: Any) -> Any:
    """Return the number of a value that is computed of several."""
    return reduce(np.maximum, cells, _NONE)


@helper
def product_cells(left: Array, right: Array) -> Array:
    """Return the numbers of a matrix product: each element needs its whole row and column."""
    return np.asarray(np.maximum(left.max(axis=1)[:, None], right.max(axis=0)[None, :]))


@helper
def largest_cell(cells: Sequence[Any]) -> Any:
    """Return the number of a value that needs all elements of some tiles."""
    return max((np.max(each, initial=0) for each in cells), default=_NONE)


@helper
def note_undefined(rt: Runtime, cells: Any, array: Array, index: Any, mask: Any, site: int) -> None:
    """Lanes store what may be undefined into global memory."""
    lanes = np.asarray(cells) > 0
    outside = outside_of(index, array.shape)
    for keep in (mask, None if outside is None else ~outside):
        lanes = lanes if keep is None else lanes & keep
    if np.any(lanes):
        origin = int(np.max(np.where(lanes, cells, 0)))
        where = first_of(index, lanes)
        _note(rt, origin, f"{rt.site(site).buffer}{list(where.index or ())}", where, site)


@helper
def note_undefined_tile(
    rt: Runtime, cells: Any, array: Array, starts: Index, extents: Index, site: int
) -> None:
    """A tile that may be undefined is stored into global memory; what is outside is not."""
    inner, outer = clipped(array, starts, extents)
    whole = np.asarray(cells)
    whole = whole.reshape(extents) if whole.size > 1 else np.broadcast_to(whole, extents)
    inside = whole[outer]
    if (inside > 0).any():
        at = np.unravel_index(int(np.argmax(inside > 0)), inside.shape)
        index = tuple(part.start + int(each) for part, each in zip(inner, at, strict=True))
        where = Where(index, evidence={"elements": int(np.count_nonzero(inside > 0))})
        _note(rt, int(inside.max()), f"{rt.site(site).buffer}{list(index)}", where, site)


@helper
def note_deciding(rt: Runtime, cells: Any, mask: Any, site: int) -> None:
    """What runs next depends on what may be undefined."""
    lanes = np.asarray(cells) > 0
    if np.any(lanes if mask is None else lanes & mask):
        _note(rt, int(np.max(cells)), "what the kernel does next", Where(), site)


def _note(rt: Runtime, origin: int, reaches: str, where: Where, site: int) -> None:
    place = rt.site(origin - 1)
    is_accumulator = place.role == ACCUMULATOR
    code = "gemm-uninitialized-accumulator" if is_accumulator else "uninitialized-read"
    evidence = {**where.evidence, "reaches": reaches, "reached_at_line": rt.site(site).line}
    what = "adds to" if is_accumulator else "reads"
    rt.note(
        code,
        "error",
        origin - 1,
        lambda: f"{what} {place.buffer}, parts of which nothing has written; it reaches {reaches}",
        lambda: Where(None, (), evidence),
    )
