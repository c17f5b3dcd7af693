"""Run-time element access with index arrays: bounds, masks, and what is outside."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime, Where

Array = np.ndarray[Any, Any]


def outside_of(index: tuple[Any, ...], shape: tuple[int, ...]) -> Any:
    """Return where an index lies outside a shape as a bool array, None where it nowhere does."""
    found: Any = None
    for at, size in zip(index, shape, strict=True):
        beyond = (np.asarray(at) < 0) | (np.asarray(at) >= size)
        if beyond.any():
            found = beyond if found is None else found | beyond
    return found


def first_of(index: tuple[Any, ...], where: Any) -> Where:
    """Return the element and the iteration of the first lane for which `where` holds."""
    shape = np.broadcast_shapes(np.shape(where), *(np.shape(at) for at in index))
    position = np.unravel_index(int(np.argmax(np.broadcast_to(where, shape))), shape)
    element = tuple(int(np.broadcast_to(at, shape)[position]) for at in index)
    return Where(element, tuple(map(int, position)))


def _describe(array: Array, index: tuple[Any, ...], where: Any) -> str:
    at = ", ".join(map(str, first_of(index, where).index or ()))
    return f"is indexed at [{at}], outside its shape {array.shape}"


def note_outside(
    rt: Runtime, verb: str, site: int, array: Array, index: tuple[Any, ...], where: Any
) -> None:
    """Note the first of the accesses `where` that lie outside, if any does."""
    if np.any(where):
        rt.note_outside(
            site, verb, lambda: _describe(array, index, where), lambda: first_of(index, where)
        )


@helper
def gather(
    rt: Runtime, array: Array, index: tuple[Any, ...], mask: Any, site: int, fill: Any = 0
) -> Any:
    """Read an element for each lane; `fill` where the index is outside."""
    outside = outside_of(index, array.shape)
    if outside is None:
        return array[index]
    note_outside(rt, "read", site, array, index, outside if mask is None else outside & mask)
    inside = tuple(np.clip(at, 0, size - 1) for at, size in zip(index, array.shape, strict=True))
    return np.where(outside, np.asarray(fill).astype(array.dtype), array[inside])


@helper
def read(rt: Runtime, array: Array, index: tuple[int, ...], site: int, fill: Any = 0) -> Any:
    """Read one element; `fill` where the index is outside."""
    if all(0 <= at < size for at, size in zip(index, array.shape, strict=True)):
        return array[index]
    note_outside(rt, "read", site, array, index, True)
    return array.dtype.type(fill)


@helper
def write(rt: Runtime, array: Array, index: tuple[int, ...], value: Any, site: int) -> None:
    """Write one element, unless the index is outside."""
    if all(0 <= at < size for at, size in zip(index, array.shape, strict=True)):
        array[index] = value
    else:
        note_outside(rt, "write", site, array, index, True)


def selected(
    rt: Runtime, array: Array, index: tuple[Any, ...], value: Any, mask: Any, site: int
) -> tuple[tuple[Any, ...], Any]:
    """Return the index arrays and values of the lanes that do write, flat where some do not."""
    shape = np.broadcast_shapes(
        *(np.shape(at) for at in index), np.shape(value), () if mask is None else np.shape(mask)
    )
    outside = outside_of(index, array.shape)
    keep = mask
    if outside is not None:
        note_outside(rt, "write", site, array, index, outside if mask is None else outside & mask)
        keep = ~outside if mask is None else mask & ~outside
    wide = tuple(np.broadcast_to(at, shape) for at in index)
    if keep is None:
        return wide, np.broadcast_to(value, shape)
    lanes = np.broadcast_to(keep, shape)
    return tuple(at[lanes] for at in wide), np.broadcast_to(value, shape)[lanes]


@helper
def scatter(
    rt: Runtime, array: Array, index: tuple[Any, ...], value: Any, mask: Any, site: int
) -> None:
    """Write an element for each lane; of several lanes that write one element the last wins."""
    where, values = selected(rt, array, index, value, mask, site)
    array[where] = values


@helper
def accumulate(
    rt: Runtime,
    combine: np.ufunc,
    array: Array,
    index: tuple[Any, ...],
    value: Any,
    mask: Any,
    site: int,
) -> None:
    """Combine each lane's value into its element; lanes with one element take turns."""
    where, values = selected(rt, array, index, value, mask, site)
    combine.at(array, where, values)


@helper
def exchange(
    rt: Runtime,
    combine: np.ufunc,
    array: Array,
    index: tuple[Any, ...],
    value: Any,
    mask: Any,
    site: int,
) -> Any:
    """Combine lane by lane and return what each lane found (one of the orders a GPU may take)."""
    arrays = np.broadcast_arrays(*index, value, True if mask is None else mask)
    outside = outside_of(index, array.shape)
    before = np.zeros(arrays[0].shape, array.dtype)
    if outside is not None:
        note_outside(rt, "write", site, array, index, outside & arrays[-1])
    for lane in np.ndindex(before.shape):
        at = tuple(int(each[lane]) for each in arrays[: len(index)])
        if arrays[-1][lane] and outside_of(at, array.shape) is None:
            before[lane] = array[at]
            array[at] = combine(array[at], arrays[-2][lane])
    return before if before.ndim else before[()]


@helper
def uniform(value: Array, mask: Any = None) -> Any:
    """Return the value that a tile statement reads: that of the first thread that is there."""
    return value[0 if mask is None else int(np.argmax(mask))]
