"""Finds at run time which iterations of one T.Parallel meet in an element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from workbench.engine.simulator.indexing import outside_of
from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime, Where

Array = np.ndarray[Any, Any]
Index = tuple[int, ...]
_DENSE = 16  # a table of so many places for each access is cheaper than sorting the accesses


@dataclass
class Dependence:
    """The accesses of one buffer in one execution of a loop: elements, iterations and the site."""

    iterations: Index
    shape: Index = ()
    reads: list[tuple[Array, Array, int]] = field(default_factory=list)
    writes: list[tuple[Array, Array, int]] = field(default_factory=list)


@helper
def new_dependence(iterations: Index) -> Dependence:
    """Return the recorder of a buffer whose elements iterations may share."""
    return Dependence(iterations)


def _lanes(
    shape: Index, index: tuple[Any, ...], mask: Any, iterations: Index
) -> tuple[Array, Array]:
    """Return the flat element and the number of the iteration of each access that happens."""
    rank = max([len(iterations), np.ndim(mask), *(np.ndim(at) for at in index)])
    whole = np.broadcast_shapes(
        iterations + (1,) * (rank - len(iterations)),
        np.shape(mask) if mask is not None else (),
        *(np.shape(at) for at in index),
    )
    numbers = np.arange(int(np.prod(iterations))).reshape(
        iterations + (1,) * (len(whole) - len(iterations))
    )
    outside = outside_of(index, shape)
    keep = np.broadcast_to(True if outside is None else ~outside, whole)
    keep = keep if mask is None else keep & mask
    inside = tuple(np.broadcast_to(at, whole)[keep] for at in index)
    flat = np.ravel_multi_index(inside, shape) if shape else np.zeros(len(inside), int)
    return np.asarray(flat), np.broadcast_to(numbers, whole)[keep]


@helper
def note_read(
    found: Dependence, shape: Index, index: tuple[Any, ...], mask: Any, site: int
) -> None:
    """Iterations read elements."""
    found.shape = shape
    found.reads.append((*_lanes(shape, index, mask, found.iterations), site))


@helper
def note_written(
    found: Dependence, shape: Index, index: tuple[Any, ...], mask: Any, site: int
) -> None:
    """Iterations write elements."""
    found.shape = shape
    found.writes.append((*_lanes(shape, index, mask, found.iterations), site))


@helper
def settle_dependence(rt: Runtime, found: Dependence) -> None:
    """At the loop's end: an element that one iteration reads and another writes is a race."""
    touched = [elements for elements, _, _ in (*found.writes, *found.reads)]
    places, size = _close_together(touched)
    writer = np.full(size, -1)
    for at_places, (_, numbers, _) in zip(places, found.writes, strict=False):
        writer[at_places] = numbers
    read = places[len(found.writes) :]
    for at_places, (elements, numbers, site) in zip(read, found.reads, strict=True):
        other = writer[at_places]
        meets = (other >= 0) & (other != numbers)
        if meets.any():
            at = int(np.argmax(meets))
            _note_dependent(rt, found, site, int(elements[at]), int(numbers[at]), int(other[at]))


def _close_together(elements: Sequence[Array]) -> tuple[list[Array], int]:
    """Elements numbered anew, and how many numbers there are.

    What a block touches of a tensor is little: a table of all of it would cost most of the time.
    """
    whole = np.concatenate(elements) if elements else np.empty(0, int)
    if not whole.size:
        return list(elements), 0
    low, high = int(whole.min()), int(whole.max())
    if high - low < _DENSE * whole.size:
        return [each - low for each in elements], high - low + 1
    known, numbers = np.unique(whole, return_inverse=True)
    return np.split(numbers, np.cumsum([len(each) for each in elements])[:-1]), len(known)


def _note_dependent(
    rt: Runtime, found: Dependence, site: int, element: int, reader: int, writer: int
) -> None:
    index, first, second = (
        tuple(map(int, np.unravel_index(number, shape)))
        for number, shape in (
            (element, found.shape),
            (reader, found.iterations),
            (writer, found.iterations),
        )
    )
    rt.note(
        "parallel-race",
        "error",
        site,
        lambda: (
            f"iteration {_text(first)} of T.Parallel reads {rt.site(site).buffer}{list(index)}, "
            f"which iteration {_text(second)} writes: their order is not defined"
        ),
        lambda: Where(index, first, {"writer": list(second)}),
    )


def _text(iteration: Index) -> str:
    return str(iteration[0]) if len(iteration) == 1 else str(iteration)


@helper
def note_collisions(
    rt: Runtime,
    shape: Index,
    index: tuple[Any, ...],
    value: Any,
    mask: Any,
    site: int,
    iterations: Index,
) -> None:
    """Iterations store elements: two that store different values in one are a race.

    Without `value` each adds to what is there, so that two are a race whatever they add.
    """
    elements, numbers = _lanes(shape, index, mask, iterations)
    (places,), size = _close_together([elements])
    last, lanes = np.empty(size, int), np.arange(len(elements))
    last[places] = lanes
    other = last[places]
    meets = other != lanes
    if value is not None and meets.any():
        meets &= _differs(shape, index, value, mask, iterations, other)
    if not meets.any():
        return
    at = int(np.argmax(meets))
    found = tuple(map(int, np.unravel_index(int(elements[at]), shape)))
    first, second = (
        tuple(map(int, np.unravel_index(int(numbers[lane]), iterations)))
        for lane in (at, int(other[at]))
    )
    what = "update" if value is None else "write"
    rt.note(
        "parallel-race",
        "error",
        site,
        lambda: (
            f"iterations {_text(first)} and {_text(second)} of T.Parallel both {what} "
            f"{rt.site(site).buffer}{list(found)}; all but one of them is lost"
        ),
        lambda: Where(found, first, {"other": list(second), "lost": int(np.count_nonzero(meets))}),
    )


def _differs(
    shape: Index,
    index: tuple[Any, ...],
    value: Any,
    mask: Any,
    iterations: Index,
    other: Array,
) -> Array:
    outside = outside_of(index, shape)
    whole = np.broadcast_shapes(iterations, *(np.shape(at) for at in index))
    keep = np.broadcast_to(True if outside is None else ~outside, whole)
    keep = keep if mask is None else keep & mask
    values = np.broadcast_to(value, whole)[keep]
    theirs = values[other]
    return np.asarray(~((values == theirs) | ((values != values) & (theirs != theirs))))
