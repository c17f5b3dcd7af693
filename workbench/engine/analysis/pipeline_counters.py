"""Counters in registers that name the stages of a pipeline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.engine.analysis.expressions import Axis
from workbench.engine.analysis.hazard_space import Registers
from workbench.engine.analysis.launch import LaunchAxes


class Counters(Registers):
    """Counters in registers under names that no loop and no other counter has."""

    def __init__(self, axes: LaunchAxes, name_for: Callable[[str], str]) -> None:
        super().__init__(axes)
        self._name_for = name_for
        self._own: dict[Axis, Axis] = {}

    def counter(self, buffer: Any) -> Axis | None:
        """The axis that stands for a local buffer of one integer; None for another buffer."""
        known = super().counter(buffer)
        if known is not None and known not in self._own:
            self._own[known] = Axis(self._name_for(known.name), known.extent)
        return None if known is None else self._own[known]
