"""A wrong output as the detectors see it: arrays, tolerance, samples drawn from them, geometry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Index = tuple[Array, ...]

SAMPLE = 4096
SLACK = 2.0
"""A hypothesis may miss by so many tolerances: its own values are not rounded as a kernel's are."""

SPACING = {
    "float64": 2.0**-52,
    "float32": 2.0**-23,
    "float16": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float8_e4m3fn": 2.0**-3,
    "float8_e4m3fnuz": 2.0**-3,
    "float8_e5m2": 2.0**-2,
    "float8_e5m2fnuz": 2.0**-2,
}
"""The distance from 1 to the next number of a type."""


@dataclass(frozen=True, eq=False)
class Operand:
    """One input of the kernel, as floats or integers."""

    name: str
    values: Array


@dataclass(frozen=True, eq=False)
class Sample:
    """Elements drawn from an output, values as float64; `at` has an index array a dimension."""

    at: Index
    got: Array
    expected: Array

    @property
    def size(self) -> int:
        """How many elements were drawn."""
        return self.got.size


@dataclass(frozen=True, eq=False)
class Observation:
    """One output with a wrong element at least, and what is known around it.

    All arrays have the output's shape; `wrong` and `compared` are bool. `compared` is None where
    every element was compared, else only elements in it say anything of the kernel. `untouched`
    tells which elements have the very bits that they had before the run; None where unknown.
    `tile` is the part of the output that one block writes, None where blocks share it otherwise.
    `lengths` are whole numbers among the kernel's arguments, such as tile sizes, likely lengths of
    a step along K first. `dtype` names the
    output's type; |got - expected| may be `atol` + `rtol` * |expected|.
    """

    got: Array
    expected: Array
    wrong: Array
    dtype: str
    rtol: float
    atol: float
    compared: Array | None = None
    untouched: Array | None = None
    tile: tuple[int, ...] | None = None
    operands: tuple[Operand, ...] = ()
    lengths: tuple[int, ...] = ()
    seed: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The output's shape."""
        return tuple(self.got.shape)

    @property
    def spacing(self) -> float:
        """The spacing of the output's type at 1; 0 for integers."""
        return SPACING.get(self.dtype, 0.0)

    @cached_property
    def wrong_count(self) -> int:
        """How many elements are wrong."""
        return int(np.count_nonzero(self.wrong))

    @cached_property
    def wrong_places(self) -> Array:
        """The flat numbers of all wrong elements, ascending."""
        return np.flatnonzero(self.wrong)

    @cached_property
    def wrong_sample(self) -> Sample:
        """Wrong elements, all or drawn at random."""
        return self.drawn(self._some(self.wrong_places, SAMPLE))

    @cached_property
    def anywhere(self) -> Sample:
        """Elements that were compared, all or drawn at random."""
        if self.compared is not None:
            return self.drawn(self._some(np.flatnonzero(self.compared), SAMPLE))
        if self.got.size <= SAMPLE:
            return self.drawn(np.arange(self.got.size))
        return self.drawn(self.random().integers(0, self.got.size, SAMPLE))

    def drawn(self, places: Array) -> Sample:
        """The elements of those flat numbers."""
        at = np.unravel_index(places, self.shape) if self.shape else ()
        return Sample(at, floats(self.got[at]).reshape(-1), floats(self.expected[at]).reshape(-1))

    def allowed(self, expected: Array) -> Array:
        """How far a value may lie from one of `expected`."""
        magnitude = np.nan_to_num(np.abs(expected), nan=0.0, posinf=0.0)
        return np.asarray(self.atol + max(self.rtol, self.spacing) * magnitude)

    def agrees(self, got: Array, wanted: Array) -> Array:
        """Which values are what a hypothesis wants, within the slack; a NaN never is."""
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(got - wanted) <= SLACK * self.allowed(wanted))

    def random(self) -> np.random.Generator:
        """The same numbers at each call, so that equal results get equal signatures."""
        return np.random.default_rng(self.seed)

    def _some(self, places: Array, most: int) -> Array:
        if places.size <= most:
            return places
        return places[np.sort(self.random().integers(0, places.size, most))]


def floats(values: Array) -> Array:
    """Values as float64."""
    return np.asarray(values, np.float64)
