"""Gives a launch's results again where the same kernel is launched on the same contents.

Scripts that time a kernel by hand launch it dozens of times; a kernel's results follow from what
is in its arguments, so the second launch need not be simulated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from workbench.engine import simulator

_WORTH_SECONDS = 0.02  # hashing costs about 1 s a GiB; shorter launches are simply run
_MOST_BYTES = 1 << 30


@dataclass(frozen=True)
class _Done:
    key: bytes
    written: dict[int, np.ndarray[Any, Any]]
    report: simulator.SimulationReport


class Repetition:
    """The last launch of one kernel."""

    def __init__(self) -> None:
        self._last_seconds = 0.0
        self._done: _Done | None = None

    def run(
        self, program: simulator.Program, values: Sequence[Any], fresh: tuple[int, ...] = ()
    ) -> simulator.SimulationReport:
        """Run the program on numpy arrays and numbers, or repeat what the last run wrote.

        `fresh` numbers the arrays that hold nothing yet.
        """
        is_cheap = self._last_seconds < _WORTH_SECONDS or _bytes(values) > _MOST_BYTES
        if is_cheap or simulator.follows_pointers(program.source):
            return self._simulated(program, values, fresh)
        key = _digest(values)
        if self._done is not None and self._done.key == key:
            for index, content in self._done.written.items():
                values[index][...] = content
            return self._done.report
        report = self._simulated(program, values, fresh)
        written = {i: values[i].copy() for i, p in enumerate(program.parameters) if p.writes}
        self._done = _Done(key, written, report)
        return report

    def _simulated(
        self, program: simulator.Program, values: Sequence[Any], fresh: tuple[int, ...]
    ) -> simulator.SimulationReport:
        report = program.run(values, simulator.SimulationOptions(fresh=fresh))
        self._last_seconds = report.seconds
        return report


def _bytes(values: Sequence[Any]) -> int:
    return sum(value.nbytes for value in values if isinstance(value, np.ndarray))


def _digest(values: Sequence[Any]) -> bytes:
    """A hash of all contents, shapes and strides; outputs count, for what is in them may stay."""
    found = hashlib.blake2b(digest_size=16)
    for value in values:
        if isinstance(value, np.ndarray):
            found.update(repr((value.shape, value.strides, str(value.dtype))).encode())
            found.update(np.ascontiguousarray(value).view(np.uint8).data)
        else:
            found.update(repr(value).encode())
    return found.digest()
