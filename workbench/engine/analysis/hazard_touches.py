"""The cells of shared memory that the threads of a block access in one execution of a touch."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from workbench.engine.analysis.expressions import (
    Axis,
    Const,
    Node,
    UnknownValueError,
    apply,
    evaluate,
    name,
)
from workbench.engine.analysis.hazard_order import Ints
from workbench.engine.analysis.hazard_program import Step, Touch, every
from workbench.engine.analysis.space import extent_bound

POINTS = 1 << 21  # addresses of one execution; a touch of more is not told
Environment = Mapping[Axis, Ints | int]
Mask = npt.NDArray[np.bool_]


class Cells:
    """Cells of `unit` bytes, as fine as the narrowest access; keeps what was computed."""

    def __init__(self, steps: Sequence[Step], thread: Axis, threads: int) -> None:
        self._thread, self._threads = thread, threads
        self.unit = max(
            1, math.gcd(*(_grain(step) for step in every(steps) if isinstance(step, Touch)), 16)
        )
        self._kept: dict[tuple[object, ...], tuple[Ints, Ints]] = {}

    def of(self, touch: Touch, environment: Environment, mask: Mask) -> tuple[Ints, Ints]:
        """The cells and the thread of each, of the threads in `mask`. Raises UnknownValueError."""
        nodes = (touch.address, *touch.conditions, *(axis.extent for axis in touch.loops))
        used = frozenset[Axis]().union(*(node.axes for node in nodes)) - set(touch.loops)
        outer = {axis: environment[axis] for axis in used if axis in environment}
        if any(not isinstance(value, int) for value in outer.values()):
            return self._computed(touch, outer, mask)
        key = (
            touch,
            mask.tobytes(),
            *sorted((axis.number, value) for axis, value in outer.items()),
        )
        if key not in self._kept:
            self._kept[key] = self._computed(touch, outer, mask)
        return self._kept[key]

    def _computed(self, touch: Touch, outer: Environment, mask: Mask) -> tuple[Ints, Ints]:
        sizes = [self._turns(axis, outer) for axis in touch.loops]
        if math.prod(sizes) * self._threads > POINTS:
            raise UnknownValueError("too many accesses at once")
        count = len(sizes) + 1
        values: dict[Axis, Ints | int] = dict(outer)
        for place, (axis, size) in enumerate(zip(touch.loops, sizes, strict=True)):
            values[axis] = np.arange(size).reshape([-1 if p == place else 1 for p in range(count)])
        values[self._thread] = np.arange(self._threads).reshape([1] * (count - 1) + [-1])
        shape = (*sizes, self._threads)
        active = np.broadcast_to(mask, shape)
        for node in (*touch.conditions, *_bounds(touch)):
            active = active & (np.asarray(evaluate(node, values, {})) != 0)
        address = np.broadcast_to(np.asarray(evaluate(touch.address, values, {})), shape)[active]
        threads = np.broadcast_to(values[self._thread], shape)[active]
        if touch.loops:  # turns that access the same are one
            pairs = np.unique(address * self._threads + threads)
            address, threads = pairs // self._threads, pairs % self._threads
        return self._spread(address, threads, touch.width_bytes)

    def _turns(self, axis: Axis, outer: Environment) -> int:
        if axis.extent.axes and axis.extent.axes <= outer.keys():
            return max(0, int(np.max(evaluate(axis.extent, outer, {}))))
        return extent_bound(axis)

    def _spread(self, addresses: Ints, threads: Ints, width: int) -> tuple[Ints, Ints]:
        each = max(1, width // self.unit)
        cells = (addresses[:, None] // self.unit + np.arange(each)).ravel()
        return cells.astype(np.int64), np.repeat(threads, each).astype(np.int64)


def _bounds(touch: Touch) -> list[Node]:
    """What holds loops to their turns whose number differs."""
    varying = [axis for axis in touch.loops if not isinstance(axis.extent, Const)]
    return [apply("lt", name(axis), axis.extent) for axis in varying]


def _grain(touch: Touch) -> int:
    """The largest power of two that an access's width is a multiple of, 16 at most."""
    return touch.width_bytes & -touch.width_bytes or 1
