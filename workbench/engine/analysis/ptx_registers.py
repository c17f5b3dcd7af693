"""Registers of many threads at once, where each group of threads may have come another way."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from workbench.engine.analysis.ptx_traces import WARP
from workbench.engine.analysis.ptx_values import Value

Mask = npt.NDArray[np.bool_] | None  # None: all threads


class Registers:
    """Values by register: an int that all threads share, an array, or None where unknown.

    A register that nothing has written reads as unknown. Where some threads alone have lost a
    value, the others keep theirs.
    """

    def __init__(self) -> None:
        self._values: dict[str, Value | None] = {}
        self._lost: dict[str, npt.NDArray[np.bool_]] = {}

    def get(self, register: str, mask: Mask) -> Value | None:
        """The value; None where it is unknown to a thread of the mask."""
        lost = self._lost.get(register)
        if lost is not None and (mask is None or bool((lost & mask).any())):
            return None
        return self._values.get(register)

    def put(self, register: str, value: Value | None, mask: Mask) -> None:
        """Write a value, or that it is unknown, for the threads of the mask."""
        if mask is None or register not in self._values:
            self._values[register] = value
            self._lost.pop(register, None)
            return
        old = self._values[register]
        lost = self._lost.get(register)
        if value is None:
            if old is not None:
                self._lost[register] = mask.copy() if lost is None else lost | mask
            return
        if old is None:
            self._values[register] = value
            self._lost[register] = ~mask
            return
        if lost is not None:
            left = lost & ~mask
            self._lost[register] = left
            if not left.any():
                del self._lost[register]
        if not (isinstance(value, int) and isinstance(old, int) and value == old):
            self._values[register] = np.where(mask, value, old)


def by_warp(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Blocks x threads as blocks x warps x lanes."""
    return values.reshape(len(values), -1, WARP)
