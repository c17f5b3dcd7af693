"""What is known at run time of global memory: which block wrote and read which element.

A map has a number for each element: 0 where nobody wrote, -1 where atomics did, else the number of
the block that wrote last, counted over all launches of the run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.engine.simulator.indexing import outside_of
from workbench.engine.simulator.regions import clipped
from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime, Where

Array = np.ndarray[Any, Any]
Index = tuple[int, ...]
_MOST_ELEMENTS = 2**27
_ATOMIC = -1
_STATE = "ownership"


@dataclass
class Owners:
    """The maps of one parameter; `readers` only where the kernel reads what it writes."""

    number: int
    cells: Array
    readers: Array | None
    known: bool = True


@dataclass
class _Rewrite:
    """Elements that a block stores although another did: what they held before."""

    site: int
    array: Array
    where: tuple[Array, ...]
    before: Array
    other: int
    block: Index


class Ownership:
    """The maps of a run, and the block that is running."""

    def __init__(self) -> None:
        self.maps: dict[int, Owners] = {}
        self.floor = 0  # the greatest number of blocks of earlier launches
        self.me = 0
        self.grid: Index = ()
        self._launch = 0
        self._block: Index | None = None
        self._pending: _Rewrite | None = None

    def enter(self, rt: Runtime) -> int:
        """Return the number of the block that runs now."""
        if rt.launch != self._launch:
            self._launch = rt.launch
            self.floor += int(np.prod(self.grid))
        if rt.block is not self._block or self.me <= self.floor:
            self._block, self.grid = rt.block, rt.grids[rt.launch]
            number, step = 0, 1
            for at, extent in zip(rt.block, self.grid, strict=True):
                number, step = number + at * step, step * extent
            self.me = self.floor + 1 + number
        return self.me

    def block_of(self, number: int) -> Index:
        """Return the block index behind a number of this launch."""
        place = np.unravel_index(number - self.floor - 1, self.grid, order="F")
        return tuple(map(int, place))

    def settle(self, rt: Runtime) -> None:
        """Look at what the last conflicting store has written: another value, or the same."""
        found, self._pending = self._pending, None
        if found is None:
            return
        after = found.array[found.where]
        changed = ~((after == found.before) | ((after != after) & (found.before != found.before)))
        block, rt.block = rt.block, found.block
        if changed.any():
            self._note(rt, found, int(np.argmax(changed)), int(np.count_nonzero(changed)))
        else:
            rt.note("block-race", "info", found.site, lambda: _same(rt, self, found))
        rt.block = block

    def _note(self, rt: Runtime, found: _Rewrite, at: int, count: int) -> None:
        index = tuple(int(each[at]) for each in found.where)
        other = self.block_of(found.other)
        evidence = {"other_block": list(other), "elements": count}
        rt.note(
            "block-race",
            "error",
            found.site,
            lambda: (
                f"{_element(rt, found.site, index)} is stored by block {found.block} and by block "
                f"{other}, with different values: only the last one stays"
            ),
            lambda: Where(index, evidence=evidence),
        )

    def rewrites(self, rt: Runtime, site: int, array: Array, where: Any, other: int) -> None:
        """Remember what elements hold that are about to be stored by a second block."""
        before = np.array(array[where])
        self._pending = _Rewrite(site, array, where, before, other, rt.block)


def _same(rt: Runtime, state: Ownership, found: _Rewrite) -> str:
    index = tuple(int(each[0]) for each in found.where)
    return (
        f"{_element(rt, found.site, index)} is stored by block {found.block} and by block "
        f"{state.block_of(found.other)}, with the same value"
    )


def _element(rt: Runtime, site: int, index: Index) -> str:
    return f"{rt.site(site).buffer}[{', '.join(map(str, index))}]"


def _of(rt: Runtime) -> Ownership:
    state: Ownership | None = rt.state.get(_STATE)
    if state is None:
        state = rt.state[_STATE] = Ownership()
    return state


@helper
def owners_of(rt: Runtime, number: int, array: Array, is_shared: bool) -> Owners:
    """Return the maps of a parameter, with nobody in them."""
    known = array.size <= _MOST_ELEMENTS
    shape = array.shape if known else (0,) * array.ndim
    readers = np.zeros(shape, np.int32) if is_shared else None
    found = Owners(number, np.zeros(shape, np.int32), readers, known)
    _of(rt).maps[number] = found
    return found


@helper
def forget_owners(rt: Runtime, number: int) -> None:
    """What is written of a parameter can not be told from now on."""
    found = _of(rt).maps.get(number)
    if found is not None:
        found.known = False


def _origin(whole: Array, view: Array) -> Index:
    """Return the index of a view's first element in a C-ordered array."""
    offset = view.__array_interface__["data"][0] - whole.__array_interface__["data"][0]
    return tuple(map(int, np.unravel_index(offset // whole.itemsize, whole.shape)))


def _places(whole: Array, view: Array, where: Array) -> tuple[Array, ...]:
    """Return the indices in `whole` of the elements of a view for which `where` holds."""
    flat = np.arange(whole.size).reshape(whole.shape)
    strides = [s // whole.itemsize for s in view.strides]
    start = int(np.ravel_multi_index(_origin(whole, view), whole.shape))
    at = sum(index * stride for index, stride in zip(np.nonzero(where), strides, strict=True))
    return np.unravel_index(flat.reshape(-1)[start + np.asarray(at)], whole.shape)


@helper
def claim(rt: Runtime, owners: Owners, array: Array, cells: Array, view: Array, site: int) -> None:
    """A block stores into a view: elements of another block are a race."""
    state = _of(rt)
    state.settle(rt)
    if not owners.known or cells.size == 0:
        return
    me = state.enter(rt)
    if cells.max() > state.floor:
        foreign = (cells > state.floor) & (cells != me)
        if foreign.any():
            where = _places(owners.cells, cells, foreign)
            state.rewrites(rt, site, array, where, int(owners.cells[tuple(w[0] for w in where)]))
    if owners.readers is not None:
        _note_read_before(rt, state, owners, site, _same_part(owners, cells))
    cells[...] = me


def _same_part(owners: Owners, cells: Array) -> Array:
    """Return the readers of the elements of a view of the owners."""
    assert owners.readers is not None
    offset = cells.__array_interface__["data"][0] - owners.cells.__array_interface__["data"][0]
    start = owners.readers.reshape(-1)[offset // 4 :]
    return np.lib.stride_tricks.as_strided(start, cells.shape, cells.strides)


def _note_read_before(
    rt: Runtime, state: Ownership, owners: Owners, site: int, readers: Array
) -> None:
    foreign = (readers > state.floor) & (readers != state.me)
    if not foreign.any() or owners.readers is None:
        return
    other = state.block_of(int(readers[foreign][0]))
    where = _places(owners.readers, readers, foreign)
    index = tuple(int(each[0]) for each in where)
    rt.note(
        "block-race",
        "error",
        site,
        lambda: (
            f"{_element(rt, site, index)} is stored by block {rt.block}, and block {other} reads it"
        ),
        lambda: Where(index, evidence={"other_block": list(other), "elements": len(where[0])}),
    )


@helper
def observe(
    rt: Runtime, owners: Owners, array: Array, cells: Array, view: Array, site: int
) -> None:
    """A block reads a view of a parameter that the kernel writes."""
    state = _of(rt)
    state.settle(rt)
    if not owners.known or cells.size == 0 or owners.readers is None:
        return
    me = state.enter(rt)
    foreign = (cells > state.floor) & (cells != me)
    if foreign.any():
        _note_foreign(rt, state, site, _places(owners.cells, cells, foreign), owners.cells)
    if _is_fresh(rt, owners) and (cells == 0).any():
        _note_unset(rt, site, _places(owners.cells, cells, cells == 0))
    _same_part(owners, cells)[...] = me


def _note_foreign(
    rt: Runtime, state: Ownership, site: int, where: tuple[Array, ...], cells: Array
) -> None:
    index = tuple(int(each[0]) for each in where)
    other = state.block_of(int(cells[index]))
    rt.note(
        "block-race",
        "error",
        site,
        lambda: (
            f"block {rt.block} reads {_element(rt, site, index)}, which block {other} stores in "
            "the same launch"
        ),
        lambda: Where(index, evidence={"other_block": list(other), "elements": len(where[0])}),
    )


def _is_fresh(rt: Runtime, owners: Owners) -> bool:
    return owners.number in (rt.options.fresh or ())


def _note_unset(rt: Runtime, site: int, where: tuple[Array, ...]) -> None:
    index = tuple(int(each[0]) for each in where)
    rt.note(
        "uninitialized-read",
        "error",
        site,
        lambda: (
            f"{_element(rt, site, index)} is read, but the memory is fresh and nothing was "
            "written there"
        ),
        lambda: Where(index, evidence={"elements": len(where[0])}),
    )


@helper
def join(rt: Runtime, owners: Owners, array: Array, cells: Array, view: Array, site: int) -> None:
    """A block combines atomically into a view, which no other's atomics disturb."""
    _of(rt).settle(rt)
    if not owners.known:
        return
    unset = cells == 0
    if unset.any():
        if _is_fresh(rt, owners):
            _note_unset(rt, site, _places(owners.cells, cells, unset))
        cells[unset] = _ATOMIC


def _lanes_inside(array: Array, index: tuple[Any, ...], mask: Any) -> tuple[Array, ...]:
    """Return the elements that lanes really access."""
    outside = outside_of(index, array.shape)
    inside = True if outside is None else ~outside
    keep = inside if mask is None else inside & mask
    shape = np.broadcast_shapes(np.shape(keep), *(np.shape(at) for at in index))
    lanes = np.broadcast_to(keep, shape)
    return tuple(np.broadcast_to(at, shape)[lanes] for at in index)


@helper
def claim_elements(
    rt: Runtime, owners: Owners, array: Array, index: tuple[Any, ...], mask: Any, site: int
) -> None:
    """Lanes store elements."""
    state = _of(rt)
    state.settle(rt)
    if not owners.known:
        return
    me, where = state.enter(rt), _lanes_inside(array, index, mask)
    cells = owners.cells[where]
    foreign = (cells > state.floor) & (cells != me)
    if foreign.any():
        chosen = tuple(each[foreign] for each in where)
        state.rewrites(rt, site, array, chosen, int(cells[foreign][0]))
    if owners.readers is not None:
        readers = owners.readers[where]
        others = (readers > state.floor) & (readers != me)
        if others.any():
            at = int(np.argmax(others))
            element = tuple(slice(int(each[at]), int(each[at]) + 1) for each in where)
            _note_read_before(rt, state, owners, site, owners.readers[element])
    owners.cells[where] = me


@helper
def observe_elements(
    rt: Runtime, owners: Owners, array: Array, index: tuple[Any, ...], mask: Any, site: int
) -> None:
    """Lanes read elements of a parameter that the kernel writes."""
    state = _of(rt)
    state.settle(rt)
    if not owners.known or owners.readers is None:
        return
    me, where = state.enter(rt), _lanes_inside(array, index, mask)
    cells = owners.cells[where]
    foreign = (cells > state.floor) & (cells != me)
    if foreign.any():
        _note_foreign(rt, state, site, tuple(each[foreign] for each in where), owners.cells)
    if _is_fresh(rt, owners) and (cells == 0).any():
        _note_unset(rt, site, tuple(each[cells == 0] for each in where))
    owners.readers[where] = me


@helper
def join_elements(
    rt: Runtime, owners: Owners, array: Array, index: tuple[Any, ...], mask: Any, site: int
) -> None:
    """Lanes combine atomically into elements."""
    _of(rt).settle(rt)
    if not owners.known:
        return
    where = _lanes_inside(array, index, mask)
    unset = owners.cells[where] == 0
    if unset.any():
        chosen = tuple(each[unset] for each in where)
        if _is_fresh(rt, owners):
            _note_unset(rt, site, chosen)
        owners.cells[chosen] = _ATOMIC


def _inside(owners: Owners, starts: Index, extents: Index) -> Any:
    return clipped(owners.cells, starts, extents)[0]


@helper
def claim_tile(
    rt: Runtime, owners: Owners, array: Array, starts: Index, extents: Index, site: int
) -> None:
    """A block stores the part of a tile that lies inside the array."""
    if owners.known:
        part = _inside(owners, starts, extents)
        claim(rt, owners, array, owners.cells[part], array[part], site)


@helper
def observe_tile(
    rt: Runtime, owners: Owners, array: Array, starts: Index, extents: Index, site: int
) -> None:
    """A block reads the part of a tile that lies inside the array."""
    if owners.known:
        part = _inside(owners, starts, extents)
        observe(rt, owners, array, owners.cells[part], array[part], site)


@helper
def join_tile(
    rt: Runtime, owners: Owners, array: Array, starts: Index, extents: Index, site: int
) -> None:
    """A block combines atomically into the part of a tile that lies inside the array."""
    if owners.known:
        part = _inside(owners, starts, extents)
        join(rt, owners, array, owners.cells[part], array[part], site)


@helper
def check_coverage(rt: Runtime, number: int, array: Array, site: int) -> None:
    """At the end: every element of fresh memory that nobody wrote is an error."""
    state = _of(rt)
    state.settle(rt)
    owners = state.maps.get(number)
    stopped = rt.blocks_run < rt.blocks_total or rt.has_noted("barrier-deadlock")
    if number not in (rt.options.fresh or ()) or stopped or array.size == 0:
        return
    if owners is not None and not owners.known:
        return
    count = array.size - (0 if owners is None else int(np.count_nonzero(owners.cells)))
    if count:
        missing = np.ones(array.shape, bool) if owners is None else owners.cells == 0
        rt.block = ()
        where = Where(_first_missing(missing), evidence={"elements": count, "of": array.size})
        message = _uncovered(rt.site(site).buffer, missing, count)
        rt.note("output-not-covered", "error", site, lambda: message, lambda: where)


def _first_missing(missing: Array) -> Index:
    return tuple(map(int, np.unravel_index(int(np.argmax(missing)), missing.shape)))


def _uncovered(name: str, missing: Array, count: int) -> str:
    """Say which part of an output nobody wrote: the box around it."""
    if count == missing.size:
        return f"{name} is an output, but no statement writes any of its {count:,} elements"
    spans = []
    for axis in range(missing.ndim):
        others = tuple(each for each in range(missing.ndim) if each != axis)
        hit = np.flatnonzero(missing.any(axis=others))
        spans.append(f"{hit[0]}:{hit[-1] + 1}")
    return (
        f"{count:,} of {missing.size:,} elements of the output {name} are never written, "
        f"all within {name}[{', '.join(spans)}]"
    )
