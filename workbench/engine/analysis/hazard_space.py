"""Counters in registers, and one space for all shared buffers: what a hazard program names."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from workbench.engine.analysis.expressions import Axis, Const, Node, apply, const, name
from workbench.engine.analysis.launch import LaunchAxes
from workbench.engine.analysis.pointers import Place, Pointers, Target
from workbench.engine.analysis.translation import Translator, class_of, operator

_ALIGNMENT = 1024  # bytes that buffers in shared memory begin at multiples of
_UNSIZED = 1 << 18  # room for a buffer whose size is not known


class Registers(Translator):
    """Translates expressions with counters that the kernel keeps in registers."""

    def __init__(self, axes: LaunchAxes) -> None:
        super().__init__(axes)
        self._counters: dict[Any, Axis] = {}

    def counter(self, buffer: Any) -> Axis | None:
        """The axis that stands for a local buffer of one integer; None for another buffer."""
        if not str(buffer.scope()).startswith("local") or "int" not in str(buffer.dtype):
            return None
        if "descriptor" in str(buffer.scope()) or not _is_one(buffer.shape):
            return None
        return self._counters.setdefault(buffer.data, Axis(str(buffer.name), const(0)))

    def __call__(self, expression: Any) -> Node:
        """As the base; a counter has the name of its axis."""
        if class_of(expression) == "BufferLoad":
            axis = self.counter(expression.buffer)
            if axis is not None:
                return name(axis)
        return super().__call__(expression)


class Regions(Pointers):
    """Pointers into one space of shared memory, in which each allocation has its own place."""

    def __init__(self, translate: Translator) -> None:
        super().__init__(translate)
        self._bases: dict[Any, int] = {}
        self.starts: dict[str, int] = {}  # by the name of a buffer
        self.end = 0

    def allocate(self, variable: Any, size_bytes: int) -> int:
        """The first byte of an allocation, the same each time."""
        if variable not in self._bases:
            self._bases[variable] = self.end
            self.end += -(-size_bytes // _ALIGNMENT) * _ALIGNMENT
        return self._bases[variable]

    def of(self, variable: Any) -> Place:
        """As the base, with addresses in the one space."""
        place = super().of(variable)
        if place.memory != "shared":
            return place
        if self._translate.bound(variable) is None:
            place = replace(place, base=const(self.allocate(variable, _UNSIZED)))
        if isinstance(place.base, Const):
            self.starts[place.name] = place.base.value
        return place

    def target(self, argument: Any) -> Target | None:
        """As the base, also for a pointer that is moved on by bytes."""
        if class_of(argument) != "Call" or operator(argument) != "handle_add_byte_offset":
            return super().target(argument)
        found = self.target(argument.args[0])
        if found is None:
            return None
        moved = apply("add", found.address, self._translate(argument.args[1]))
        return replace(found, address=moved)


def _is_one(shape: Any) -> bool:
    try:
        return math.prod(int(extent) for extent in shape) == 1
    except (TypeError, ValueError):
        return False
